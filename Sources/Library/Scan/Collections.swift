/// The changes of the table `collection` that the tracks written in one transaction bring.
struct Collections {
  enum Role: Int {
    case all = 0
    case artist, albumArtist, composer, genre, album, year, folder
  }

  /// What a track has in common with others.
  struct Membership: Hashable {
    var role: Role
    var member: Int64
  }

  struct Key: Hashable {
    var membership: Membership
    var kind: Int
    var medium: Int
  }

  private struct Change {
    var count = 0
    var length = 0
    var track: Int64 = 0
    var hasLost = false

    mutating func add(_ track: Int64, _ length: Int) {
      count += 1
      self.length += length
      self.track = track
    }
  }

  /// What a collection is called, and its place in the order.
  struct Label {
    var sort: [UInt8]
    var title: String
    var detail = ""
    var year: Int?
  }

  private var changes: [Key: Change] = [:]

  mutating func add(_ track: Int64, length: Int, to keys: [Key]) {
    for key in keys {
      changes[key, default: Change()].add(track, length)
    }
  }

  mutating func remove(_ track: Int64, length: Int, from keys: [Key]) {
    for key in keys {
      changes[key, default: Change()].count -= 1
      changes[key, default: Change()].length -= length
      changes[key, default: Change()].hasLost = true
    }
  }

  /// Writes the changes down; in the transaction in which the tracks were written.
  mutating func flush(
    _ database: Database, label: (Membership) throws(SQLiteError) -> Label
  ) throws(SQLiteError) {
    defer { changes.removeAll(keepingCapacity: true) }
    for (key, change) in changes {
      if change.count == 0, change.length == 0, !change.hasLost { continue }
      let label = try label(key.membership)
      let place: [SQLValue] = [
        SQLValue(key.membership.role.rawValue), .blob(label.sort), SQLValue(key.membership.member),
        SQLValue(key.kind), SQLValue(key.medium),
      ]
      let update = try database.statement(
        """
        UPDATE collection SET count = count + ?6, length = length + ?7
        WHERE role = ?1 AND sort = ?2 AND member = ?3 AND kind = ?4 AND medium = ?5
        """)
      update.bind(place + [SQLValue(change.count), SQLValue(change.length)])
      try update.run()
      if database.changes == 0 {
        guard change.count > 0 else { continue }
        let insert = try database.statement(
          "INSERT INTO collection VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")
        insert.bind(
          place + [
            .text(label.title), .text(label.detail), label.year.map { SQLValue($0) } ?? .null,
            SQLValue(change.count), SQLValue(change.length), SQLValue(change.track),
          ])
        try insert.run()
      } else if change.hasLost {
        try settle(key, place, database)
      }
    }
  }

  /// After a track has left a collection: another one may have to stand for it, or it is empty.
  private func settle(_ key: Key, _ place: [SQLValue], _ database: Database) throws(SQLiteError) {
    let isHere = "role = ?1 AND sort = ?2 AND member = ?3 AND kind = ?4 AND medium = ?5"
    let delete = try database.statement("DELETE FROM collection WHERE \(isHere) AND count <= 0")
    delete.bind(place)
    try delete.run()
    if database.changes > 0 { return }
    let column =
      switch key.membership.role {
      case .all: "?3"
      case .artist: "artist"
      case .albumArtist: "albumArtist"
      case .composer: "composer"
      case .album: "album"
      case .year: "year"
      case .folder: "folder"
      case .genre: "id IN (SELECT track FROM genre WHERE name = ?3) AND ?3"
      }
    let represent = try database.statement(
      """
      UPDATE collection SET track = coalesce(
        (SELECT id FROM track WHERE \(column) = ?3 AND state = 0 AND medium = ?5 AND kind = ?4
         LIMIT 1), track)
      WHERE \(isHere) AND track NOT IN
        (SELECT id FROM track WHERE id = collection.track AND \(column) = ?3 AND state = 0
         AND medium = ?5 AND kind = ?4)
      """)
    represent.bind(place)
    try represent.run()
  }
}
