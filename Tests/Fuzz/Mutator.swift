/// Seeded damage to files: the same seed and number give the same bytes.
struct Mutator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64, number: Int) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(number) &* 0xD134_2543_DE82_EF95
  }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &self) }

  /// One to eight kinds of damage, half of them near the head, where the lengths are.
  mutating func mutate(_ original: [UInt8], with others: [[UInt8]]) -> [UInt8] {
    var bytes = original
    for _ in 0...below(8) {
      guard !bytes.isEmpty else { break }
      let place = below(2) == 0 ? below(min(bytes.count, 300)) : below(bytes.count)
      switch below(8) {
      case 0, 1: bytes[place] ^= 1 << UInt8(below(8))
      case 2: bytes[place] = [0, 0xFF, 0x7F, 0x80, UInt8(below(256))][below(5)]
      case 3: bytes.removeSubrange((bytes.count - below(bytes.count / 2))...)
      case 4:
        let other = others[below(others.count)]
        let start = below(other.count)
        let piece = other[start..<min(other.count, start + below(4000))]
        bytes.replaceSubrange(place..<min(bytes.count, place + below(4000)), with: piece)
      case 5: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(64)))
      case 6:
        let filler = (0..<1 + below(64)).map { UInt8(truncatingIfNeeded: $0) }
        bytes.insert(contentsOf: filler, at: place)
      default:
        // A length or a count of 32 bits, of either order.
        let values = [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFF0, below(1 << 32)]
        let value = values[below(values.count)]
        let isBig = below(2) == 0
        for index in 0..<min(4, bytes.count - place) {
          let shift = 8 * (isBig ? 3 - index : index)
          bytes[place + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
      }
    }
    // Else an Ogg page's checksum turns away nearly all.
    if below(4) > 0 { mendPages(of: &bytes) }
    return bytes
  }

  /// Makes the checksums of Ogg pages right again (RFC 3533, section 6).
  private func mendPages(of bytes: inout [UInt8]) {
    var place = 0
    while place + 27 <= bytes.count {
      guard bytes[place..<place + 4].elementsEqual("OggS".utf8) else {
        place += 1
        continue
      }
      let body = place + 27 + Int(bytes[place + 26])
      guard body <= bytes.count else { return }
      let end = min(bytes.count, body + bytes[place + 27..<body].reduce(0) { $0 + Int($1) })
      bytes.replaceSubrange(place + 22..<place + 26, with: [0, 0, 0, 0])
      var sum: UInt32 = 0
      for byte in bytes[place..<end] {
        sum ^= UInt32(byte) << 24
        for _ in 0..<8 { sum = sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
      }
      for index in 0..<4 {
        bytes[place + 22 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index))
      }
      place = end
    }
  }
}
