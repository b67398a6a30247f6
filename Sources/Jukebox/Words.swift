/// A line of words, either being written or being read.
///
/// One description of a value serves both ways: `transfer` appends the value's words, or replaces the
/// value by what the words say. A word that is none of the value's makes the whole line void.
struct Words {
  private(set) var words: [String]
  let isReading: Bool
  private(set) var isVoid = false
  private var next = 0

  init() {
    words = []
    isReading = false
  }

  init(reading line: String) {
    words = line.utf8.split(separator: 32).map { String(Substring($0)) }
    isReading = true
  }

  var line: String { words.joined(separator: " ") }

  var isAtEnd: Bool { next >= words.count }

  mutating func put(_ word: String) {
    words.append(word)
  }

  mutating func take() -> String {
    guard next < words.count else {
      isVoid = true
      return ""
    }
    defer { next += 1 }
    return words[next]
  }

  mutating func spoil() {
    isVoid = true
  }

  mutating func transfer<Number: FixedWidthInteger>(_ number: inout Number) {
    if isReading {
      if let read = Number(take()) { number = read } else { isVoid = true }
    } else {
      put(String(number))
    }
  }

  mutating func transfer(_ flag: inout Bool) {
    if isReading {
      switch take() {
      case "yes": flag = true
      case "no": flag = false
      default: isVoid = true
      }
    } else {
      put(flag ? "yes" : "no")
    }
  }

  /// A choice is told by its place among all choices.
  mutating func transfer<Choice: RawRepresentable>(_ choice: inout Choice)
  where Choice.RawValue == UInt8 {
    var raw = choice.rawValue
    transfer(&raw)
    if let read = Choice(rawValue: raw) { choice = read } else { isVoid = true }
  }

  /// Words of any kind: what is no visible letter is written as a percent sign and two digits.
  mutating func transfer(_ text: inout String) {
    if isReading { text = unescaped(take()) } else { put(escaped(text)) }
  }

  mutating func transfer(_ bytes: inout [UInt8]) {
    if isReading {
      let digits = Array(take().utf8.dropFirst())
      bytes = []
      bytes.reserveCapacity(digits.count / 2)
      guard digits.count % 2 == 0 else { return spoil() }
      for start in stride(from: 0, to: digits.count, by: 2) {
        guard let high = digit(digits[start]), let low = digit(digits[start + 1]) else {
          return spoil()
        }
        bytes.append(high << 4 | low)
      }
    } else {
      var digits: [UInt8] = [120]
      digits.reserveCapacity(bytes.count * 2 + 1)
      for byte in bytes {
        digits.append(hex(byte >> 4))
        digits.append(hex(byte & 15))
      }
      put(String(decoding: digits, as: UTF8.self))
    }
  }

  mutating func transfer(_ interval: inout Interval) {
    transfer(&interval.nanoseconds)
  }

  mutating func transfer<Value>(
    optional value: inout Value?, or fresh: Value, _ each: (inout Words, inout Value) -> Void
  ) {
    var isThere = value != nil
    transfer(&isThere)
    guard isThere else {
      value = nil
      return
    }
    var inner = value ?? fresh
    each(&self, &inner)
    value = inner
  }

  mutating func transfer<Element>(
    list: inout [Element], of fresh: Element, _ each: (inout Words, inout Element) -> Void
  ) {
    var count = list.count
    transfer(&count)
    if isReading {
      list = []
      if count < 0 { spoil() }
      while list.count < count, !isVoid {
        var element = fresh
        each(&self, &element)
        list.append(element)
      }
    } else {
      for place in list.indices { each(&self, &list[place]) }
    }
  }

  // MARK: - Letters

  private func escaped(_ text: String) -> String {
    var letters: [UInt8] = [34]
    for byte in text.utf8 {
      if byte <= 32 || byte == 37 || byte == 127 {
        letters += [37, hex(byte >> 4), hex(byte & 15)]
      } else {
        letters.append(byte)
      }
    }
    return String(decoding: letters, as: UTF8.self)
  }

  private mutating func unescaped(_ word: String) -> String {
    let letters = Array(word.utf8)
    guard letters.first == 34 else {
      isVoid = true
      return ""
    }
    var text: [UInt8] = []
    var place = 1
    while place < letters.count {
      if letters[place] == 37 {
        guard place + 2 < letters.count, let high = digit(letters[place + 1]),
          let low = digit(letters[place + 2])
        else {
          isVoid = true
          return ""
        }
        text.append(high << 4 | low)
        place += 3
      } else {
        text.append(letters[place])
        place += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private func hex(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

  private func digit(_ letter: UInt8) -> UInt8? {
    switch letter {
    case 48...57: letter - 48
    case 97...102: letter - 87
    default: nil
    }
  }
}
