import Glibc
import Jukebox
import Library

/// Takes inputs as queries; the library is made beside the first.
func queries() -> (String, inout Mutator) -> String? {
  var library: Queries?
  return { path, random in
    if library == nil { library = Queries(String(path.dropLast("/input".count))) }
    return library.map { $0.take(bytes(path), &random) } ?? "no library can be made"
  }
}

/// Asks a library of tracks with nasty names, and compares with what a plain filter over all finds.
///
/// Inputs are taken as letters of an alphabet of quotes, signs, controls and a few letters, so that
/// random ones are often near what is there.
struct Queries {
  private let catalogue: Catalogue
  private let items: [LibraryItem]
  private static let alphabet = Array(
    "'\"`;%_\\-*(){}[]:^~,.\u{1}\u{7F}\t\n aAbBcC01é".unicodeScalars)

  init?(_ folder: String) {
    let root = Path(folder + "/music")
    var random = Mutator(seed: 7, number: 0)
    do {
      try root.makeFolders()
      for number in 0..<60 {
        func name(_ most: Int) -> [UInt8] {
          (0...random.below(most)).flatMap { _ in
            String(Self.alphabet[random.below(Self.alphabet.count)]).utf8
          }
        }
        var tags = ["TITLE", "ARTIST", "ALBUM", "COMPOSER", "GENRE", "COMMENT"].map { key in
          Array("\(key)=".utf8) + name(4)
        }
        tags.append(Array("DATE=\(1990 + random.below(4))".utf8))
        try root.appending(Path("\(number).flac")).write(Self.flac(tags, seconds: random.below(5)))
      }
      let library = Path(folder + "/library.db")
      catalogue = try Catalogue(library)
      let medium = try catalogue.arrived(MediumIdentity(uuid: "F", size: 1), at: root)
      try Scanner(library: library, medium: medium, root: root).scan()
      for (number, track) in try catalogue.tracks(Query()).enumerated() where number % 3 == 0 {
        try catalogue.rate(track, number % 5)
        try catalogue.played(track, at: Int64(number))
      }
      items = try catalogue.items(Query())
      guard items.count == 60 else { return nil }
    } catch {
      return nil
    }
  }

  /// Nil if all is well.
  func take(_ input: [UInt8], _ random: inout Mutator) -> String? {
    let alphabet = Self.alphabet
    let text = input.prefix(24).map { String(alphabet[Int($0) % alphabet.count]) }.joined()
    var predicates: [Query.Predicate] = []
    for _ in 0...random.below(3) {
      let property = Query.Property.allCases[random.below(Query.Property.allCases.count)]
      let comparison = property.comparisons[random.below(property.comparisons.count)]
      let start = text.index(text.startIndex, offsetBy: random.below(text.count + 1))
      var value = String(text[start...].prefix(random.below(4)))
      if property.isNumber, random.below(8) > 0 {
        value = "\(random.below(5) + [0, 1990][random.below(2)])"
      }
      if !property.values.isEmpty { value = property.values[random.below(property.values.count)] }
      predicates.append(Query.Predicate(property, comparison, value))
    }
    do {
      let query = Query(where: predicates)
      let plain = predicates.allSatisfy { Self.isPlain($0.property) }
      let found = Set(try catalogue.tracks(query))
      let expected = Set(
        items.filter { item in predicates.allSatisfy { Self.holds($0, item) } }.map(\.id))
      if plain, found != expected { return "\(predicates): \(found.count), not \(expected.count)" }
      guard try catalogue.total(query).count == found.count else { return "\(predicates): total" }
      for grouping in Query.Grouping.allCases {
        _ = try catalogue.collections(Query(grouping, where: predicates, limit: 5))
      }
      _ = try catalogue.search(text)
      _ = try catalogue.explain(query)
      return nil
    } catch {
      return "\(predicates): \(error)"
    }
  }

  /// What the filter here knows.
  private static func isPlain(_ property: Query.Property) -> Bool {
    ![.playlist, .folder, .file, .added, .medium, .played].contains(property)
  }

  private static func holds(_ predicate: Query.Predicate, _ item: LibraryItem) -> Bool {
    let tags = item.tags
    func text(_ texts: [String?]) -> Bool {
      texts.compactMap { $0 }.contains {
        compare(fold($0), predicate.comparison, fold(predicate.value))
      }
    }
    func number(_ number: Int?) -> Bool {
      guard let number, let value = Int(predicate.value) else { return false }
      return switch predicate.comparison {
      case .atLeast: number >= value
      case .atMost: number <= value
      default: number == value
      }
    }
    switch predicate.property {
    case .title: return text([tags.title])
    case .artist: return text([tags.artist])
    case .album: return text([tags.album])
    case .albumArtist: return text([item.albumArtist])
    case .composer: return text([tags.composer])
    case .genre:
      return text(tags.genres)
    case .comment: return text([tags.comment])
    case .codec: return text([item.sound?.codec])
    case .kind: return predicate.value == ["music", "podcast", "audiobook"][tags.kind.rawValue]
    case .compilation: return predicate.value == (tags.isCompilation ? "yes" : "no")
    case .year: return number(tags.year)
    case .length: return number(Int(item.length / .seconds(1)))
    case .rating: return number(item.usage.rating)
    case .plays: return number(item.usage.plays)
    case .skips: return number(item.usage.skips)
    case .playlist, .folder, .file, .added, .medium, .played: return true
    }
  }

  private static func compare(
    _ text: [UInt8], _ comparison: Query.Comparison, _ value: [UInt8]
  ) -> Bool {
    switch comparison {
    case .beginsWith: text.starts(with: value)
    case .contains: text.indices.contains { text[$0...].starts(with: value) } || value.isEmpty
    case .equals, .atLeast, .atMost: text == value
    }
  }

  /// For the alphabet alone: small letters, no accents, blanks in a row as one and none at the ends.
  private static func fold(_ text: String) -> [UInt8] {
    let plain = text.unicodeScalars.filter { $0 != "\u{301}" }.map { $0 == "é" ? "e" : $0 }
    return plain.split { "\t\n\r ".unicodeScalars.contains($0) }
      .map { $0.map { String($0).lowercased() }.joined() }.joined(separator: " ").utf8.map { $0 }
  }

  /// A FLAC file with comments and no sound (RFC 9639, sections 8.2 and 8.6).
  private static func flac(_ tags: [[UInt8]], seconds: Int) -> [UInt8] {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let sound = UInt64(44100) << 44 | 1 << 41 | 15 << 36 | UInt64(seconds * 44100)
    let information =
      [16, 0, 16, 0] + [UInt8](repeating: 0, count: 6)
      + (0..<8).map { UInt8(truncatingIfNeeded: sound >> (56 - 8 * $0)) }
      + [UInt8](repeating: 0, count: 16)
    let comments =
      bytes(0, 4) + bytes(tags.count, 4) + tags.flatMap { bytes($0.count, 4) + $0 }
    return Array("fLaC".utf8) + [0, 0, 0, 34] + information + [0x84]
      + bytes(comments.count, 3).reversed() + comments + [0xFF, 0xF8, 0x69, 0x18]
  }
}
