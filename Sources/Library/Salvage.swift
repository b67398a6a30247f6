/// Carries over from a damaged library what no scan would find again, as far as it can be read.
///
/// That is what people know of tracks, their own playlists, what was measured, and the numbers by which
/// media and tracks are known. The tracks stand in the new library by their names until they are read.
struct Salvage {
  private let old: Database
  private let new: Database

  /// `aside` is the damaged file.
  static func carry(from aside: Path, to new: Database) throws(SQLiteError) {
    guard let old = (try? Database(aside, .reading)) ?? (try? Database(aside, .immutable)) else {
      return
    }
    let salvage = Salvage(old: old, new: new)
    try new.transaction { () throws(SQLiteError) in try salvage.carry() }
  }

  private func carry() throws(SQLiteError) {
    try copy("medium", "id, uuid, size, label, root, isPresent, lastSeen", by: "id")
    try new.run("UPDATE medium SET isPresent = 0")
    try copy(
      "folder", "id, medium, path, modified, picture", by: "id",
      if: "EXISTS (SELECT 1 FROM medium WHERE id = ?2)")
    try copyTracks()
    try copy(
      "usage", "track, rating, plays, skips, played, resume", by: "track",
      if: "EXISTS (SELECT 1 FROM track WHERE id = ?1)")
    try copy("playlist", "id, medium, title, sort, isRead", by: "id", if: "?2 IS NULL")
    try copy(
      "entry", "playlist, place, track, target, title", by: "playlist, place",
      if: "EXISTS (SELECT 1 FROM playlist WHERE id = ?1)")
    try new.run("UPDATE entry SET track = NULL WHERE track NOT IN (SELECT id FROM track)")
    try copy(
      "loudness",
      "fingerprint, size, start, stop, loudness, peak, blocks, albumLoudness, albumPeak",
      by: "fingerprint, size, start, stop")
  }

  /// As lost ones at first, which have nothing that hangs on them, then listed by their names.
  private func copyTracks() throws(SQLiteError) {
    let writer = try TrackWriter(new)
    let columns =
      "id, medium, folder, file, start, stop, size, modified, fingerprint, added, title, sort"
    let insertion = try insertion(
      "track", columns, values: ["state": 3, "isRead": 1, "kind": 0, "length": 0],
      if: "EXISTS (SELECT 1 FROM folder WHERE id = ?3 AND medium = ?2)")
    try each(of: "track", columns + ", state", by: "id") { row throws(SQLiteError) in
      insertion.bind((0..<12).map { row.value($0) })
      try insertion.run()
      guard new.changes > 0, row.int(12) < TrackRecord.State.gone.rawValue else { return }
      try writer.renew(
        row.integer(0), size: row.int(6), modified: row.integer(7),
        isMusic: row.int(12) == TrackRecord.State.listed.rawValue)
    }
    try writer.flush()
  }

  private func copy(
    _ table: String, _ columns: String, by key: String, if condition: String = "1"
  ) throws(SQLiteError) {
    let insertion = try insertion(table, columns, if: condition)
    let count = Int32(columns.split(separator: ",").count)
    try each(of: table, columns, by: key) { row throws(SQLiteError) in
      insertion.bind((0..<count).map { row.value($0) })
      try insertion.run()
    }
  }

  /// Leaves out a row that is there already, or is not as it should be.
  private func insertion(
    _ table: String, _ columns: String, values: [String: Int] = [:], if condition: String
  ) throws(SQLiteError) -> Statement {
    let names = [columns] + values.keys
    let places = (1...columns.split(separator: ",").count).map { "?\($0)" }
    let given = places + values.values.map { "\($0)" }
    return try new.prepare(
      """
      INSERT OR IGNORE INTO \(table) (\(names.joined(separator: ", ")))
      SELECT \(given.joined(separator: ", ")) WHERE \(condition)
      """)
  }

  /// Goes through a table from its start, and if it can't be read to its end, from there as well.
  ///
  /// Through the table itself, whatever the planner thinks: an index may be what is damaged.
  private func each(
    of table: String, _ columns: String, by key: String,
    take: (Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let backward = key.split(separator: ",").map { $0 + " DESC" }.joined(separator: ",")
    for order in [key, backward] {
      let sql = "SELECT \(columns) FROM \(table) NOT INDEXED ORDER BY \(order)"
      guard let row = try? old.prepare(sql) else { return }
      while let isThere = try? row.step() {
        guard isThere else { return }
        try take(row)
      }
    }
  }
}
