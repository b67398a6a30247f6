/// Text on a terminal's screen: what it may hold, and how many columns it takes.

/// `text` on one line and without anything that a terminal would obey: controls become spaces,
/// and what turns the direction of writing is left out.
func printable(_ text: String) -> String {
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: result.append(" ")
    case .format where !joins(scalar): continue
    default: result.append(scalar)
    }
  }
  return String(result)
}

/// The columns that printable text takes: 0 for a combining mark, 2 for a wide character.
func displayWidth(_ text: some StringProtocol) -> Int {
  text.reduce(0) { $0 + displayWidth($1) }
}

/// The longest start of `text` that takes at most `columns`, with "…" if something is left out.
func fitted(_ text: String, columns: Int) -> String {
  guard displayWidth(text) > columns else { return text }
  guard columns > 0 else { return "" }
  var result = ""
  var width = 0
  for character in text {
    let next = displayWidth(character)
    if width + next > columns - 1 { break }
    result.append(character)
    width += next
  }
  return result + "…"
}

/// A character is as wide as its widest scalar: accents and joined emoji add nothing.
private func displayWidth(_ character: Character) -> Int {
  let isEmoji = character.unicodeScalars.contains { $0 == "\u{FE0F}" }
  let width = character.unicodeScalars.reduce(0) { max($0, displayWidth($1)) }
  return isEmoji ? max(2, width) : width
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format, .control: return 0
  default: return scalar.properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
  }
}

/// Zero width joiner and non-joiner, which shape the characters beside them.
private func joins(_ scalar: Unicode.Scalar) -> Bool {
  scalar == "\u{200C}" || scalar == "\u{200D}"
}

/// East Asian Wide and Fullwidth, by blocks (Unicode Standard Annex 11).
private func isWide(_ scalar: UInt32) -> Bool {
  switch scalar {
  case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
    0x1F200...0x1F2FF, 0x20000...0x3FFFD:
    true
  default: false
  }
}
