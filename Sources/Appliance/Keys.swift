/// What a terminal sends for one key.
enum Stroke: Equatable {
  case character(UInt8)
  case up, down, right, left
}

/// Makes strokes of a terminal's bytes, however the reads cut them (ECMA-48, 5.4; VT100 arrows).
struct StrokeDecoder {
  private enum State {
    case plain, escape, sequence, single
  }

  private var state = State.plain

  /// The strokes that end within `bytes`; an unfinished escape sequence waits for the rest.
  mutating func decode(_ bytes: some Sequence<UInt8>) -> [Stroke] {
    bytes.compactMap { take($0) }
  }

  private mutating func take(_ byte: UInt8) -> Stroke? {
    if byte == 0x1B {
      state = .escape
      return nil
    }
    switch state {
    case .plain:
      return .character(byte)
    case .escape:
      switch byte {
      case UInt8(ascii: "["): state = .sequence
      case UInt8(ascii: "O"): state = .single
      default:
        state = .plain
        return .character(byte)
      }
      return nil
    case .sequence where (0x20...0x3F).contains(byte):
      return nil
    case .sequence, .single:
      state = .plain
      switch byte {
      case UInt8(ascii: "A"): return .up
      case UInt8(ascii: "B"): return .down
      case UInt8(ascii: "C"): return .right
      case UInt8(ascii: "D"): return .left
      default: return nil
      }
    }
  }
}

/// A key of the keyboard that means something to `jukebox play`.
enum Key: Equatable {
  case playPause, next, previous, left, right, louder, softer, mute, quit

  init?(_ stroke: Stroke) {
    switch stroke {
    case .left: self = .left
    case .right: self = .right
    case .up, .down: return nil
    case .character(let byte):
      switch byte {
      case UInt8(ascii: " "): self = .playPause
      case UInt8(ascii: "n"), UInt8(ascii: "N"): self = .next
      case UInt8(ascii: "p"), UInt8(ascii: "P"): self = .previous
      case UInt8(ascii: "+"), UInt8(ascii: "="): self = .louder
      case UInt8(ascii: "-"), UInt8(ascii: "_"): self = .softer
      case UInt8(ascii: "m"), UInt8(ascii: "M"): self = .mute
      case UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x03, 0x04: self = .quit
      default: return nil
      }
    }
  }
}
