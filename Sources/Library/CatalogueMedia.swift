internal import Glibc
public import Jukebox

extension Catalogue {
  /// The number of a medium, which is a new one if it was never seen; it is here now, at `root`.
  ///
  /// What was at `root` before is away.
  @discardableResult
  public func arrived(
    _ identity: MediumIdentity, at root: Path
  ) throws(SQLiteError) -> MediumID {
    try database.run(
      """
      UPDATE medium SET isPresent = 0
      WHERE isPresent AND root = ?1 AND (uuid, size) IS NOT (?2, ?3)
      """, .blob(root.bytes), .text(identity.uuid), SQLValue(identity.size))
    let row = try database.row(
      """
      INSERT INTO medium (uuid, size, label, root, isPresent, lastSeen) VALUES (?, ?, ?, ?, 1, ?)
      ON CONFLICT (uuid, size) DO UPDATE SET
        label = excluded.label, root = excluded.root, isPresent = 1, lastSeen = excluded.lastSeen
      RETURNING id
      """, .text(identity.uuid), SQLValue(identity.size), .text(identity.label),
      .blob(root.bytes), SQLValue(time(nil))
    ) { $0.int(0) }
    return MediumID(Int32(row ?? 0))
  }

  /// The medium is no longer here; all that is known of it stays.
  public func left(_ medium: MediumID) throws(SQLiteError) {
    try database.run(
      "UPDATE medium SET isPresent = 0, lastSeen = ? WHERE id = ?", SQLValue(time(nil)),
      SQLValue(medium.number))
  }

  /// Marks the media as away whose folders are gone; gives them.
  @discardableResult
  public func noticeAbsent() throws(SQLiteError) -> [Medium] {
    let absent = try media().filter { $0.isPresent && $0.root.status?.kind != .folder }
    for medium in absent { try left(medium.id) }
    return absent
  }

  /// All media that are remembered, the one seen last first.
  public func media() throws(SQLiteError) -> [Medium] {
    try database.rows(
      """
      SELECT id, uuid, size, label, root, isPresent, lastSeen FROM medium
      ORDER BY isPresent DESC, lastSeen DESC, id DESC
      """
    ) { row in
      Medium(
        id: MediumID(Int32(row.int(0))),
        identity: MediumIdentity(uuid: row.text(1), size: row.int(2), label: row.text(3)),
        root: Path(row.bytes(4)), isPresent: row.int(5) == 1, lastSeen: row.integer(6))
    }
  }

  /// How many tracks are listed of a medium, here or away.
  public func trackCount(_ medium: MediumID) throws(SQLiteError) -> Int {
    try database.row(
      "SELECT total(count) FROM collection WHERE role = 0 AND medium = ?",
      SQLValue(medium.number)
    ) { Int($0.real(0)) } ?? 0
  }

  /// Forgets a medium, and all that was known of its tracks.
  public func forget(_ medium: MediumID) throws(SQLiteError) {
    let writer = try TrackWriter(database)
    let number = SQLValue(medium.number)
    try database.transaction { () throws(SQLiteError) in
      let tracks = try database.rows("SELECT id FROM track WHERE medium = ?", number) {
        $0.integer(0)
      }
      for track in tracks { try writer.delete(track) }
      try writer.flush()
      try database.run(
        "DELETE FROM entry WHERE playlist IN (SELECT id FROM playlist WHERE medium = ?)", number)
      for table in ["playlist", "folder", "collection"] {
        try database.run("DELETE FROM \(table) WHERE medium = ?", number)
      }
      try database.run("DELETE FROM medium WHERE id = ?", number)
    }
  }

  /// Forgets the media that are away and were not seen for longest, all but `count` of them.
  public func forget(keeping count: Int) throws(SQLiteError) {
    for medium in try media().filter({ !$0.isPresent }).dropFirst(count) {
      try forget(medium.id)
    }
  }

  // MARK: - What people do

  /// The track was played to its end.
  public func played(_ track: TrackID, at seconds: Int64) throws(SQLiteError) {
    try database.run(
      """
      INSERT INTO usage (track, plays, played) VALUES (?1, 1, ?2)
      ON CONFLICT (track) DO UPDATE SET plays = plays + 1, played = excluded.played
      """, .integer(track.number), .integer(seconds))
  }

  public func skipped(_ track: TrackID) throws(SQLiteError) {
    try database.run(
      """
      INSERT INTO usage (track, skips) VALUES (?1, 1)
      ON CONFLICT (track) DO UPDATE SET skips = skips + 1
      """, .integer(track.number))
  }

  /// From 0 to 100; nil for none.
  public func rate(_ track: TrackID, _ rating: Int?) throws(SQLiteError) {
    try database.run(
      """
      INSERT INTO usage (track, rating) VALUES (?1, ?2)
      ON CONFLICT (track) DO UPDATE SET rating = excluded.rating
      """, .integer(track.number), rating.map { SQLValue(min(max($0, 0), 100)) } ?? .null)
  }

  /// Where to go on next time; nil for the start.
  public func setResume(_ track: TrackID, _ place: Duration?) throws(SQLiteError) {
    let milliseconds = place.map { $0 / .milliseconds(1) }.map { SQLValue(Int64($0)) }
    try database.run(
      """
      INSERT INTO usage (track, resume) VALUES (?1, ?2)
      ON CONFLICT (track) DO UPDATE SET resume = excluded.resume
      """, .integer(track.number), milliseconds ?? .null)
  }

  /// Files that are no music though they look like it, or could not be read, and why; by path.
  public func problems(
    _ medium: MediumID
  ) throws(SQLiteError) -> [(path: Path, reason: String)] {
    try database.rows(
      """
      SELECT f.path, t.file, t.reason FROM track t JOIN folder f ON f.id = t.folder
      WHERE t.medium = ? AND t.reason IS NOT NULL AND t.state <> 3 AND t.start = -1
      ORDER BY f.path, t.file
      """, SQLValue(medium.number)
    ) { row in
      let (folder, file) = (Path(row.bytes(0)), Path(row.bytes(1)))
      return (folder.bytes.isEmpty ? file : folder.appending(file), row.text(2))
    }
  }
}
