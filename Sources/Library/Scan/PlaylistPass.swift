/// The third pass of a scan: which tracks the playlists name.
struct PlaylistPass {
  private let scan: Scan

  init(_ scan: Scan) {
    self.scan = scan
  }

  func run() throws(ScanFailure) {
    let scan = scan
    let unread = try scan.guarded { () throws(SQLiteError) in
      // Where a list leads nowhere, what it names may have come since.
      let isNews = scan.progress.added + scan.progress.moved > 0
      return try scan.database.rows(
        """
        SELECT p.id, f.path, p.file FROM playlist p JOIN folder f ON f.id = p.folder
        WHERE p.medium = ?1 AND (p.isRead = 0 OR ?2 AND EXISTS
          (SELECT 1 FROM entry WHERE playlist = p.id AND track IS NULL))
        """, SQLValue(scan.medium), SQLValue(isNews ? 1 : 0)
      ) { (id: $0.integer(0), folder: Path($0.bytes(1)), file: Path($0.bytes(2))) }
    }
    for list in unread {
      try read(list.id, folder: list.folder, file: list.file)
      try scan.checkIn()
    }
  }

  private func read(_ list: Int64, folder: Path, file: Path) throws(ScanFailure) {
    let scan = scan
    let place = folder.bytes.isEmpty ? scan.root : scan.root.appending(folder)
    let path = place.appending(file)
    var reason: String?
    var entries: [(track: Int64?, target: [UInt8], title: String?)] = []
    do {
      let bytes = try path.contents(upTo: Playlist.longestFile)
      guard let kind = Playlist.kind(of: path, head: bytes) else { return }
      let playlist = try Playlist(bytes, kind: kind)
      if playlist.isCut { reason = "only its first \(Playlist.mostItems) items are taken" }
      var finder = Finder(folder: place)
      for item in playlist.items {
        var found: Path?
        if kind == .cue {
          found = finder.findAudio(item.target)
        } else if case .found(let path) = finder.find(item.target) {
          found = path
        }
        let start = kind == .cue ? item.start.cueFrames : nil
        var track: Int64?
        if let found { track = try self.track(at: found, start: start) }
        entries.append((track, item.target, item.tags.title))
      }
    } catch let error as SQLiteError {
      throw .library(error)
    } catch {
      reason = "\(error)"
    }
    try scan.guarded { () throws(SQLiteError) in
      try scan.write { () throws(SQLiteError) in
        try scan.database.run("DELETE FROM entry WHERE playlist = ?", .integer(list))
        for (place, entry) in entries.enumerated() {
          try scan.database.run(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?)", .integer(list), SQLValue(place),
            entry.track.map { .integer($0) } ?? .null, .blob(entry.target),
            entry.title.map { .text($0) } ?? .null)
        }
        try scan.database.run(
          "UPDATE playlist SET isRead = 1, reason = ? WHERE id = ?",
          reason.map { .text($0) } ?? .null, .integer(list))
      }
    }
  }

  /// The track of a file on this medium; of its part that starts at `start`, if it is cut.
  private func track(at path: Path, start: Int?) throws(SQLiteError) -> Int64? {
    let root = scan.root.plain.bytes
    let plain = path.plain.bytes
    guard plain.starts(with: root) else { return nil }
    let inner = Path(plain[root.count...].drop { $0 == UInt8(ascii: "/") })
    let folder = inner.parent == Path(".") ? Path([]) : inner.parent
    return try scan.database.row(
      """
      SELECT t.id FROM folder f JOIN track t ON t.folder = f.id
      WHERE f.medium = ?1 AND f.path = ?2 AND t.file = ?3 AND t.start IN (-1, ?4)
        AND t.state IN (0, 1) ORDER BY t.start DESC LIMIT 1
      """, SQLValue(scan.medium), .blob(folder.bytes), .blob(inner.name.bytes),
      SQLValue(start ?? -1)
    ) { $0.integer(0) }
  }
}

extension Path {
  /// Without "." and "..", which are taken for what they say and not for where links lead.
  var plain: Path {
    var names: [ArraySlice<UInt8>] = []
    for name in bytes.split(separator: UInt8(ascii: "/")) where !name.elementsEqual(".".utf8) {
      if name.elementsEqual("..".utf8), let last = names.last, !last.elementsEqual("..".utf8) {
        names.removeLast()
      } else {
        names.append(name)
      }
    }
    let joined = names.joined(separator: [UInt8(ascii: "/")])
    return Path((isAbsolute ? [UInt8(ascii: "/")] : []) + joined)
  }
}
