/// What the folders that a file is in tell of it, for files without tags.
///
/// "Artist/1999 - Album/CD1/03 - Title.mp3" and its kin: "Artist/Album (1999)/03 Title",
/// "Artist - Album/03 Title", "Artist - 1999 - Album [FLAC]/...", "Artist - Title" in no such folder.
struct NamedPath: Equatable {
  private(set) var artist: String?
  private(set) var album: String?
  private(set) var year: Int?
  private(set) var disc: Int?
  /// Differs from the file's name where that has the artist in it.
  private(set) var title: String

  /// - Parameter path: seen from the medium's root.
  init(_ path: Path) {
    var folders = path.parent.bytes.split(separator: UInt8(ascii: "/"))
      .map { Self.tidy(Path($0).description) }.filter { $0 != "." }
    if let last = folders.last, let disc = Self.disc(last) {
      self.disc = disc
      folders.removeLast()
    }
    title = NamedTitle(stem: path.stem.description).title
    if let folder = folders.popLast() {
      readAlbum(folder, in: folders.last)
    }
    if let (first, rest) = Self.cut(title) {
      // "Artist - Title": only where it says nothing against what the folders say.
      if artist == nil || artist.map(Folding.fold) == Folding.fold(first) {
        artist = artist ?? first
        title = rest
      }
    }
  }

  private mutating func readAlbum(_ folder: String, in parent: String?) {
    let (name, year) = Self.withoutYear(folder)
    self.year = year
    guard let parent else {
      // One folder deep: "Artist - Album", else the artist's name or a mere heap of music.
      if let (first, rest) = Self.cut(name) {
        artist = first
        (album, self.year) = (Self.withoutYear(rest).name, year ?? Self.withoutYear(rest).year)
      } else if year != nil {
        album = name
      } else {
        artist = name
      }
      return
    }
    artist = Self.withoutYear(parent).name
    if let (first, rest) = Self.cut(name), let artist, Folding.fold(first) == Folding.fold(artist) {
      let (plain, inner) = Self.withoutYear(rest)
      (album, self.year) = (plain, year ?? inner)
    } else {
      album = name
    }
  }

  /// The number of "CD1", "Disc 2", "cd_03".
  static func disc(_ folder: String) -> Int? {
    let name = Folding.fold(folder)
    for word in ["cd", "disc", "disk", "dvd", "lp"] where name.hasPrefix(word) {
      let rest = name.dropFirst(word.count).drop { " _-.#".contains($0) }
      let digits = rest.prefix { ("0"..."9").contains($0) }
      guard !digits.isEmpty, digits.count <= 2, let number = Int(digits), number > 0,
        rest.dropFirst(digits.count).first.map({ !$0.isLetter }) ?? true
      else { return nil }
      return number
    }
    return nil
  }

  /// "1999 - Album", "(1999) Album", "Album (1999)", "Album [1999]", and without a "[FLAC]" after it.
  private static func withoutYear(_ name: String) -> (name: String, year: Int?) {
    var name = name[...]
    var year: Int?
    while let last = name.last, last == "]" || last == ")",
      let open = name.lastIndex(of: last == "]" ? "[" : "("), open > name.startIndex
    {
      let inside = name[name.index(after: open)...].dropLast()
      let isYear = Self.year(inside) != nil
      guard isYear || last == "]" else { break }
      year = year ?? Self.year(inside)
      name = name[..<open].trimmingLast { $0 == " " }
    }
    let opening = name.first == "(" || name.first == "["
    let digits = name.dropFirst(opening ? 1 : 0).prefix(4)
    if year == nil, let found = Self.year(digits) {
      let rest = name.dropFirst(4 + (opening ? 2 : 0)).drop { " -_.".contains($0) }
      let isApart = opening || name.dropFirst(4).first.map { " -_.".contains($0) } ?? false
      if isApart, !rest.isEmpty { return (String(rest), found) }
    }
    return (String(name), year)
  }

  private static func year(_ text: Substring) -> Int? {
    guard text.count == 4, text.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    return Int(text).flatMap { (1800...2199).contains($0) ? $0 : nil }
  }

  /// The two sides of the first " - ".
  private static func cut(_ text: String) -> (String, String)? {
    var rest = text[...]
    while let dash = rest.firstIndex(of: "-") {
      let (before, after) = (text[..<dash], text[text.index(after: dash)...])
      if before.last == " ", after.first == " " {
        let parts = [before, after].map { String($0.trimming { $0 == " " }) }
        return parts.contains("") ? nil : (parts[0], parts[1])
      }
      rest = after
    }
    return nil
  }

  private static func tidy(_ name: String) -> String {
    let trimmed = name.trimming { $0 == " " }
    return trimmed.contains(" ") ? String(trimmed) : String(trimmed.map { $0 == "_" ? " " : $0 })
  }
}

extension Tags {
  /// Fills in what the path, seen from the medium's root, tells where no tag says what it is.
  mutating func fill(fromPath path: Path) {
    if isSilent {
      let named = NamedPath(path)
      artist = named.artist
      album = named.album
      title = named.title
      disc = disc ?? named.disc
      date = date ?? named.year.map { String($0) }
    }
    fill(fromNameOf: path)
  }
}
