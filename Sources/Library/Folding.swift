@_spi(_Unicode) import Swift

/// Names as people compare them: without case and accents, and in the order of a list.
enum Folding {
  /// Words that a name starts with and is not sorted by.
  private static let articles = ["the ", "a ", "an "]
  /// Longer names are told apart by no more than this.
  private static let longestKey = 100

  /// In small letters without accents, blanks in a row as one.
  static func fold(_ text: String) -> String {
    var text = text
    if let folded = text.withUTF8({ unsafe foldASCII($0) }) { return folded }
    var folded: [UInt8] = []
    folded.reserveCapacity(text.utf8.count)
    var isBlank = true
    // The standard library's own canonical decomposition (NFD); text that is not ASCII is rare enough.
    for scalar in text._nfd {
      if isWhiteSpace(scalar) {
        if !isBlank { folded.append(0x20) }
        isBlank = true
        continue
      }
      // No mark stands before these; asking of each is what takes the time.
      if scalar.value >= 0x300, !isPlain(scalar),
        scalar.properties.canonicalCombiningClass != .notReordered
      {
        continue
      }
      isBlank = false
      if scalar.isASCII {
        let byte = UInt8(scalar.value)
        folded.append(byte &- 65 < 26 ? byte + 32 : byte)
      } else if isPlain(scalar) {
        folded += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      } else if let letters = undecomposed[scalar] {
        folded += letters.utf8
      } else {
        folded += scalar.properties.lowercaseMapping.utf8
      }
    }
    if folded.last == 0x20 { folded.removeLast() }
    return String(decoding: folded, as: UTF8.self)
  }

  /// Small Cyrillic letters and ideographs: no marks, and without capitals.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    (0x430...0x44F).contains(scalar.value) || (0x3400...0x9FFF).contains(scalar.value)
  }

  /// Unicode's White_Space.
  private static func isWhiteSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F,
      0x3000:
      true
    default: false
    }
  }

  private static func foldASCII(_ utf8: UnsafeBufferPointer<UInt8>) -> String? {
    guard unsafe utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    return unsafe String(unsafeUninitializedCapacity: utf8.count) { buffer in
      var count = 0
      for index in 0..<utf8.count {
        let byte = unsafe utf8[index]
        let isBlank = byte == 0x20 || byte &- 9 < 5
        if isBlank, unsafe count == 0 || buffer[count - 1] == 0x20 { continue }
        unsafe buffer[count] = isBlank ? 0x20 : byte &- 65 < 26 ? byte + 32 : byte
        count += 1
      }
      if unsafe count > 0 && buffer[count - 1] == 0x20 { count -= 1 }
      return count
    }
  }

  /// Letters that people look for under others but Unicode does not decompose.
  private static let undecomposed: [Unicode.Scalar: String] = [
    "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o",
    "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th", "ı": "i",
    "’": "'", "‘": "'", "“": "\"", "”": "\"", "–": "-", "—": "-", "‐": "-", "…": "...",
  ]

  /// Bytes that stand in the order in which people list names.
  ///
  /// Signs stand before digits, digits before letters; a run of digits stands by its value. Names that
  /// differ in case or accents alone have the same key. Empty for a name without a letter.
  static func sortKey(_ name: String) -> [UInt8] { sortKey(folded: fold(name)) }

  static func sortKey(folded: String) -> [UInt8] {
    let name = Array(folded.utf8)
    let article = articles.first { name.starts(with: $0.utf8) }
    return key(name[(article?.utf8.count ?? 0)...])
  }

  /// As `sortKey`, by the article too: as folders are listed.
  static func folderKey(_ name: String) -> [UInt8] { key(Array(fold(name).utf8)[...]) }

  private static func key(_ folded: ArraySlice<UInt8>) -> [UInt8] {
    var key: [UInt8] = []
    var index = folded.startIndex
    key.reserveCapacity(min(folded.count + 4, longestKey))
    while index < folded.endIndex, key.count < longestKey {
      let byte = folded[index]
      if byte &- 0x30 < 10 {
        let digits = folded[index...].prefix { $0 &- 0x30 < 10 }
        index = digits.endIndex
        let value = digits.drop { $0 == 0x30 }.prefix(60)
        key.append(0x30 + UInt8(value.count))
        key += value
        continue
      }
      index += 1
      switch byte {
      case 0x20: key.append(0x02)
      case 0x61...0x7A: key.append(byte + 0x10)
      case 0x80...: key.append(byte)
      // Quotes and the like don't count: "Don't" stands beside "Dont".
      case 0x22, 0x27, 0x60: continue
      default: key.append(0x03 + (byte & 0x1F))
      }
    }
    return key
  }
}
