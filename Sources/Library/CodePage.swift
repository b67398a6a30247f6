internal import Glibc

/// The encoding of text that is stored as if it were Latin-1, told by its bytes.
///
/// The guess, for all such text of a file together: UTF-8 where it is valid; Shift-JIS or GBK where
/// the bytes pair up as those do and the pairs stand beside each other; CP1251 where words have no
/// ASCII letter and are all small but for their first letter, or all capital; else CP1252.
enum CodePage: String {
  case utf8 = "UTF-8"
  case shiftJIS = "CP932"
  case gbk = "GBK"
  case cyrillic = "CP1251"
  case western = "CP1252"

  init(guessedFrom texts: [[UInt8]]) {
    let bytes = Array(texts.joined(separator: [UInt8(ascii: "\n")]))
    if String(validating: bytes, as: UTF8.self) != nil {
      self = .utf8
    } else if Self.isShiftJIS(bytes) {
      self = .shiftJIS
    } else if Self.isCyrillic(bytes) {
      self = .cyrillic
    } else if Self.isGBK(bytes) {
      self = .gbk
    } else {
      self = .western
    }
  }

  /// The text; what the encoding leaves open is U+FFFD.
  func string(_ bytes: [UInt8]) -> String {
    switch self {
    case .utf8: return String(decoding: bytes, as: UTF8.self)
    case .western: return Text.windows(bytes)
    case .shiftJIS, .gbk, .cyrillic: return converted(bytes) ?? Text.windows(bytes)
    }
  }

  /// iconv(3).
  private func converted(_ bytes: [UInt8]) -> String? {
    let converter = unsafe iconv_open("UTF-8", rawValue)
    guard unsafe converter != iconv_t(bitPattern: -1) else { return nil }
    defer { unsafe iconv_close(converter) }
    var bytes = bytes
    var output = [UInt8](repeating: 0, count: bytes.count * 4)
    var text: [UInt8] = []
    let isDone = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe output.withUnsafeMutableBytes { output in
        var from = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        var left = bytes.count
        while left > 0 {
          var to = unsafe output.baseAddress?.assumingMemoryBound(to: CChar.self)
          var room = output.count
          let result = unsafe iconv(converter, &from, &left, &to, &room)
          unsafe text += output[..<(output.count - room)]
          guard result == .max, left > 0 else { break }
          guard errno != E2BIG else { continue }
          text += "\u{FFFD}".utf8
          unsafe from = unsafe from.map { unsafe $0 + 1 }
          left -= 1
        }
        return left == 0
      }
    }
    return isDone ? String(decoding: text, as: UTF8.self) : nil
  }

  /// Pairs of kana and the commoner kanji (JIS X 0208, rows 1 to 8 and 16 to 47) beside each other.
  private static func isShiftJIS(_ bytes: [UInt8]) -> Bool {
    pairs(
      in: bytes, lead: { (0x81...0x9F).contains($0) || (0xE0...0xEA).contains($0) },
      trail: { (0x40...0x7E).contains($0) || (0x80...0xFC).contains($0) },
      common: { lead, _ in lead <= 0x84 || (0x88...0x98).contains(lead) })
  }

  /// Pairs of hanzi (GB 2312, rows 1 to 9 and 16 to 87) beside each other.
  private static func isGBK(_ bytes: [UInt8]) -> Bool {
    pairs(
      in: bytes, lead: { (0x81...0xFE).contains($0) },
      trail: { (0x40...0x7E).contains($0) || (0x80...0xFE).contains($0) },
      common: { lead, trail in
        trail >= 0xA1 && ((0xA1...0xA9).contains(lead) || (0xB0...0xF7).contains(lead))
      })
  }

  /// Whether all bytes that are not ASCII are in pairs, most pairs common, and few beside a letter.
  private static func pairs(
    in bytes: [UInt8], lead: (UInt8) -> Bool, trail: (UInt8) -> Bool,
    common: (UInt8, UInt8) -> Bool
  ) -> Bool {
    var (count, known, alone) = (0, 0, 0)
    var index = 0
    var endOfLast = -1
    while index < bytes.count {
      guard bytes[index] >= 0x80 else {
        index += 1
        continue
      }
      guard lead(bytes[index]), index + 1 < bytes.count, trail(bytes[index + 1]) else {
        return false
      }
      count += 1
      if common(bytes[index], bytes[index + 1]) { known += 1 }
      let isJoined =
        endOfLast == index || (index + 2 < bytes.count && bytes[index + 2] >= 0x80)
      let touchesLetter =
        (index > 0 && isLetter(bytes[index - 1]) && endOfLast != index)
        || (index + 2 < bytes.count && isLetter(bytes[index + 2]))
      if !isJoined, touchesLetter || bytes[index + 1] < 0x80 { alone += 1 }
      index += 2
      endOfLast = index
    }
    return known * 10 >= count * 8 && alone * 3 <= count
  }

  private static func isCyrillic(_ bytes: [UInt8]) -> Bool {
    var (words, cyrillic) = (0, 0)
    for word in bytes.split(whereSeparator: { $0 < 0x80 && !isLetter($0) }) {
      guard word.contains(where: { $0 >= 0xC0 }), word.count > 1 else { continue }
      words += 1
      let letters = word.filter { !(0x80...0xBF).contains($0) || $0 == 0xA8 || $0 == 0xB8 }
      let isSmall = { (byte: UInt8) in byte >= 0xE0 || byte == 0xB8 }
      let isCapital = { (byte: UInt8) in (0xC0...0xDF).contains(byte) || byte == 0xA8 }
      if letters.count * 4 >= word.count * 3,
        letters.dropFirst().allSatisfy(isSmall) || letters.allSatisfy(isCapital),
        letters.first.map({ isSmall($0) || isCapital($0) }) ?? false
      {
        cyrillic += 1
      }
    }
    return words > 0 && cyrillic * 4 >= words * 3
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
}
