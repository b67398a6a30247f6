/// A command's words, as MPD's protocol separates and quotes them.
struct CommandLine: Equatable {
  var name: String
  var arguments: [String]

  /// Words stand apart by spaces or tabs; one in double quotes may hold them, and a backslash takes
  /// the sign after it as it is.
  init(_ bytes: some Collection<UInt8>) throws(Refusal) {
    var words: [[UInt8]] = []
    var rest = bytes[...]
    while true {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
      guard let first = rest.first else { break }
      var word: [UInt8] = []
      if first == UInt8(ascii: "\"") {
        rest = rest.dropFirst()
        var isClosed = false
        while let byte = rest.popFirst() {
          if byte == UInt8(ascii: "\"") {
            isClosed = true
            break
          }
          if byte == UInt8(ascii: "\\"), let next = rest.popFirst() {
            word.append(next)
          } else {
            word.append(byte)
          }
        }
        let isApart = rest.first.map { $0 == 0x20 || $0 == 0x09 } ?? true
        guard isClosed, isApart else { throw Refusal(.argument, "Invalid quoted word") }
      } else {
        word = Array(rest.prefix { $0 != 0x20 && $0 != 0x09 })
        rest = rest.dropFirst(word.count)
      }
      words.append(word)
    }
    guard let first = words.first, !first.isEmpty else {
      throw Refusal(.unknown, "No command given")
    }
    name = String(decoding: first, as: UTF8.self)
    arguments = words.dropFirst().map { String(decoding: $0, as: UTF8.self) }
  }
}
