/// Writes numbers and words as bytes: numbers seven bits at a time, the lowest first.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// A number of either sign, small where its amount is small.
  mutating func put(signed number: Int64) {
    put(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }

  mutating func put(_ flag: Bool) {
    bytes.append(flag ? 1 : 0)
  }

  /// A section: its kind, its length, what is in it, and a check sum of all that.
  mutating func section(_ kind: UInt8, _ fill: (inout ByteWriter) -> Void) {
    var inner = ByteWriter()
    fill(&inner)
    let start = bytes.count
    bytes.append(kind)
    put(UInt64(inner.bytes.count))
    bytes += inner.bytes
    let sum = checkSum(bytes[start...])
    for shift in [0, 8, 16, 24] as [UInt32] {
      bytes.append(UInt8(truncatingIfNeeded: sum >> shift))
    }
  }
}

/// Reads what `ByteWriter` wrote; answers nil where the bytes are something else.
struct ByteReader {
  private let bytes: ArraySlice<UInt8>
  private var next: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    next = bytes.startIndex
  }

  var isAtEnd: Bool { next >= bytes.endIndex }

  mutating func byte() -> UInt8? {
    guard next < bytes.endIndex else { return nil }
    defer { next += 1 }
    return bytes[next]
  }

  mutating func number() -> UInt64? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = byte() {
      guard shift < 64 else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      guard byte & 0x80 != 0 else { return number }
      shift += 7
    }
    return nil
  }

  mutating func number<Small: FixedWidthInteger>(_ type: Small.Type) -> Small? {
    number().flatMap { Small(exactly: $0) }
  }

  mutating func signed() -> Int64? {
    number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  mutating func flag() -> Bool? {
    byte().map { $0 != 0 }
  }

  /// The next whole section; bytes that are none are skipped.
  ///
  /// After damage only a known kind counts as a section's begin: of other bytes, too many could be one.
  mutating func section(isKnown: (UInt8) -> Bool) -> (kind: UInt8, content: ByteReader)? {
    var isDamaged = false
    while next < bytes.endIndex {
      var probe = self
      if !isDamaged || isKnown(bytes[next]), let found = probe.sectionHere() {
        self = probe
        return found
      }
      next += 1
      isDamaged = true
    }
    return nil
  }

  private mutating func sectionHere() -> (kind: UInt8, content: ByteReader)? {
    let start = next
    guard let kind = byte(), let count = number(Int32.self), count >= 0,
      bytes.endIndex - next >= 4, Int(count) <= bytes.endIndex - next - 4
    else { return nil }
    let content = next..<(next + Int(count))
    next = content.upperBound
    let sum = checkSum(bytes[start..<next])
    for shift in [0, 8, 16, 24] as [UInt32] {
      guard byte() == UInt8(truncatingIfNeeded: sum >> shift) else { return nil }
    }
    return (kind, ByteReader(bytes[content]))
  }
}

/// CRC-32 (ISO 3309), a bit at a time over nibbles' table.
func checkSum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
  var sum: UInt32 = 0xFFFF_FFFF
  for byte in bytes {
    sum ^= UInt32(byte)
    for _ in 0..<2 { sum = nibbles[Int(sum & 15)] ^ (sum >> 4) }
  }
  return ~sum
}

private let nibbles: [UInt32] = [
  0x0000_0000, 0x1DB7_1064, 0x3B6E_20C8, 0x26D9_30AC, 0x76DC_4190, 0x6B6B_51F4, 0x4DB2_6158,
  0x5005_713C, 0xEDB8_8320, 0xF00F_9344, 0xD6D6_A3E8, 0xCB61_B38C, 0x9B64_C2B0, 0x86D3_D2D4,
  0xA00A_E278, 0xBDBD_F21C,
]
