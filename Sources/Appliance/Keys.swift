/// A key of the keyboard that means something here.
enum Key: Equatable {
  case playPause, next, previous, left, right, louder, softer, mute, quit
}

/// Makes keys of a terminal's bytes, however the reads cut them (ECMA-48, 5.4; VT100 arrows).
struct KeyDecoder {
  private enum State {
    case plain, escape, sequence, single
  }

  private var state = State.plain

  /// The keys that end within `bytes`; an unfinished escape sequence waits for the rest.
  mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    bytes.compactMap { take($0) }
  }

  private mutating func take(_ byte: UInt8) -> Key? {
    if byte == 0x1B {
      state = .escape
      return nil
    }
    switch state {
    case .plain:
      return Self.plain(byte)
    case .escape:
      switch byte {
      case UInt8(ascii: "["): state = .sequence
      case UInt8(ascii: "O"): state = .single
      default:
        state = .plain
        return Self.plain(byte)
      }
      return nil
    case .sequence where (0x20...0x3F).contains(byte):
      return nil
    case .sequence, .single:
      state = .plain
      switch byte {
      case UInt8(ascii: "C"): return .right
      case UInt8(ascii: "D"): return .left
      default: return nil
      }
    }
  }

  private static func plain(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: " "): .playPause
    case UInt8(ascii: "n"), UInt8(ascii: "N"): .next
    case UInt8(ascii: "p"), UInt8(ascii: "P"): .previous
    case UInt8(ascii: "+"), UInt8(ascii: "="): .louder
    case UInt8(ascii: "-"), UInt8(ascii: "_"): .softer
    case UInt8(ascii: "m"), UInt8(ascii: "M"): .mute
    case UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x03, 0x04: .quit
    default: nil
    }
  }
}
