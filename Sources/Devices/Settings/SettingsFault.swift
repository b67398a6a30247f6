/// An entry of a settings file that has no effect, and what would.
public struct SettingsFault: Error, Hashable, Sendable, CustomStringConvertible {
  public var file: String
  public var place: Place
  /// Such as "press is 'nxet': allowed are …; did you mean next?"
  public var sentence: String

  /// As compilers write it: "jukebox.toml:12:9: …".
  public var description: String { "\(file):\(place.line):\(place.column): \(sentence)" }
}

/// The faults of one file, gathered while it is read.
final class SettingsFaults {
  let file: String
  private(set) var all: [SettingsFault] = []

  init(file: String) {
    self.file = file
  }

  func add(_ place: Place, _ sentence: String) {
    all.append(SettingsFault(file: file, place: place, sentence: sentence))
  }

  /// With the nearest of `allowed`, where one is near to what was found.
  func add(_ place: Place, _ sentence: String, nearest word: String, in allowed: [String]) {
    let near = nearestSpelling(to: word, in: allowed).map { "; did you mean \($0)?" } ?? ""
    add(place, sentence + near)
  }
}

/// What was written, in quotes, short, and without what could upset a terminal.
func quoted(_ text: String) -> String {
  let shown = text.unicodeScalars.prefix(40).map { scalar -> Character in
    scalar.properties.isWhitespace || scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      ? " " : Character(scalar)
  }
  return "'" + String(shown) + (text.unicodeScalars.count > 40 ? "…" : "") + "'"
}

/// "a, b and c".
func list(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " and " + last
}
