/// Goes through a command's words: options with and without a value, and what is no option.
struct OptionWords<Option: RawRepresentable & CaseIterable & Equatable>
where Option.RawValue == String {
  enum Word {
    case option(Option)
    case plain([UInt8])
  }

  private let command: String
  private var words: ArraySlice<[UInt8]>
  private var isPlainOnly = false
  /// What stood after "=" in the option given last.
  private var attached: [UInt8]?
  private var last = ""

  init(_ words: ArraySlice<[UInt8]>, of command: String) {
    self.words = words
    self.command = command
  }

  /// The next word; nil at the end. Throws if an option before it was given a value it does not take.
  mutating func next() throws(UsageError) -> Word? {
    if attached != nil { throw UsageError("\(last) is given a value: allowed is none") }
    guard let word = words.popFirst() else { return nil }
    if isPlainOnly { return .plain(word) }
    let text = String(decoding: word, as: UTF8.self)
    if text == "--" {
      isPlainOnly = true
      return try next()
    }
    guard text.hasPrefix("-"), text != "-" else { return .plain(word) }
    let equals = word.firstIndex(of: UInt8(ascii: "="))
    last = String(decoding: word[..<(equals ?? word.endIndex)], as: UTF8.self)
    guard let option = Option(rawValue: last) else {
      let names = Option.allCases.map(\.rawValue)
      throw UsageError(
        "\(quoted(last)) is no option of \(command): allowed are \(list(names))", nearest: last,
        in: names)
    }
    attached = equals.map { Array(word[($0 + 1)...]) }
    return .option(option)
  }

  /// The value of the option given last.
  mutating func value(_ allowed: String) throws(UsageError) -> [UInt8] {
    if let value = attached {
      attached = nil
      return value
    }
    guard let value = words.popFirst() else {
      throw UsageError("\(last) ends the command line: allowed is \(last) \(allowed)")
    }
    return value
  }

  mutating func text(_ allowed: String) throws(UsageError) -> String {
    String(decoding: try value(allowed), as: UTF8.self)
  }

  mutating func number() throws(UsageError) -> Int {
    let text = try text("N")
    guard let number = Int(text), number >= 0 else {
      throw UsageError("\(last) is \(quoted(text)): allowed is a whole number from 0 on")
    }
    return number
  }

  /// The one of `allowed` that the value names.
  mutating func word<Word>(
    _ allowed: [(name: String, word: Word)], _ what: String
  ) throws(UsageError) -> Word {
    let text = try text(what)
    return try Self.word(text, allowed, "\(last) is \(quoted(text))")
  }

  static func word<Word>(
    _ text: String, _ allowed: [(name: String, word: Word)], _ found: String
  ) throws(UsageError) -> Word {
    guard let match = allowed.first(where: { $0.name == text.lowercased() }) else {
      let names = allowed.map(\.name)
      throw UsageError("\(found): allowed are \(list(names))", nearest: text, in: names)
    }
    return match.word
  }
}
