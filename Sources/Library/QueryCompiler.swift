internal import Jukebox

/// A query as SQL, in which every value is bound and none is written.
struct CompiledQuery: Equatable {
  private(set) var sql = ""
  private(set) var values: [SQLValue] = []
  /// Whether each entry of a playlist counts, where others count each track once.
  private var goesThroughEntries = false
  private var medium: Int64?

  /// Columns: the tracks' numbers, in order. `medium` is the one that is here, if it is one alone.
  static func tracks(_ query: Query, medium: Int64? = nil) -> CompiledQuery {
    var compiled = CompiledQuery()
    compiled.medium = query.includesAway ? nil : medium
    let order = TrackOrder(query)
    compiled.goesThroughEntries = order.goesThroughEntries
    let conditions = compiled.conditions(query)
    compiled.sql =
      "SELECT t.id FROM track t" + order.joins + " WHERE " + conditions + " ORDER BY "
      + order.sql
    compiled.limit(query)
    return compiled
  }

  /// Columns: how many tracks, and their length in milliseconds together.
  static func total(_ query: Query) -> CompiledQuery {
    var compiled = CompiledQuery()
    if let kinds = kinds(query) {
      compiled.sql =
        "SELECT total(count), total(length) FROM collection WHERE role = 0 AND sort = x''"
        + " AND \(kinds)" + compiled.presence(query, column: "medium")
      return compiled
    }
    let conditions = compiled.conditions(query)
    compiled.sql = "SELECT count(*), total(t.length) FROM track t WHERE " + conditions
    return compiled
  }

  /// Columns: number, title, detail, year, count, length in milliseconds, a track's number.
  ///
  /// Where one medium alone is here, `medium`, there is nothing to sum up over media.
  static func collections(_ query: Query, medium: Int64? = nil) -> CompiledQuery {
    var compiled = CompiledQuery()
    var query = query
    if query.grouping == .podcast {
      query.grouping = .album
      query.predicates.append(Query.Predicate(.kind, .equals, "podcast"))
    }
    if query.grouping == .playlist {
      compiled.playlists(query)
    } else if let kinds = kinds(query), let role = role(query.grouping), let medium,
      !query.predicates.isEmpty, !query.includesAway
    {
      compiled.sql =
        """
        SELECT member, title, detail, year, count, length, track FROM collection
        WHERE role = \(role.rawValue) AND \(kinds) AND medium = ?
        ORDER BY \(order(query, sort: "sort")), member
        """
      compiled.values = [.integer(medium)]
    } else if let kinds = kinds(query), let role = role(query.grouping) {
      compiled.sql =
        """
        SELECT member, title, detail, year, sum(count), sum(length), min(track) FROM collection
        WHERE role = \(role.rawValue) AND \(kinds)\(compiled.presence(query, column: "medium"))
        GROUP BY sort, member ORDER BY \(order(query, sort: "sort")), member
        """
    } else {
      compiled.filtered(query)
    }
    compiled.limit(query)
    return compiled
  }

  private static func role(_ grouping: Query.Grouping) -> Collections.Role? {
    switch grouping {
    case .artist: .artist
    case .albumArtist: .albumArtist
    case .composer: .composer
    case .genre: .genre
    case .album, .podcast: .album
    case .year: .year
    case .folder: .folder
    case .title, .playlist: nil
    }
  }

  /// A condition on `collection` for a query that asks for no more than the kinds of tracks.
  private static func kinds(_ query: Query) -> String? {
    var conditions = ["1"]
    for predicate in query.predicates {
      guard predicate.property == .kind, predicate.comparison == .equals else { return nil }
      conditions.append("kind = \(kind(predicate.value)?.rawValue ?? -1)")
    }
    return conditions.joined(separator: " AND ")
  }

  private static func kind(_ word: String) -> Tags.Kind? {
    switch Folding.fold(word) {
    case "music": .music
    case "podcast": .podcast
    case "audiobook": .audiobook
    default: nil
    }
  }

  /// By column 4, the year, or by name.
  private static func order(_ query: Query, sort: String) -> String {
    let isDescending = query.order.first?.isDescending ?? false
    return query.order.first?.property == .year
      ? "4 \(isDescending ? "DESC" : "ASC"), \(sort)" : isDescending ? "\(sort) DESC" : sort
  }

  private mutating func filtered(_ query: Query) {
    let conditions = conditions(query)
    let sums = "count(*), sum(t.length), min(t.id)"
    let head: String
    var sort = "g.sort"
    switch query.grouping {
    case .artist, .albumArtist, .composer:
      let column = query.grouping.column
      head = "g.id, g.text, '', NULL, \(sums) FROM track t JOIN name g ON g.id = t.\(column)"
    case .genre:
      head =
        "g.id, g.text, '', NULL, \(sums) FROM track t JOIN genre x ON x.track = t.id"
        + " JOIN name g ON g.id = x.name"
    case .year:
      head = "t.year, t.year, '', t.year, \(sums) FROM track t"
      sort = "t.year"
    case .folder:
      head = "g.id, g.path, '', NULL, \(sums) FROM track t JOIN folder g ON g.id = t.folder"
      sort = "g.path"
    case .album, .podcast, .title, .playlist:
      head =
        "g.id, g.title, n.text, g.year, \(sums) FROM track t JOIN album g ON g.id = t.album"
        + " LEFT JOIN name n ON n.id = g.artist"
    }
    let group = query.grouping == .year ? "t.year" : "g.id"
    let known = query.grouping == .year ? " AND t.year IS NOT NULL" : ""
    sql =
      "SELECT \(head) WHERE \(conditions)\(known) GROUP BY \(group)"
      + " ORDER BY \(Self.order(query, sort: sort)), 1"
  }

  /// Playlists by their own names; a filter is on the tracks that they name.
  private mutating func playlists(_ query: Query) {
    let conditions = query.predicates.isEmpty ? "" : " AND " + conditions(query)
    sql =
      """
      SELECT p.id, p.title, '', NULL, count(t.id), total(t.length), min(t.id)
      FROM playlist p LEFT JOIN entry e ON e.playlist = p.id
        LEFT JOIN track t ON t.id = e.track AND t.state < 2\(conditions)
      WHERE (p.file IS NULL OR p.file NOT LIKE '%.cue')
        AND (p.medium IS NULL\(query.includesAway ? " OR 1" : ""
          ) OR p.medium IN (SELECT id FROM medium WHERE isPresent))
      GROUP BY p.id\(query.predicates.isEmpty ? "" : " HAVING count(t.id)")
      ORDER BY \(Self.order(query, sort: "p.sort")), p.id
      """
  }

  // MARK: - Conditions

  private func presence(_ query: Query, column: String) -> String {
    query.includesAway ? "" : " AND \(column) IN (SELECT id FROM medium WHERE isPresent)"
  }

  private mutating func conditions(_ query: Query) -> String {
    var conditions = ["t.state = 0"]
    if let medium {
      values.append(.integer(medium))
      conditions.append("t.medium = ?")
    } else {
      conditions[0] += presence(query, column: "t.medium")
    }
    for predicate in query.predicates { conditions.append(condition(predicate)) }
    return conditions.joined(separator: " AND ")
  }

  private mutating func condition(_ predicate: Query.Predicate) -> String {
    guard predicate.property.comparisons.contains(predicate.comparison) else { return "0" }
    switch predicate.property {
    case .artist, .albumArtist, .composer:
      let role = predicate.property.role.rawValue
      let names = compare("folded", predicate, role: role)
      return "t.\(predicate.property.column) IN (SELECT id FROM name WHERE \(names))"
    case .genre:
      let names = compare("folded", predicate, role: Collections.Role.genre.rawValue)
      return """
        t.id IN (SELECT track FROM genre WHERE name IN (SELECT id FROM name WHERE \(names)))
        """
    case .album:
      return "t.album IN (SELECT id FROM album WHERE \(compare("folded", predicate)))"
    case .title: return compare("folded(t.title)", predicate)
    case .comment: return compare("folded(t.comment)", predicate)
    case .codec: return compare("folded(t.codec)", predicate)
    case .file: return compare("folded(CAST(t.file AS TEXT))", predicate)
    case .folder:
      let path = compare("folded(CAST(path AS TEXT))", predicate)
      return "t.folder IN (SELECT id FROM folder WHERE \(path))"
    case .playlist:
      let title = compare("folded(p.title)", predicate)
      if goesThroughEntries { return title }
      return """
        t.id IN (SELECT e.track FROM playlist p JOIN entry e ON e.playlist = p.id WHERE \(title))
        """
    case .kind:
      return "t.kind = \(Self.kind(predicate.value)?.rawValue ?? -1)"
    case .compilation:
      let word = Folding.fold(predicate.value)
      return word == "yes" ? "t.isCompilation = 1" : word == "no" ? "t.isCompilation IS NOT 1" : "0"
    case .year: return number("t.year", predicate)
    case .medium: return number("t.medium", predicate)
    case .length: return number("t.length / 1000", predicate)
    case .added: return number("t.added", predicate)
    case .rating, .plays, .skips, .played:
      let column = predicate.property.column
      let used = number(column, predicate)
      // Tracks of which nothing is known were never played.
      let unused = predicate.property == .plays || predicate.property == .skips
      return "(t.id IN (SELECT track FROM usage WHERE \(used))"
        + (unused && Self.accepts(0, predicate)
          ? " OR t.id NOT IN (SELECT track FROM usage))" : ")")
    }
  }

  /// A text that is folded already, against the predicate's value.
  private mutating func compare(
    _ folded: String, _ predicate: Query.Predicate, role: Int? = nil
  ) -> String {
    let value = Folding.fold(predicate.value)
    let prefix = role.map { "role = \($0) AND " } ?? ""
    switch predicate.comparison {
    case .contains:
      values.append(.text(value))
      return prefix + "instr(\(folded), ?) > 0"
    case .beginsWith:
      values += [.text(value), .text(value + "\u{10FFFF}")]
      return prefix + "\(folded) >= ? AND \(folded) < ?"
    case .equals, .atLeast, .atMost:
      values.append(.text(value))
      return prefix + "\(folded) = ?"
    }
  }

  private mutating func number(_ column: String, _ predicate: Query.Predicate) -> String {
    guard let number = Int64(predicate.value) else { return "0" }
    values.append(.integer(number))
    switch predicate.comparison {
    case .atLeast: return "\(column) >= ?"
    case .atMost: return "\(column) <= ?"
    case .equals, .contains, .beginsWith: return "\(column) = ?"
    }
  }

  private static func accepts(_ number: Int64, _ predicate: Query.Predicate) -> Bool {
    guard let value = Int64(predicate.value) else { return false }
    switch predicate.comparison {
    case .atLeast: return number >= value
    case .atMost: return number <= value
    case .equals, .contains, .beginsWith: return number == value
    }
  }

  /// Has SQLite say how it would go about it.
  mutating func explain() {
    sql = "EXPLAIN QUERY PLAN " + sql
  }

  private mutating func limit(_ query: Query) {
    guard query.limit != nil || query.offset > 0 else { return }
    sql += " LIMIT ? OFFSET ?"
    values += [.integer(Int64(query.limit ?? -1)), .integer(Int64(max(0, query.offset)))]
  }
}

/// The order that a query's tracks stand in, and the tables it needs.
private struct TrackOrder {
  private(set) var sql = ""
  private(set) var joins = ""
  private(set) var goesThroughEntries = false

  private static let album = " LEFT JOIN album a ON a.id = t.album"
  private static let usage = " LEFT JOIN usage u ON u.track = t.id"
  private static let folder = " JOIN folder f ON f.id = t.folder"

  init(_ query: Query) {
    var terms: [String] = []
    for order in query.order where order.property.canOrder {
      let term = term(order.property)
      terms.append(term + (order.isDescending ? " DESC" : ""))
    }
    if terms.isEmpty { terms = natural(query) }
    // A list by title is as its index has it, in which ties stand by number; nothing is sorted.
    sql = (terms == ["t.sort"] ? ["t.sort", "t.medium", "t.kind"] : terms + ["t.id"])
      .joined(separator: ", ")
  }

  /// A playlist's own; by album, disc and number where something is asked for; else by title.
  private mutating func natural(_ query: Query) -> [String] {
    let pinned = query.predicates.filter { $0.comparison == .equals }.map(\.property)
    if pinned.contains(.playlist) {
      goesThroughEntries = true
      join(" JOIN entry e ON e.track = t.id JOIN playlist p ON p.id = e.playlist")
      return ["p.sort", "p.id", "e.place"]
    }
    let gathered: Set<Query.Property> = [.artist, .album, .albumArtist, .composer, .genre]
    if pinned.contains(where: gathered.contains) {
      join(Self.album)
      return ["a.sort", "t.album", "t.disc", "t.number", "t.start", "t.sort"]
    }
    if query.predicates.contains(where: { $0.property == .folder }) {
      join(Self.folder)
      return ["f.path", "t.disc", "t.number", "t.start", "t.sort"]
    }
    return ["t.sort"]
  }

  private mutating func term(_ property: Query.Property) -> String {
    switch property {
    case .title: return "t.sort"
    case .artist:
      join(" LEFT JOIN name r ON r.id = t.artist")
      return "r.sort"
    case .albumArtist:
      join(" LEFT JOIN name b ON b.id = t.albumArtist")
      return "b.sort"
    case .composer:
      join(" LEFT JOIN name c ON c.id = t.composer")
      return "c.sort"
    case .album:
      join(Self.album)
      return "a.sort"
    case .folder:
      join(Self.folder)
      return "f.path"
    case .file: return "t.file"
    case .codec: return "t.codec"
    case .year: return "t.year"
    case .length: return "t.length"
    case .added: return "t.added"
    case .rating, .plays, .skips, .played:
      join(Self.usage)
      return "u.\(property.column)"
    case .genre, .kind, .compilation, .comment, .medium, .playlist: return "t.sort"
    }
  }

  private mutating func join(_ join: String) {
    if !joins.contains(join) { joins += join }
  }
}

extension Query.Property {
  /// Its column in `track` or `usage`.
  fileprivate var column: String {
    switch self {
    case .artist: "artist"
    case .albumArtist: "albumArtist"
    case .composer: "composer"
    case .rating: "rating"
    case .plays: "plays"
    case .skips: "skips"
    case .played: "played"
    default: name
    }
  }

  fileprivate var role: Collections.Role {
    switch self {
    case .albumArtist: .albumArtist
    case .composer: .composer
    case .genre: .genre
    default: .artist
    }
  }
}

extension Query.Grouping {
  fileprivate var column: String {
    switch self {
    case .albumArtist: "albumArtist"
    case .composer: "composer"
    default: "artist"
    }
  }
}
