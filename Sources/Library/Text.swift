/// Text of unknown encoding, as old playlists are: UTF-8, UTF-16 with a byte order mark, or CP1252.
enum Text {
  /// A file's lines, whatever ends them, without byte order mark; UTF-16 comes out as UTF-8.
  static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var text = bytes[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      text = text.dropFirst(3)
    } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      let (low, high) = bytes[0] == 0xFF ? (0, 1) : (1, 0)
      let units = stride(from: 2, to: bytes.count - 1, by: 2).map {
        UInt16(bytes[$0 + low]) | UInt16(bytes[$0 + high]) << 8
      }
      text = Array(String(decoding: units, as: UTF16.self).utf8)[...]
    }
    return text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
  }

  /// UTF-8 where it is valid, else CP1252.
  static func string(_ bytes: some Collection<UInt8>) -> String {
    if let string = String(validating: bytes, as: UTF8.self) { return string }
    return windows(bytes)
  }

  /// CP1252.
  static func windows(_ bytes: some Collection<UInt8>) -> String {
    var utf8: [UInt8] = []
    utf8.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      if byte < 0x80 {
        utf8.append(byte)
      } else {
        utf8 += UTF8.encode(windows(byte)) ?? UTF8.encodedReplacementCharacter
      }
    }
    return String(decoding: utf8, as: UTF8.self)
  }

  /// The character of a CP1252 byte; those it leaves open are U+FFFD.
  private static func windows(_ byte: UInt8) -> Unicode.Scalar {
    guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
    let scalars: [Unicode.Scalar] = [
      "€", "\u{FFFD}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{FFFD}", "Ž",
      "\u{FFFD}", "\u{FFFD}", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ",
      "\u{FFFD}", "ž", "Ÿ",
    ]
    return scalars[Int(byte - 0x80)]
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
