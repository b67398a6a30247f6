public import Jukebox

/// A list of tracks: found on a medium, or the user's own.
public struct LibraryPlaylist: Equatable, Sendable {
  public var id: Int64
  public var title: String
  /// Nil for the user's own.
  public var file: Path?
  public var medium: MediumID?
  public var count: Int
  /// How many of its entries lead nowhere.
  public var missing: Int
  /// Why it could not be read in full.
  public var reason: String?
}

/// One line of a list.
public struct PlaylistEntry: Equatable, Sendable {
  /// Nil where it leads nowhere.
  public var track: TrackID?
  /// As the list spells it.
  public var target: [UInt8]
  /// As the list calls it.
  public var title: String?

  init(track: TrackID?, target: [UInt8], title: String?) {
    self.track = track
    self.target = target
    self.title = title
  }

  /// A track that the library knows, which tells the rest.
  public init(_ track: TrackID) {
    self.init(track: track, target: [], title: nil)
  }
}

extension Catalogue {
  /// All lists of media that are here, and the user's own; cue sheets are tracks and no lists.
  public func playlists() throws(SQLiteError) -> [LibraryPlaylist] {
    try database.rows(
      """
      SELECT p.id, p.title, m.root, f.path, p.file, p.medium, count(e.place),
        count(e.place) - count(e.track), p.reason
      FROM playlist p LEFT JOIN folder f ON f.id = p.folder LEFT JOIN medium m ON m.id = p.medium
        LEFT JOIN entry e ON e.playlist = p.id
      WHERE (p.medium IS NULL OR m.isPresent) AND (p.file IS NULL OR p.file NOT LIKE '%.cue')
      GROUP BY p.id ORDER BY p.sort, p.id
      """
    ) { row in
      let root = Path(row.bytes(2))
      let folder = Path(row.bytes(3))
      let place = folder.bytes.isEmpty ? root : root.appending(folder)
      return LibraryPlaylist(
        id: row.integer(0), title: row.text(1),
        file: row.isNull(4) ? nil : place.appending(Path(row.bytes(4))),
        medium: row.optionalInt(5).map { MediumID(Int32($0)) }, count: row.int(6),
        missing: row.int(7), reason: row.optionalText(8))
    }
  }

  public func entries(_ playlist: Int64) throws(SQLiteError) -> [PlaylistEntry] {
    try database.rows(
      "SELECT track, target, title FROM entry WHERE playlist = ? ORDER BY place",
      .integer(playlist)
    ) { row in
      PlaylistEntry(
        track: row.isNull(0) ? nil : TrackID(row.integer(0)), target: row.bytes(1),
        title: row.optionalText(2))
    }
  }

  /// Makes a list of the user's own; gives its number.
  public func makePlaylist(
    _ title: String, _ tracks: [TrackID]
  ) throws(SQLiteError) -> Int64 {
    try database.transaction { () throws(SQLiteError) in
      try database.run(
        "INSERT INTO playlist (title, sort, isRead) VALUES (?, ?, 1)", .text(title),
        .blob(Folding.sortKey(title)))
      let playlist = database.lastInsertedRow
      try fill(playlist, tracks.map { PlaylistEntry($0) })
      return playlist
    }
  }

  /// Puts other tracks into a list of the user's own; false if it is none.
  @discardableResult
  public func setTracks(
    _ tracks: [TrackID], of playlist: Int64
  ) throws(SQLiteError) -> Bool {
    try setEntries(tracks.map { PlaylistEntry($0) }, of: playlist)
  }

  /// Puts other entries into a list of the user's own, also such as lead nowhere; false if it is none.
  @discardableResult
  public func setEntries(
    _ entries: [PlaylistEntry], of playlist: Int64
  ) throws(SQLiteError) -> Bool {
    try database.transaction { () throws(SQLiteError) in
      guard try isOwn(playlist) else { return false }
      try database.run("DELETE FROM entry WHERE playlist = ?", .integer(playlist))
      try fill(playlist, entries)
      return true
    }
  }

  /// Deletes a list of the user's own; false if it is none.
  @discardableResult
  public func deletePlaylist(_ playlist: Int64) throws(SQLiteError) -> Bool {
    try database.transaction { () throws(SQLiteError) in
      guard try isOwn(playlist) else { return false }
      try database.run("DELETE FROM entry WHERE playlist = ?", .integer(playlist))
      try database.run("DELETE FROM playlist WHERE id = ?", .integer(playlist))
      return true
    }
  }

  private func isOwn(_ playlist: Int64) throws(SQLiteError) -> Bool {
    try database.row(
      "SELECT 1 FROM playlist WHERE id = ? AND medium IS NULL", .integer(playlist)
    ) { _ in true }
      ?? false
  }

  private func fill(_ playlist: Int64, _ entries: [PlaylistEntry]) throws(SQLiteError) {
    for (place, entry) in entries.enumerated() {
      let item = try entry.track.flatMap { track throws(SQLiteError) in try self.item(track) }
      let title = item.map { $0.tags.title } ?? entry.title
      try database.run(
        "INSERT INTO entry VALUES (?, ?, ?, ?, ?)", .integer(playlist), SQLValue(place),
        item.map { .integer($0.id.number) } ?? .null, .blob(item?.path.bytes ?? entry.target),
        title.map { .text($0) } ?? .null)
    }
  }

  /// A list as an M3U8 file has it: UTF-8, with lengths and titles, paths seen from `folder`.
  ///
  /// A path in a folder that is not in `folder` stands as it is, from the root on.
  public func m3u8(_ playlist: Int64, seenFrom folder: Path) throws(SQLiteError) -> [UInt8] {
    var text = Array("#EXTM3U\n".utf8)
    for entry in try entries(playlist) {
      guard let track = entry.track, let item = try item(track) else {
        text += entry.target + [UInt8(ascii: "\n")]
        continue
      }
      let name = [item.tags.artist, item.tags.title].compactMap { $0 }.joined(separator: " - ")
      let line = name.map { $0.isNewline ? " " : String($0) }.joined()
      text += "#EXTINF:\(Int(item.length / .seconds(1))),\(line)\n".utf8
      let base = folder.plain.bytes + [UInt8(ascii: "/")]
      let path = item.path.plain.bytes
      text += path.starts(with: base) ? Array(path[base.count...]) : path
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }
}
