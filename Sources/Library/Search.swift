public import Jukebox

extension Catalogue {
  /// Tracks in which each of the words begins a word, whatever its case and accents; best first.
  ///
  /// Titles that begin with what was typed stand first, then titles with the words in them, then
  /// what has them in the names of artists, albums, composers, genres and files. Of very many that
  /// are alike so far, those found first are given.
  public func search(_ text: String, limit: Int = 50) throws(SQLiteError) -> [TrackID] {
    let words = Self.words(text)
    guard !words.isEmpty, limit > 0 else { return [] }
    var found: [Int64] = []
    var known: Set<Int64> = []
    func add(_ tracks: [Int64]) {
      for track in tracks where found.count < limit && known.insert(track).inserted {
        found.append(track)
      }
    }
    let isHere = "AND medium IN (SELECT id FROM medium WHERE isPresent)"
    let key = Folding.sortKey(text)
    let end = SQLValue.blob(key + [0xFF])
    if !key.isEmpty {
      add(
        try database.rows(
          "SELECT id FROM track WHERE state = 0 AND sort >= ? AND sort < ? \(isHere)"
            + " ORDER BY sort LIMIT ?", .blob(key), end, SQLValue(limit)
        ) { $0.integer(0) })
    }
    let all = words.map { "\"\($0)\"*" }.joined(separator: " ")
    for pattern in ["title : (\(all))", "{artist album} : (\(all))", all] {
      if found.count >= limit { break }
      add(
        try database.rows(
          """
          SELECT t.id FROM (SELECT rowid FROM search WHERE search MATCH ? LIMIT ?) s
          CROSS JOIN track t ON t.id = s.rowid WHERE t.state = 0
          AND t.medium IN (SELECT id FROM medium WHERE isPresent)
          """, .text(pattern), SQLValue(limit * 8)
        ) { $0.integer(0) })
    }
    return found.map { TrackID($0) }
  }

  /// The words as the index has them: letters and digits; no sign is left that a pattern gives a sense.
  private static func words(_ text: String) -> [String] {
    let scalars = text.unicodeScalars.split { scalar in
      !(scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || scalar.properties.generalCategory == .nonspacingMark)
    }
    return scalars.prefix(16).map { String(Substring($0).prefix(64)) }
  }
}
