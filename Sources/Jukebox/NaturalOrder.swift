/// The order in which people list names: numbers by value, letters whatever their case or accent.
///
/// "Track 2" stands before "track 10", "Édith" beside "Edith". Names that this makes equal ("01" and
/// "1", "a" and "A") are told apart by their bytes, so the order is total and always the same.
public enum NaturalOrder {
  /// Whether `first` is listed before `second`.
  public static func precedes(_ first: String, _ second: String) -> Bool {
    let order = compare(first, second)
    return order == 0 ? bytesPrecede(first.utf8, second.utf8) : order < 0
  }

  /// Below 0 if `first` is listed before `second`, above 0 if after, 0 if only bytes tell them apart.
  public static func compare(_ first: String, _ second: String) -> Int {
    var left = Elements(first)
    var right = Elements(second)
    while true {
      guard let a = left.next() else { return right.next() == nil ? 0 : -1 }
      guard let b = right.next() else { return 1 }
      guard a == b else { return a < b ? -1 : 1 }
      if a == Elements.number {
        let order = left.compareNumber(&right)
        if order != 0 { return order }
      }
    }
  }

  private static func bytesPrecede(_ first: String.UTF8View, _ second: String.UTF8View) -> Bool {
    var left = first.makeIterator()
    var right = second.makeIterator()
    while true {
      guard let b = right.next() else { return false }
      guard let a = left.next() else { return true }
      if a != b { return a < b }
    }
  }
}

/// What a name is compared by: folded letters, and one element for each run of digits.
private struct Elements {
  /// Stands for a run of digits, and in the digits' place in the order of characters.
  static let number: UInt32 = 0x30

  private var rest: Substring.UnicodeScalarView

  init(_ name: String) {
    rest = name.unicodeScalars[...]
  }

  /// The next folded character; after `number`, `compareNumber` must take the digits.
  mutating func next() -> UInt32? {
    while let scalar = rest.first {
      if Self.isDigit(scalar) { return Self.number }
      rest.removeFirst()
      if !Self.isCombiningMark(scalar) { return Self.folded(scalar.value) }
    }
    return nil
  }

  /// Takes a run of digits of any length from both and compares their values.
  mutating func compareNumber(_ other: inout Elements) -> Int {
    dropZeros()
    other.dropZeros()
    var order = 0
    while true {
      let a = takeDigit()
      let b = other.takeDigit()
      switch (a, b) {
      case (nil, nil): return order
      case (nil, _): return -1
      case (_, nil): return 1
      case (let a?, let b?): if order == 0, a != b { order = a < b ? -1 : 1 }
      }
    }
  }

  private mutating func dropZeros() {
    while rest.first == "0" { rest.removeFirst() }
  }

  private mutating func takeDigit() -> UInt32? {
    guard let scalar = rest.first, Self.isDigit(scalar) else { return nil }
    rest.removeFirst()
    return scalar.value
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    scalar >= "0" && scalar <= "9"
  }

  private static func isCombiningMark(_ scalar: Unicode.Scalar) -> Bool {
    (0x300...0x36F).contains(scalar.value)
  }

  /// A letter in lower case and without its accent: Latin, and the case of Greek and Cyrillic.
  private static func folded(_ scalar: UInt32) -> UInt32 {
    switch scalar {
    case 0x41...0x5A: return scalar + 0x20
    case 0xC0...0x17F: return baseLetter(Int(scalar - 0xC0))
    case 0x391...0x3A9, 0x410...0x42F: return scalar + 0x20
    case 0x400...0x40F: return scalar + 0x50
    default: return scalar
    }
  }

  /// The base letter of the characters from U+00C0 on, by the first of their canonical decomposition.
  private static func baseLetter(_ offset: Int) -> UInt32 {
    let letters = """
      aaaaaaaceeeeiiiidnooooo*ouuuuytsaaaaaaaceeeeiiiidnooooo/ouuuuyty\
      aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll\
      lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs
      """.utf8
    return UInt32(letters[letters.index(letters.startIndex, offsetBy: offset)])
  }
}
