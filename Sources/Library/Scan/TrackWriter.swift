/// Writes tracks, and with each what hangs on it: names, albums, genres, collections, search.
///
/// To be used inside a transaction, and `flush` called before its end. Belongs to its database's thread.
final class TrackWriter {
  private let database: Database
  private var collections = Collections()
  private var names: [NameKey: Int64] = [:]
  private var albums: [AlbumKey: Int64] = [:]
  private var labels: [Collections.Membership: Collections.Label] = [:]

  private struct NameKey: Hashable {
    var role: Collections.Role
    var text: String
  }

  private struct AlbumKey: Hashable {
    var title: String
    var artist: Int64
    var place: String
  }

  /// Names kept in memory at most.
  private static let mostNames = 20_000

  private let insertion: Statement
  private let update: Statement
  private let indexing: Statement
  private let genreInsertion: Statement
  private let lookup: Statement

  init(_ database: Database) throws(SQLiteError) {
    self.database = database
    insertion = try database.prepare(
      """
      INSERT INTO track (medium, folder, file, start, stop, sheet, state, isRead, size, modified,
        added, kind, title, sort, length)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, ?10, 0, ?11, ?12, 0)
      """)
    update = try database.prepare(
      """
      UPDATE track SET isRead = 1, year = ?2, reason = ?3, size = ?4, modified = ?5,
        fingerprint = ?6, kind = ?7, title = ?8, sort = ?9, artist = ?10, albumArtist = ?11,
        composer = ?12, album = ?13, genres = ?14, date = ?15, number = ?16,
        total = ?17, disc = ?18, discs = ?19, isCompilation = ?20, comment = ?21, hasLyrics = ?22,
        bpm = ?23, hasPicture = ?24, trackGain = ?25, trackPeak = ?26, albumGain = ?27,
        albumPeak = ?28, codec = ?29, length = ?30, frames = ?31, rate = ?32, channels = ?33,
        bits = ?34, bitrate = ?35, delay = ?36, padding = ?37
      WHERE id = ?1
      """)
    indexing = try database.prepare(
      """
      INSERT INTO search (rowid, title, artist, album, composer, genre, file)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    genreInsertion = try database.prepare("INSERT OR IGNORE INTO genre VALUES (?1, ?2)")
    lookup = try database.prepare(
      """
      SELECT isRead, medium, folder, kind, artist, albumArtist, composer, album, genres, year,
        length, title, file
      FROM track WHERE id = ? AND state = 0
      """)
  }

  /// Where a track is.
  struct Place {
    var medium: Int
    var folder: Int64
    var file: [UInt8]
    /// In 1/75 s; below 0 for a whole file.
    var start = -1
    var stop: Int?
    var sheet: Int64?
  }

  /// Writes down a file of which only the name is known; gives its number.
  func insert(
    _ place: Place, size: Int, modified: Int64, isMusic: Bool, now: Int64
  ) throws(SQLiteError) -> Int64 {
    let title = NamedTitle(stem: Path(place.file).stem.description).title
    insertion.bind(Int64(place.medium), at: 1)
    insertion.bind(place.folder, at: 2)
    insertion.bind(place.file, at: 3)
    insertion.bind(place.start, at: 4)
    insertion.bind(place.stop, at: 5)
    insertion.bind(place.sheet, at: 6)
    insertion.bind(isMusic ? 0 : TrackRecord.State.noMusic.rawValue, at: 7)
    insertion.bind(size, at: 8)
    insertion.bind(modified, at: 9)
    insertion.bind(now, at: 10)
    insertion.bind(title, at: 11)
    insertion.bind(Folding.sortKey(title), at: 12)
    try insertion.run()
    let track = database.lastInsertedRow
    if isMusic {
      collections.add(
        track, length: 0, to: keys(kind: 0, medium: place.medium, folder: place.folder))
    }
    return track
  }

  /// Writes down what a look into the file has told.
  func write(_ record: TrackRecord, of track: Int64, at place: Place) throws(SQLiteError) {
    let wasListed = try withdraw(track)
    let tags = record.tags
    let title = tags.title ?? ""
    let year = tags.year
    let artist = try name(.artist, tags.artist, sort: tags.sortNames.artist)
    let albumArtist = try name(
      .albumArtist, record.albumArtist,
      sort: tags.sortNames.albumArtist
        ?? (record.albumArtist == tags.artist ? tags.sortNames.artist : nil))
    let composer = try name(.composer, tags.composer, sort: tags.sortNames.composer)
    let album = try self.album(record, artist: albumArtist)
    var genres: [Int64] = []
    for genre in tags.genres {
      if let genre = try name(.genre, genre, sort: nil) { genres.append(genre) }
    }
    bind(record, title: title)
    update.bind(track, at: 1)
    update.bind(year, at: 2)
    update.bind(artist, at: 10)
    update.bind(albumArtist, at: 11)
    update.bind(composer, at: 12)
    update.bind(album, at: 13)
    update.bind(
      genres.isEmpty ? nil : genres.map { String($0) }.joined(separator: ","), at: 14)
    try update.run()
    // Apart and seldom, since each index that depends on the state is written again for it.
    if !wasListed || record.state != .listed {
      try database.run(
        "UPDATE track SET state = ? WHERE id = ?", SQLValue(record.state.rawValue),
        .integer(track))
    }
    guard record.state == .listed else { return }
    for genre in genres {
      genreInsertion.bind(genre, at: 1)
      genreInsertion.bind(track, at: 2)
      try genreInsertion.run()
    }
    indexing.bind(track, at: 1)
    indexing.bind(title, at: 2)
    indexing.bind(Self.searchable(tags.artist, record.albumArtist), at: 3)
    indexing.bind(tags.album ?? "", at: 4)
    indexing.bind(tags.composer ?? "", at: 5)
    indexing.bind(tags.genres.joined(separator: " "), at: 6)
    indexing.bind(Path(place.file).stem.description, at: 7)
    try indexing.run()
    collections.add(
      track, length: record.length,
      to: keys(
        kind: tags.kind.rawValue, medium: place.medium, folder: place.folder, artist: artist,
        albumArtist: albumArtist, composer: composer, album: album, genres: genres, year: year))
  }

  private func bind(_ record: TrackRecord, title: String) {
    let tags = record.tags
    update.bind(record.reason, at: 3)
    update.bind(record.size, at: 4)
    update.bind(record.modified, at: 5)
    update.bind(record.fingerprint, at: 6)
    update.bind(tags.kind.rawValue, at: 7)
    update.bind(title, at: 8)
    update.bind(Folding.sortKey(tags.sortNames.title ?? title), at: 9)
    update.bind(tags.date, at: 15)
    update.bind(tags.track, at: 16)
    update.bind(tags.trackTotal, at: 17)
    update.bind(tags.disc, at: 18)
    update.bind(tags.discTotal, at: 19)
    update.bind(tags.isCompilation ? 1 : 0, at: 20)
    update.bind(tags.comment, at: 21)
    update.bind(tags.hasLyrics ? 1 : 0, at: 22)
    update.bind(tags.beatsPerMinute, at: 23)
    update.bind(tags.hasPicture ? 1 : 0, at: 24)
    update.bind(tags.replayGain.track?.gain, at: 25)
    update.bind(tags.replayGain.track?.peak, at: 26)
    update.bind(tags.replayGain.album?.gain, at: 27)
    update.bind(tags.replayGain.album?.peak, at: 28)
    update.bind(record.sound?.codec, at: 29)
    update.bind(record.length, at: 30)
    update.bind(record.sound?.frames, at: 31)
    update.bind(record.sound?.rate, at: 32)
    update.bind(record.sound?.channels, at: 33)
    update.bind(record.sound?.bits, at: 34)
    update.bind(record.sound?.bitrate, at: 35)
    update.bind(record.sound?.delay, at: 36)
    update.bind(record.sound?.padding, at: 37)
  }

  /// Takes a track off the lists; the row stays, and with it what people know of it.
  func leave(_ track: Int64) throws(SQLiteError) {
    try withdraw(track)
    try database.run("UPDATE track SET state = 3 WHERE id = ?", .integer(track))
  }

  /// Lists a track again that has only its name; it is to be read again.
  func renew(_ track: Int64, size: Int, modified: Int64, isMusic: Bool) throws(SQLiteError) {
    try withdraw(track)
    try database.run(
      """
      UPDATE track SET state = ?2, isRead = 0, size = ?3, modified = ?4, reason = NULL,
        artist = NULL, albumArtist = NULL, composer = NULL, album = NULL, genres = NULL,
        year = NULL, length = 0, kind = 0
      WHERE id = ?1
      """, .integer(track), SQLValue(isMusic ? 0 : TrackRecord.State.noMusic.rawValue),
      SQLValue(size), .integer(modified))
    if isMusic { try enlist(track) }
  }

  /// Gives the new file `found` the number, and so all that is known, of the lost one `lost`.
  ///
  /// What people did with it since it was found is kept too.
  func join(_ found: Int64, with lost: Int64, at place: Place) throws(SQLiteError) {
    try withdraw(found)
    try database.run("DELETE FROM track WHERE id = ?", .integer(found))
    try database.run(
      """
      INSERT INTO usage (track, rating, plays, skips, played, resume)
      SELECT ?2, rating, plays, skips, played, resume FROM usage WHERE track = ?1
      ON CONFLICT (track) DO UPDATE SET rating = ifnull(excluded.rating, rating),
        plays = plays + excluded.plays, skips = skips + excluded.skips,
        played = ifnull(excluded.played, played), resume = ifnull(excluded.resume, resume)
      """, .integer(found), .integer(lost))
    try database.run("DELETE FROM usage WHERE track = ?", .integer(found))
    try database.run(
      "UPDATE entry SET track = ?2 WHERE track = ?1", .integer(found), .integer(lost))
    try database.run(
      """
      UPDATE track SET medium = ?2, folder = ?3, file = ?4, state = 2, isRead = 0 WHERE id = ?1
      """, .integer(lost), SQLValue(place.medium), .integer(place.folder), .blob(place.file))
  }

  /// Deletes a track and all that is known of it.
  func delete(_ track: Int64) throws(SQLiteError) {
    try withdraw(track)
    try database.run("DELETE FROM track WHERE id = ?", .integer(track))
    try database.run("DELETE FROM usage WHERE track = ?", .integer(track))
    try database.run("UPDATE entry SET track = NULL WHERE track = ?", .integer(track))
  }

  /// Writes the collections' changes; before the transaction's end.
  func flush() throws(SQLiteError) {
    try collections.flush(database) { membership throws(SQLiteError) in
      try self.label(membership)
    }
    if names.count > Self.mostNames { names.removeAll() }
    if albums.count > Self.mostNames { albums.removeAll() }
    if labels.count > Self.mostNames { labels.removeAll() }
  }

  /// Forgets what was to be flushed, after the transaction failed.
  func forget() {
    collections = Collections()
    names.removeAll()
    albums.removeAll()
    labels.removeAll()
  }

  // MARK: - What hangs on a track

  private func keys(
    kind: Int, medium: Int, folder: Int64, artist: Int64? = nil, albumArtist: Int64? = nil,
    composer: Int64? = nil, album: Int64? = nil, genres: [Int64] = [], year: Int? = nil
  ) -> [Collections.Key] {
    var keys: [Collections.Key] = []
    keys.reserveCapacity(7 + genres.count)
    func add(_ role: Collections.Role, _ member: Int64?) {
      guard let member else { return }
      keys.append(
        Collections.Key(
          membership: Collections.Membership(role: role, member: member), kind: kind,
          medium: medium))
    }
    add(.all, 0)
    add(.folder, folder)
    add(.artist, artist)
    add(.albumArtist, albumArtist)
    add(.composer, composer)
    add(.album, album)
    for genre in genres { add(.genre, genre) }
    add(.year, year.map(Int64.init))
    return keys
  }

  /// Puts a listed track that has only its name into its collections.
  private func enlist(_ track: Int64) throws(SQLiteError) {
    let place = try database.row(
      "SELECT medium, folder FROM track WHERE id = ?", .integer(track)
    ) { ($0.int(0), $0.integer(1)) }
    guard let place else { return }
    collections.add(track, length: 0, to: keys(kind: 0, medium: place.0, folder: place.1))
  }

  /// Takes a track out of collections, genres and search, by what its row says; the row stays.
  ///
  /// - Returns: whether it was listed.
  @discardableResult
  private func withdraw(_ track: Int64) throws(SQLiteError) -> Bool {
    let row = lookup
    row.bind(track, at: 1)
    guard try row.step() else { return false }
    defer { row.reset() }
    func number(_ column: Int32) -> Int64? { row.isNull(column) ? nil : row.integer(column) }
    guard row.int(0) != 0 else {
      collections.remove(
        track, length: 0, from: keys(kind: 0, medium: row.int(1), folder: row.integer(2)))
      return true
    }
    let genres = row.text(8).split(separator: ",").compactMap { Int64($0) }
    collections.remove(
      track, length: row.int(10),
      from: keys(
        kind: row.int(3), medium: row.int(1), folder: row.integer(2), artist: number(4),
        albumArtist: number(5), composer: number(6), album: number(7), genres: genres,
        year: row.optionalInt(9)))
    var genreNames: [String] = []
    for genre in genres {
      try database.run(
        "DELETE FROM genre WHERE name = ? AND track = ?", .integer(genre), .integer(track))
      genreNames.append(try text(genre) ?? "")
    }
    let artist = try text(number(4))
    let albumArtist = try text(number(5))
    let composer = try text(number(6))
    var album: String?
    if let number = number(7) {
      album = try database.row("SELECT title FROM album WHERE id = ?", .integer(number)) {
        $0.text(0)
      }
    }
    let removal = try database.statement(
      """
      INSERT INTO search (search, rowid, title, artist, album, composer, genre, file)
      VALUES ('delete', ?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    removal.bind(track, at: 1)
    removal.bind(row.text(11), at: 2)
    removal.bind(Self.searchable(artist, albumArtist), at: 3)
    removal.bind(album ?? "", at: 4)
    removal.bind(composer ?? "", at: 5)
    removal.bind(genreNames.joined(separator: " "), at: 6)
    removal.bind(Path(row.bytes(12)).stem.description, at: 7)
    try removal.run()
    return true
  }

  private static func searchable(_ artist: String?, _ albumArtist: String?) -> String {
    guard let albumArtist, albumArtist != artist else { return artist ?? "" }
    return artist.map { $0 + " " + albumArtist } ?? albumArtist
  }

  // MARK: - Names

  private func text(_ name: Int64?) throws(SQLiteError) -> String? {
    guard let name else { return nil }
    return try database.row("SELECT text FROM name WHERE id = ?", .integer(name)) { $0.text(0) }
  }

  private func name(
    _ role: Collections.Role, _ text: String?, sort: String?
  ) throws(SQLiteError) -> Int64? {
    guard let text else { return nil }
    let key = NameKey(role: role, text: text)
    if let known = names[key], sort == nil { return known }
    let order = Folding.sortKey(sort ?? text)
    let found = try database.row(
      "SELECT id, sort FROM name WHERE role = ? AND text = ?", SQLValue(role.rawValue),
      .text(text)
    ) { (id: $0.integer(0), sort: $0.bytes(1)) }
    let id: Int64
    if let found {
      id = found.id
      if sort != nil, found.sort != order {
        try reorder(Collections.Membership(role: role, member: id), in: "name", to: order)
      }
    } else {
      try database.run(
        "INSERT INTO name (role, text, folded, sort) VALUES (?, ?, ?, ?)",
        SQLValue(role.rawValue), .text(text), .text(Folding.fold(text)), .blob(order))
      id = database.lastInsertedRow
    }
    names[key] = id
    return id
  }

  private func album(_ record: TrackRecord, artist: Int64?) throws(SQLiteError) -> Int64? {
    let tags = record.tags
    guard let title = tags.album else { return nil }
    let key = AlbumKey(title: title, artist: artist ?? 0, place: record.albumPlace)
    let sort = tags.sortNames.album
    if let known = albums[key], sort == nil { return known }
    let order = Folding.sortKey(sort ?? title)
    let found = try database.row(
      "SELECT id, sort FROM album WHERE title = ? AND artist = ? AND place = ?", .text(title),
      .integer(key.artist), .text(key.place)
    ) { (id: $0.integer(0), sort: $0.bytes(1)) }
    let id: Int64
    if let found {
      id = found.id
      if sort != nil, found.sort != order {
        try reorder(Collections.Membership(role: .album, member: id), in: "album", to: order)
      }
    } else {
      try database.run(
        """
        INSERT INTO album (title, artist, place, folded, sort, year, isCompilation)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """, .text(title), .integer(key.artist), .text(key.place), .text(Folding.fold(title)),
        .blob(order), tags.year.map { SQLValue($0) } ?? .null, SQLValue(tags.isCompilation ? 1 : 0))
      id = database.lastInsertedRow
    }
    albums[key] = id
    return id
  }

  /// A sort tag came after the name.
  private func reorder(
    _ membership: Collections.Membership, in table: String, to sort: [UInt8]
  ) throws(SQLiteError) {
    let old = try label(membership)
    labels[membership] = nil
    try database.run(
      "UPDATE \(table) SET sort = ? WHERE id = ?", .blob(sort), .integer(membership.member))
    try database.run(
      "UPDATE collection SET sort = ? WHERE role = ? AND sort = ? AND member = ?", .blob(sort),
      SQLValue(membership.role.rawValue), .blob(old.sort), .integer(membership.member))
  }

  private func label(_ membership: Collections.Membership) throws(SQLiteError) -> Collections.Label
  {
    if let known = labels[membership] { return known }
    let member = SQLValue.integer(membership.member)
    let label: Collections.Label?
    switch membership.role {
    case .all:
      label = Collections.Label(sort: [], title: "")
    case .year:
      let year = String(membership.member)
      label = Collections.Label(sort: Folding.sortKey(year), title: year)
    case .folder:
      label = try database.row("SELECT path FROM folder WHERE id = ?", member) { row in
        let path = Path(row.bytes(0)).description
        return Collections.Label(sort: Folding.sortKey(path), title: path)
      }
    case .album:
      label = try database.row(
        """
        SELECT a.title, a.sort, n.text, a.year FROM album a LEFT JOIN name n ON n.id = a.artist
        WHERE a.id = ?
        """, member
      ) {
        Collections.Label(
          sort: $0.bytes(1), title: $0.text(0), detail: $0.text(2), year: $0.optionalInt(3))
      }
    case .artist, .albumArtist, .composer, .genre:
      label = try database.row("SELECT text, sort FROM name WHERE id = ?", member) {
        Collections.Label(sort: $0.bytes(1), title: $0.text(0))
      }
    }
    let known = label ?? Collections.Label(sort: [], title: "")
    labels[membership] = known
    return known
  }
}
