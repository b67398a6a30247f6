internal import CTagLib

/// Genres as tags spell them: names, ID3v1 numbers, several in one text.
enum Genres {
  /// "(9)Prog", "17", "(RX)", "Rock; Pop": each by its name, and none twice.
  static func names(in texts: [String]) -> [String] {
    var names: [String] = []
    func add(_ name: some StringProtocol) {
      let name = String(name.trimming { $0.isWhitespace })
      if !name.isEmpty, !names.contains(name) { names.append(name) }
    }
    for text in texts {
      // Most are mere names.
      if text.utf8.count > 2, text.utf8.allSatisfy({ ($0 | 0x20) &- 0x61 < 26 }) {
        if !names.contains(text) { names.append(text) }
        continue
      }
      for part in text.split(whereSeparator: { $0 == ";" || $0 == "\0" }) {
        var rest = part.drop { $0.isWhitespace }
        // Numbers in brackets; two opening ones stand for a bracket in the name (ID3v2.3, TCON).
        while rest.first == "(", let end = rest.firstIndex(of: ")"),
          let name = name(of: rest[rest.index(after: rest.startIndex)..<end])
        {
          add(name)
          rest = rest[rest.index(after: end)...]
        }
        if rest.hasPrefix("((") { rest = rest.dropFirst() }
        add(name(of: rest) ?? String(rest))
      }
    }
    return names
  }

  /// Of an ID3v1 number (of 0 to 255), or of ID3v2's "RX" and "CR".
  private static func name(of reference: Substring) -> String? {
    if reference == "RX" { return "Remix" }
    if reference == "CR" { return "Cover" }
    guard reference.utf8.allSatisfy({ (0x30...0x39).contains($0) }), reference.utf8.count <= 3,
      let number = Int32(reference), let name = unsafe ctaglib_genre(number)
    else { return nil }
    let text = unsafe String(cString: name)
    return text.isEmpty ? nil : text
  }

  /// What files of these genres are to a listener.
  static func kind(_ genres: [String]) -> Tags.Kind {
    var kind = Tags.Kind.music
    for genre in genres {
      switch Folding.fold(genre) {
      case "podcast": return .podcast
      case "audiobook", "audiobooks", "audio book", "horbuch", "horspiel": kind = .audiobook
      default: break
      }
    }
    return kind
  }
}
