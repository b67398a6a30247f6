internal import Glibc

/// The second pass of a scan: what the files are that the first found new or changed.
final class TagPass {
  private let scan: Scan
  private var batch: [Item] = []
  private var folder: FolderPlace?
  private let clock = ContinuousClock()
  private var lastFlush: ContinuousClock.Instant

  private struct Item {
    var track: Int64
    var place: TrackWriter.Place
    var record: TrackRecord
    /// Whether it was read for the first time, and so may be a file that is known from elsewhere.
    var isNew: Bool
    /// The parts that a cue sheet cuts it into.
    var parts: [CuePart] = []
  }

  private struct FolderPlace {
    var row: Int64
    var path: Path
  }

  private static let batchSize = 2000
  /// Of files of one folder looked into together.
  private static let folderSize = 2000

  init(_ scan: Scan) {
    self.scan = scan
    lastFlush = clock.now
  }

  func run() throws(ScanFailure) {
    var last: Int64 = 0
    while let place = try nextFolder(after: last) {
      last = place.row
      while try readSome(of: place) {}
    }
    try flush()
  }

  private func nextFolder(after row: Int64) throws(ScanFailure) -> FolderPlace? {
    try scan.guarded { () throws(SQLiteError) in
      try self.scan.database.row(
        """
        SELECT id, path FROM folder WHERE id =
          (SELECT min(folder) FROM track WHERE isRead = 0 AND medium = ? AND folder > ?)
        """, SQLValue(self.scan.medium), .integer(row)
      ) { FolderPlace(row: $0.integer(0), path: Path($0.bytes(1))) }
    }
  }

  /// Reads files of a folder, all unless it is huge; whether some remain.
  private func readSome(of folder: FolderPlace) throws(ScanFailure) -> Bool {
    let scan = scan
    var items = try scan.guarded { () throws(SQLiteError) in
      try scan.database.rows(
        """
        SELECT id, file, size, modified, fingerprint FROM track
        WHERE isRead = 0 AND medium = ? AND folder = ? AND start = -1 ORDER BY id LIMIT ?
        """, SQLValue(scan.medium), .integer(folder.row), SQLValue(Self.folderSize)
      ) { row in
        Item(
          track: row.integer(0),
          place: TrackWriter.Place(medium: scan.medium, folder: folder.row, file: row.bytes(1)),
          record: TrackRecord(size: row.int(2), modified: row.integer(3)), isNew: row.isNull(4))
      }
    }
    guard !items.isEmpty else { return false }
    let path = folder.path.bytes.isEmpty ? scan.root : scan.root.appending(folder.path)
    try read(&items, of: folder, at: path)
    try cut(&items, folder: folder, at: path)
    let artists = AlbumArtists(of: items.lazy.map(\.record.tags), place: albumPlace(folder))
    for index in items.indices { artists.settle(&items[index].record) }
    batch += items
    if batch.count >= Self.batchSize || clock.now - lastFlush > .milliseconds(500) { try flush() }
    if items.count == Self.folderSize { try flush() }
    return items.count == Self.folderSize
  }

  private func read(
    _ items: inout [Item], of folder: FolderPlace, at path: Path
  ) throws(ScanFailure) {
    // As a folder that is open the names in it need no way to be found by each time.
    let descriptor = unsafe path.withCString {
      unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
    }
    let failure = errno
    defer { close(descriptor) }
    for index in items.indices {
      let name = Path(items[index].place.file)
      do throws(SystemError) {
        guard descriptor >= 0 else { throw SystemError(call: "open", errno: failure) }
        items[index].record = TrackRecord(try Reading(of: name, in: descriptor))
      } catch {
        let known = items[index].record
        items[index].record = TrackRecord(
          size: known.size, modified: known.modified, failure: error)
      }
      let inner = folder.path.bytes.isEmpty ? name : folder.path.appending(name)
      items[index].record.tags.fill(fromPath: inner)
      scan.progress.done += 1
      if items[index].record.reason != nil { scan.progress.failed += 1 }
      if scan.progress.done % 64 == 0 { try scan.checkIn() }
    }
  }

  /// Where albums of several artists are told apart: the folder, or the one around "CD1" and "CD2".
  private func albumPlace(_ folder: FolderPlace) -> String {
    let isDisc = NamedPath.disc(folder.path.name.description) != nil
    return "\(scan.medium):" + (isDisc ? folder.path.parent : folder.path).description
  }

  /// Cuts files by the cue sheets beside them, as far as a sheet has several tracks for a file.
  private func cut(
    _ items: inout [Item], folder: FolderPlace, at path: Path
  ) throws(ScanFailure) {
    let sheets = try scan.guarded { () throws(SQLiteError) in
      try self.scan.database.rows(
        "SELECT id, file FROM playlist WHERE folder = ?", .integer(folder.row)
      ) { (id: $0.integer(0), file: Path($0.bytes(1))) }
    }.filter { $0.file.extension == "cue" }
    guard !sheets.isEmpty else { return }
    let files = Dictionary(
      items.enumerated().map { ($1.place.file, $0) }, uniquingKeysWith: { first, _ in first })
    for sheet in sheets {
      for (file, parts) in CuePart.parts(of: sheet.file, in: path) {
        guard let index = files[file], items[index].parts.isEmpty,
          items[index].record.state == .listed
        else { continue }
        if parts.count < 2 {
          if let part = parts.first { items[index].record.tags.fill(from: part.tags) }
          continue
        }
        items[index].parts = parts
        items[index].place.sheet = sheet.id
        items[index].record.state = .covered
      }
    }
  }

  // MARK: - Writing

  private func flush() throws(ScanFailure) {
    guard !batch.isEmpty else { return }
    let items = batch
    batch.removeAll(keepingCapacity: true)
    let before = scan.progress
    try scan.guarded { () throws(SQLiteError) in
      do throws(SQLiteError) {
        try self.scan.write { () throws(SQLiteError) in
          let hasLost = try self.scan.database.row(
            "SELECT 1 FROM track INDEXED BY trackContent WHERE state = 3 LIMIT 1"
          ) { _ in true }
          for item in items { try self.write(item, mayHaveMoved: hasLost ?? false) }
        }
      } catch {
        self.scan.progress = before
        throw error
      }
    }
    lastFlush = clock.now
  }

  private func write(_ item: Item, mayHaveMoved: Bool) throws(SQLiteError) {
    let (database, writer) = (scan.database, scan.writer)
    var track = item.track
    if mayHaveMoved, item.isNew, item.record.fingerprint != 0, item.record.size > 0 {
      let lost = try database.row(
        """
        SELECT id FROM track WHERE fingerprint = ? AND size = ? AND state = 3 AND start = -1 LIMIT 1
        """, .integer(item.record.fingerprint), SQLValue(item.record.size)
      ) { $0.integer(0) }
      if let lost {
        try moveParts(of: lost, to: item.place)
        try writer.join(track, with: lost, at: item.place)
        track = lost
        scan.progress.moved += 1
        scan.progress.added -= 1
        scan.progress.removed -= 1
      }
    }
    try writer.write(item.record, of: track, at: item.place)
    // What was never read has no parts yet.
    if !item.isNew || track != item.track || !item.parts.isEmpty { try writeParts(of: item) }
  }

  private func moveParts(of lost: Int64, to place: TrackWriter.Place) throws(SQLiteError) {
    try scan.database.run(
      """
      UPDATE track SET medium = ?2, folder = ?3, file = ?4 WHERE start >= 0 AND (folder, file) =
        (SELECT folder, file FROM track WHERE id = ?1)
      """, .integer(lost), SQLValue(place.medium), .integer(place.folder), .blob(place.file))
  }

  /// Writes a file's parts, each over the one that starts at its place; others leave.
  private func writeParts(of item: Item) throws(SQLiteError) {
    let (database, writer) = (scan.database, scan.writer)
    let known = try database.rows(
      "SELECT id, start FROM track WHERE folder = ? AND file = ? AND start >= 0",
      .integer(item.place.folder), .blob(item.place.file)
    ) { (id: $0.integer(0), start: $0.int(1)) }
    for part in known where !item.parts.contains(where: { $0.start == part.start }) {
      try writer.leave(part.id)
    }
    guard !item.parts.isEmpty else { return }
    var records = item.parts.map { part in
      var record = item.record
      record.state = .listed
      record.tags = part.tags(inFile: item.record.tags)
      let end = part.stop.map { $0 * 40 / 3 } ?? item.record.length
      record.length = max(0, end - part.start * 40 / 3)
      record.sound?.frames = nil
      return record
    }
    let artists = AlbumArtists(of: records.map(\.tags), place: "\(item.place.sheet ?? 0)")
    for index in records.indices { artists.settle(&records[index]) }
    for (part, record) in zip(item.parts, records) {
      var place = item.place
      (place.start, place.stop) = (part.start, part.stop)
      let row: Int64
      if let same = known.first(where: { $0.start == part.start }) {
        row = same.id
        try database.run(
          "UPDATE track SET stop = ?, sheet = ? WHERE id = ?",
          part.stop.map { SQLValue($0) } ?? .null,
          place.sheet.map { .integer($0) } ?? .null, .integer(row))
      } else {
        row = try writer.insert(
          place, size: record.size, modified: record.modified, isMusic: true, now: scan.now)
      }
      try writer.write(record, of: row, at: place)
    }
  }
}
