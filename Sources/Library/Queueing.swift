public import Jukebox

/// Tracks as the brains' queue holds them.
extension Catalogue {
  /// These tracks, in their order; those unknown are left out.
  public func queued(_ tracks: [TrackID]) throws(SQLiteError) -> [Track] {
    var found: [Track] = []
    found.reserveCapacity(tracks.count)
    for track in tracks {
      let row = try database.row(Self.queuedSQL + "t.id = ?", .integer(track.number)) {
        Self.queued($0)
      }
      if let row { found.append(row) }
    }
    return found
  }

  /// All that is on a medium below a path seen from its root (empty: all, a file: that), in the order
  /// in which a person would play it: by folder, disc, number and name.
  public func queued(on medium: MediumID, below path: Path) throws(SQLiteError) -> [Track] {
    let rows = try database.rows(
      Self.queuedSQL + "t.medium = ? AND t.state = 0", SQLValue(medium.number)
    ) { row in
      let folder = Path(row.bytes(6))
      let name = Path(row.bytes(7))
      return (
        track: Self.queued(row), folder: folder.bytes,
        path: folder.bytes.isEmpty ? name : folder.appending(name), start: row.int(8)
      )
    }
    let inside = path.bytes.isEmpty ? rows : rows.filter { $0.path.isOrIsBelow(path) }
    let names = inside.map { (folder: Path($0.folder).description, file: $0.path.description) }
    return inside.indices.sorted { left, right in
      let (a, b) = (inside[left], inside[right])
      if a.folder != b.folder {
        return NaturalOrder.precedes(names[left].folder, names[right].folder)
      }
      if a.track.disc != b.track.disc { return a.track.disc < b.track.disc }
      if a.track.number != b.track.number { return a.track.number < b.track.number }
      if a.path != b.path { return NaturalOrder.precedes(names[left].file, names[right].file) }
      return a.start < b.start
    }.map { inside[$0].track }
  }

  private static let queuedSQL = """
    SELECT t.id, t.medium, t.artist, t.album, t.disc, t.number, f.path, t.file, t.start
    FROM track t JOIN folder f ON f.id = t.folder WHERE
    """ + " "

  private static func queued(_ row: Statement) -> Track {
    Track(
      id: TrackID(row.integer(0)), medium: MediumID(Int32(row.int(1))),
      artist: UInt32(clamping: row.optionalInt(2) ?? 0),
      album: UInt32(clamping: row.optionalInt(3) ?? 0),
      disc: UInt16(clamping: row.optionalInt(4) ?? 0),
      number: UInt16(clamping: row.optionalInt(5) ?? 0))
  }
}

extension Path {
  /// Whether it is `folder` itself, or something in it.
  public func isOrIsBelow(_ folder: Path) -> Bool {
    bytes == folder.bytes || bytes.starts(with: folder.bytes + [UInt8(ascii: "/")])
  }

  /// The same place seen from a folder that it is in; nil if it is not.
  public func seen(from folder: Path) -> Path? {
    if bytes == folder.bytes { return Path([]) }
    let start = folder.bytes.last == UInt8(ascii: "/") ? folder.bytes : folder.bytes + [0x2F]
    return bytes.starts(with: start) ? Path(bytes.dropFirst(start.count)) : nil
  }
}
