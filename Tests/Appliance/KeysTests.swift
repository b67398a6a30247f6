import Testing

@testable import Appliance

struct KeysTests {
  @Test func `letters and signs are keys, other bytes are none`() {
    var decoder = StrokeDecoder()
    #expect(
      decoder.decode(" nNpP+=-_q\u{3}x\u{E4}\r".utf8).compactMap { Key($0) } == [
        .playPause, .next, .next, .previous, .previous, .louder, .louder, .softer, .softer, .quit,
        .quit,
      ])
  }

  @Test(arguments: [
    ("\u{1B}[C", [Key.right]), ("\u{1B}[D", [.left]), ("\u{1B}OC", [.right]), ("\u{1B}OD", [.left]),
    ("\u{1B}[1;5C", [.right]), ("\u{1B}[A", []), ("\u{1B}[15~n", [.next]),
    ("\u{1B}\u{1B}[Cq", [.right, .quit]), ("\u{1B}n", [.next]), ("\u{1B}[200~", []),
  ])
  func `escape sequences are keys, however the reads cut them`(_ text: String, _ keys: [Key]) {
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      var decoder = StrokeDecoder()
      let strokes = decoder.decode(bytes[..<cut]) + decoder.decode(bytes[cut...])
      #expect(strokes.compactMap { Key($0) } == keys)
    }
    var decoder = StrokeDecoder()
    #expect(bytes.flatMap { decoder.decode([$0]) }.compactMap { Key($0) } == keys)
  }
}
