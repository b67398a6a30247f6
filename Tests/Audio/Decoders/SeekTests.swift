import Audio
import Testing

@Suite struct SeekTests {
  @Test(arguments: Encoding.allCases)
  func `the frames after a seek are those of a straight decode`(_ encoding: Encoding) throws {
    let file = try Corpus.files(encoding, of: encoding.album)[0]
    let straight = try decode(AudioFile.open(file))
    let total = straight.count / 2
    var random = Seeded(state: 7)
    let decoder = try AudioFile.open(file)
    let frames =
      [0, 1, total - 1, total / 2] + (0..<24).map { _ in Int.random(in: 0..<total, using: &random) }
    for frame in frames {
      try decoder.seek(to: frame)
      #expect(decoder.position == frame)
      let samples = try read(decoder, 1500)
      #expect(samples.count == 2 * min(1500, total - frame), "at \(frame)")
      let expected = straight[(2 * frame)..<(2 * frame + samples.count)]
      #expect(samples.elementsEqual(expected), "at \(frame)")
    }
  }

  @Test(arguments: Encoding.allCases)
  func `past the end is the end, and there is a way back`(_ encoding: Encoding) throws {
    let file = try Corpus.files(encoding, of: encoding.album)[3]
    let decoder = try AudioFile.open(file)
    let first = try read(decoder, 500)
    for frame in [1 << 30, Int.max] {
      try decoder.seek(to: frame)
      #expect(try read(decoder, 100).isEmpty)
      #expect(try read(decoder, 100).isEmpty)
      try decoder.seek(to: 0)
      #expect(decoder.position == 0)
      #expect(try read(decoder, 500) == first)
    }
    try decoder.seek(to: -5)
    #expect(decoder.position == 0)
  }
}
