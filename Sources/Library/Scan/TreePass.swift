internal import Glibc
internal import Jukebox

/// The first pass of a scan: which files are there, and which of them are new or changed.
struct TreePass {
  private let scan: Scan
  /// Folders still to be gone through, by their paths seen from the root.
  private var pending: [Path]
  private var next = 0
  /// Links to folders, followed when all others are done, so that a folder is found by its own name.
  private var links: [Path] = []
  /// Folders gone through, so that links lead nowhere twice.
  private var visited: Set<FileIdentity> = []
  private var visitedRows: Set<Int64> = []
  /// Whether a folder could not be read, so that what is missing may be there.
  private var isPartial = false
  private var batch: [Change] = []
  private var hasFound = false

  private enum Change {
    case newFolder(Path, modified: Int64, picture: [UInt8]?)
    case changedFolder(Int64, modified: Int64, picture: [UInt8]?)
    /// `folder` is nil for the one that `newFolder` made last.
    case new(FolderListing.File, folder: Int64?)
    case changed(Int64, FolderListing.File)
    case lost(Int64)
    case list(FolderListing.File, folder: Int64?)
    case lostList(Int64)
    /// All files of the folder are to be read again, since a cue sheet has come, gone or changed.
    case again(folder: Int64)
  }

  private static let longestPath = 4000
  private static let batchSize = 512

  init(_ scan: Scan) {
    self.scan = scan
    pending = [Path([])]
  }

  mutating func run() throws(ScanFailure) {
    let identity = try rootIdentity()
    let scan = scan
    try putChangedFirst()
    while next < pending.count || !links.isEmpty {
      if next == pending.count { pending.append(links.removeFirst()) }
      let path = pending[next]
      next += 1
      if next > 1024 {
        pending.removeFirst(next)
        next = 0
        try scan.guarded { () throws(SQLiteError) in try scan.database.letGo() }
      }
      try scan.guarded { () throws(SQLiteError) in try scan.database.hold() }
      try visit(path)
      try scan.checkIn()
      // What is found first can be played at once.
      if batch.count >= Self.batchSize || (hasFound && scan.progress.added == 0) { try flush() }
    }
    try flush()
    try scan.guarded { () throws(SQLiteError) in try scan.database.letGo() }
    guard try rootIdentity() == identity else {
      throw .medium(SystemError(call: "stat", errno: ENODEV), scan.root)
    }
    if !isPartial { try leaveVanished() }
  }

  private func rootIdentity() throws(ScanFailure) -> FileIdentity {
    do throws(SystemError) {
      return try FileStatus(scan.root).identity
    } catch {
      throw .medium(error, scan.root)
    }
  }

  /// Folders that are known and whose time is another now go before the walk.
  private mutating func putChangedFirst() throws(ScanFailure) {
    let scan = scan
    let known = try scan.guarded { () throws(SQLiteError) in
      try scan.database.rows(
        "SELECT path, modified FROM folder WHERE medium = ?", SQLValue(scan.medium)
      ) { (path: Path($0.bytes(0)), modified: $0.integer(1)) }
    }
    let changed = known.filter { folder in
      guard let status = try? FileStatus(full(folder.path)) else { return false }
      return status.modified != folder.modified
    }
    pending = changed.map(\.path) + pending
  }

  private func full(_ path: Path) -> Path {
    path.bytes.isEmpty ? scan.root : scan.root.appending(path)
  }

  private mutating func visit(_ path: Path) throws(ScanFailure) {
    let listing: FolderListing?
    do throws(SystemError) {
      listing = try FolderListing(full(path))
    } catch {
      if path.bytes.isEmpty { throw .medium(error, full(path)) }
      // What vanished while we looked is gone; all else may still be there.
      if error.errno != ENOENT { isPartial = true }
      return
    }
    guard let listing, visited.insert(listing.identity).inserted else { return }
    let scan = scan
    let folder = try scan.guarded { () throws(SQLiteError) in
      try scan.database.row(
        "SELECT id, modified, picture FROM folder WHERE medium = ? AND path = ?",
        SQLValue(scan.medium), .blob(path.bytes)
      ) { (id: $0.integer(0), modified: $0.integer(1), picture: $0.isNull(2) ? nil : $0.bytes(2)) }
    }
    if let folder {
      visitedRows.insert(folder.id)
      if folder.modified != listing.modified || folder.picture != listing.picture {
        batch.append(
          .changedFolder(folder.id, modified: listing.modified, picture: listing.picture))
      }
    } else if !listing.files.isEmpty || !listing.playlists.isEmpty {
      batch.append(.newFolder(path, modified: listing.modified, picture: listing.picture))
    }
    try compareFiles(listing.files, folder: folder?.id)
    try compareLists(listing.playlists, folder: folder?.id)
    pending += inner(listing.subfolders, of: path)
    links += inner(listing.links, of: path)
  }

  /// Members of a folder as seen from the root, in the order people expect.
  private func inner(_ names: [[UInt8]], of folder: Path) -> [Path] {
    Self.ordered(names) { $0 }.map { folder.bytes.isEmpty ? Path($0) : folder.appending(Path($0)) }
      .filter { $0.bytes.count < Self.longestPath }
  }

  /// As people list names: numbers by value, without case and accents.
  private static func ordered<Named>(
    _ members: [Named], by name: (Named) -> [UInt8]
  ) -> [Named] {
    guard members.count > 1 else { return members }
    let keyed = members.map { member in
      (key: Folding.folderKey(String(decoding: name(member), as: UTF8.self)), member: member)
    }
    return keyed.sorted { first, second in
      first.key == second.key
        ? name(first.member).lexicographicallyPrecedes(name(second.member))
        : first.key.lexicographicallyPrecedes(second.key)
    }.map(\.member)
  }

  /// Goes through two lists in the order of names at once.
  private mutating func compareFiles(
    _ files: [FolderListing.File], folder: Int64?
  ) throws(ScanFailure) {
    scan.progress.seen += files.count
    var new: [FolderListing.File] = []
    var place = 0
    if let folder {
      let scan = scan
      do throws(SQLiteError) {
        let known = try scan.database.statement(
          """
          SELECT id, file, size, modified, state FROM track WHERE folder = ? AND start = -1
          ORDER BY file
          """)
        known.bind(folder, at: 1)
        while try known.step() {
          // Nearly always the two lists go together, and no name need be copied.
          let isSame = place < files.count && known.hasBytes(files[place].name[...], in: 1)
          let name = isSame ? files[place].name : known.bytes(1)
          while !isSame, place < files.count, files[place].name.lexicographicallyPrecedes(name) {
            new.append(files[place])
            place += 1
          }
          let isLost = known.int(4) == TrackRecord.State.gone.rawValue
          if isSame || place < files.count && files[place].name == name {
            let file = files[place]
            place += 1
            if isLost || known.int(2) != file.size || known.integer(3) != file.modified {
              batch.append(.changed(known.integer(0), file))
            }
          } else if !isLost {
            batch.append(.lost(known.integer(0)))
          }
        }
      } catch {
        throw .library(error)
      }
    }
    new += files[place...]
    if new.contains(where: \.isMusic) { hasFound = true }
    batch += Self.ordered(new, by: \.name).map { .new($0, folder: folder) }
  }

  private mutating func compareLists(
    _ lists: [FolderListing.File], folder: Int64?
  ) throws(ScanFailure) {
    var new: [FolderListing.File] = lists
    var isCueNews = false
    if let folder {
      let scan = scan
      let known = try scan.guarded { () throws(SQLiteError) in
        try scan.database.rows(
          "SELECT id, file, size, modified FROM playlist WHERE folder = ?", .integer(folder)
        ) { (id: $0.integer(0), file: $0.bytes(1), size: $0.int(2), modified: $0.integer(3)) }
      }
      for list in known {
        if let same = new.firstIndex(where: { $0.name == list.file }) {
          if new[same].size == list.size, new[same].modified == list.modified {
            new.remove(at: same)
            continue
          }
        }
        batch.append(.lostList(list.id))
        scan.progress.changed += 1
        if Path(list.file).extension == "cue" { isCueNews = true }
      }
    }
    for list in new {
      batch.append(.list(list, folder: folder))
      if Path(list.name).extension == "cue" { isCueNews = true }
    }
    if isCueNews, let folder { batch.append(.again(folder: folder)) }
  }

  // MARK: - Writing

  private mutating func flush() throws(ScanFailure) {
    guard !batch.isEmpty else { return }
    let (scan, changes) = (scan, batch)
    batch.removeAll(keepingCapacity: true)
    var found: [Int64] = []
    var made: [Int64] = []
    try scan.guarded { () throws(SQLiteError) in
      try scan.write { () throws(SQLiteError) in
        found = []
        made = []
        for change in changes { try self.write(change, &found, &made) }
      }
    }
    visitedRows.formUnion(made)
    scan.found(found)
  }

  private func write(
    _ change: Change, _ found: inout [Int64], _ made: inout [Int64]
  ) throws(SQLiteError) {
    let (database, writer) = (scan.database, scan.writer)
    switch change {
    case .newFolder(let path, let modified, let picture):
      try database.run(
        "INSERT INTO folder (medium, path, modified, picture) VALUES (?, ?, ?, ?)",
        SQLValue(scan.medium), .blob(path.bytes), .integer(modified),
        picture.map { .blob($0) } ?? .null)
      made.append(database.lastInsertedRow)
    case .changedFolder(let row, let modified, let picture):
      try database.run(
        "UPDATE folder SET modified = ?, picture = ? WHERE id = ?", .integer(modified),
        picture.map { .blob($0) } ?? .null, .integer(row))
    case .new(let file, let folder):
      let place = TrackWriter.Place(
        medium: scan.medium, folder: folder ?? made.last ?? 0, file: file.name)
      let track = try writer.insert(
        place, size: file.size, modified: file.modified, isMusic: file.isMusic, now: scan.now)
      if file.isMusic { found.append(track) }
      scan.progress.unread += 1
      scan.progress.added += 1
    case .changed(let track, let file):
      try writer.renew(
        track, size: file.size, modified: file.modified, isMusic: file.isMusic)
      scan.progress.unread += 1
      scan.progress.changed += 1
    case .lost(let track):
      for part in try parts(of: track) { try writer.leave(part) }
      scan.progress.removed += 1
    case .list(let file, let folder):
      let title = Path(file.name).stem.description
      try database.run(
        """
        INSERT OR REPLACE INTO playlist (medium, folder, file, size, modified, title, sort, isRead)
        VALUES (?, ?, ?, ?, ?, ?, ?, 0)
        """, SQLValue(scan.medium), .integer(folder ?? made.last ?? 0), .blob(file.name),
        SQLValue(file.size), .integer(file.modified), .text(title),
        .blob(Folding.sortKey(title)))
    case .lostList(let list):
      try database.run("DELETE FROM entry WHERE playlist = ?", .integer(list))
      try database.run("DELETE FROM playlist WHERE id = ?", .integer(list))
    case .again(let folder):
      let files = try database.rows(
        "SELECT id, size, modified, state FROM track WHERE folder = ? AND start = -1 AND state < 2",
        .integer(folder)
      ) { (id: $0.integer(0), size: $0.int(1), modified: $0.integer(2)) }
      for file in files {
        try writer.renew(file.id, size: file.size, modified: file.modified, isMusic: true)
        scan.progress.unread += 1
      }
    }
  }

  /// A file's row and those of the parts that a cue sheet cuts it into.
  private func parts(of track: Int64) throws(SQLiteError) -> [Int64] {
    try scan.database.rows(
      """
      SELECT p.id FROM track t JOIN track p ON p.folder = t.folder AND p.file = t.file
      WHERE t.id = ? AND p.state <> 3
      """, .integer(track)
    ) { $0.integer(0) }
  }

  /// Takes off the lists what is in folders that are no longer there.
  private func leaveVanished() throws(ScanFailure) {
    let (scan, visitedRows) = (scan, visitedRows)
    try scan.guarded { () throws(SQLiteError) in
      let vanished = try scan.database.rows(
        "SELECT id FROM folder WHERE medium = ?", SQLValue(scan.medium)
      ) { $0.integer(0) }.filter { !visitedRows.contains($0) }
      for folder in vanished {
        try scan.write { () throws(SQLiteError) in
          let tracks = try scan.database.rows(
            "SELECT id FROM track WHERE folder = ? AND state <> 3", .integer(folder)
          ) { $0.integer(0) }
          for track in tracks { try scan.writer.leave(track) }
          scan.progress.removed += tracks.count
          let lists = try scan.database.rows(
            "SELECT id FROM playlist WHERE folder = ?", .integer(folder)
          ) { $0.integer(0) }
          for list in lists {
            try scan.database.run("DELETE FROM entry WHERE playlist = ?", .integer(list))
            try scan.database.run("DELETE FROM playlist WHERE id = ?", .integer(list))
          }
        }
      }
    }
  }
}
