internal import Glibc
public import Jukebox

/// The library: what music there is on all media that were ever seen, and what people know of it.
///
/// For one thread, reads and small writes; a `Scanner` writes what it finds by a connection of its own.
public final class Catalogue {
  public let path: Path
  private(set) var database: Database
  /// Where the file can't be written, on a read-only medium for instance.
  public var isReadOnly: Bool { database.mode == .reading || database.mode == .immutable }
  /// Where the damaged file was put aside that stood here before; media are to be scanned again.
  public private(set) var setAside: Path?

  /// Opens the library's file, and makes it if there is none.
  ///
  /// A file that is damaged is put aside, and a new one made with what can be carried over; unless its
  /// owner does that. How long opening takes does not depend on how much is in a file that is whole.
  public init(_ path: Path, puttingAside: Bool = true) throws(SQLiteError) {
    self.path = path
    do throws(SQLiteError) {
      database = try Self.open(path)
      setAside = nil
    } catch {
      guard puttingAside, error.isDamage, let aside = Self.putAside(path) else { throw error }
      database = try Self.open(path, carryingFrom: aside)
      setAside = aside
    }
  }

  /// A new file. What can't be carried over is lost, but not the new file for it.
  private static func open(_ path: Path, carryingFrom aside: Path) throws(SQLiteError) -> Database {
    let database = try open(path)
    try? Salvage.carry(from: aside, to: database)
    return database
  }

  private static func open(_ path: Path) throws(SQLiteError) -> Database {
    let directory = path.parent
    let canWrite = directory.isWritable && (path.status == nil || path.isWritable)
    if !canWrite || directory.isOnReadOnlyMount {
      // What a power cut left in the log is read too, if SQLite can; else the file alone.
      if hasLog(path), let database = try? Database(path, .reading),
        (try? check(database)) != nil
      {
        return database
      }
      let database = try Database(path, .immutable)
      try check(database)
      return database
    }
    let database = try Database(path, .writing(isSafe: true))
    try Schema.migrate(database)
    try check(database)
    return database
  }

  /// A cheap look at whether the file is whole: its length, and the first page of each table.
  ///
  /// What is damaged deeper inside shows when it is met, and at `checkThoroughly`.
  private static func check(_ database: Database) throws(SQLiteError) {
    let version = try Schema.version(of: database)
    guard version == Schema.latest else {
      let age = version < Schema.latest ? "an older" : "a newer"
      throw SQLiteError(
        code: 0, message: "\(database.path) is of \(age) version of jukebox", sql: "")
    }
    let tables = try database.rows(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'index') AND rootpage > 0"
    ) { $0.text(0) }
    guard tables.contains("track") else {
      throw SQLiteError(code: 11, message: "\(database.path) is no library", sql: "")
    }
    for table in ["medium", "folder", "name", "album", "track", "usage", "collection", "playlist"] {
      _ = try database.row("SELECT * FROM \(table) LIMIT 1") { $0.bytes(0) }
    }
    _ = try database.row("SELECT rowid FROM search WHERE search MATCH 'a*' LIMIT 1") {
      $0.integer(0)
    }
    let pages = try database.row("PRAGMA page_count") { $0.int(0) } ?? 0
    let size = try database.row("PRAGMA page_size") { $0.int(0) } ?? 0
    if hasLog(database.path) { return }
    if let file = database.path.status, file.size < pages * size {
      throw SQLiteError(code: 11, message: "\(database.path) is cut off", sql: "")
    }
  }

  private static func hasLog(_ path: Path) -> Bool {
    (Path(path.bytes + Array("-wal".utf8)).status?.size ?? 0) > 0
  }

  /// Goes through all of the file; takes its time. A scan does it once a day by itself.
  ///
  /// `isStrict` has every index compared with its table too (PRAGMA integrity_check).
  public func checkThoroughly(isStrict: Bool = false) throws(SQLiteError) {
    try database.check(isStrict: isStrict)
  }

  /// Puts the file aside, since it was found to be damaged, and begins a new one in its place, with what
  /// can be carried over.
  ///
  /// Media are to be entered and scanned again. False if the file can't be put aside.
  public func beginAnew() throws(SQLiteError) -> Bool {
    guard let aside = Self.putAside(path) else { return false }
    database = try Self.open(path, carryingFrom: aside)
    setAside = aside
    return true
  }

  /// Renames a damaged file, and what belongs to it; nil if that can't be done.
  public static func putAside(_ path: Path) -> Path? {
    let aside = Path(path.bytes + Array(".damaged-\(time(nil))".utf8))
    for ending in ["", "-wal", "-shm"] {
      let from = Path(path.bytes + Array(ending.utf8))
      let to = Path(aside.bytes + Array(ending.utf8))
      let result = unsafe from.withCString { from in
        unsafe to.withCString { to in unsafe rename(from, to) }
      }
      if result != 0, ending.isEmpty { return nil }
    }
    return aside
  }

  // MARK: - Queries

  /// The tracks that a query asks for, in order.
  public func tracks(_ query: Query) throws(SQLiteError) -> [TrackID] {
    try read(.tracks(query, medium: onlyMedium())) { TrackID($0.integer(0)) }
  }

  /// The tracks' rows, in order.
  public func items(_ query: Query) throws(SQLiteError) -> [LibraryItem] {
    try items(tracks(query))
  }

  /// How many tracks a query asks for, and how long they are together.
  public func total(_ query: Query) throws(SQLiteError) -> (count: Int, length: Duration) {
    let totals = try read(.total(query)) { (Int($0.real(0)), Duration.milliseconds($0.real(1))) }
    return totals.first ?? (0, .zero)
  }

  /// What a query's tracks are gathered into; by name.
  public func collections(_ query: Query) throws(SQLiteError) -> [LibraryCollection] {
    try read(.collections(query, medium: onlyMedium())) { row in
      LibraryCollection(
        number: row.integer(0), title: row.text(1), detail: row.text(2),
        year: row.optionalInt(3), count: row.int(4),
        length: .milliseconds(row.integer(5)),
        representative: row.isNull(6) ? nil : TrackID(row.integer(6)))
    }
  }

  /// The medium that is here, if it is one alone, as is the rule.
  private func onlyMedium() throws(SQLiteError) -> Int64? {
    let here = try database.rows("SELECT id FROM medium WHERE isPresent LIMIT 2") { $0.integer(0) }
    return here.count == 1 ? here[0] : nil
  }

  /// How SQLite goes about a query: one line for each table.
  public func explain(_ query: Query) throws(SQLiteError) -> [String] {
    let medium = try onlyMedium()
    var compiled =
      query.grouping == .title
      ? CompiledQuery.tracks(query, medium: medium) : .collections(query, medium: medium)
    compiled.explain()
    return [compiled.sql] + (try read(compiled) { $0.text(3) })
  }

  private func read<Row>(
    _ query: CompiledQuery, _ row: (Statement) -> Row
  ) throws(SQLiteError) -> [Row] {
    let statement = try database.statement(query.sql)
    statement.bind(query.values)
    var rows: [Row] = []
    while try statement.step() { rows.append(row(statement)) }
    return rows
  }
}

extension Path {
  var status: FileStatus? { try? FileStatus(self) }

  /// access(2).
  var isWritable: Bool { unsafe withCString { unsafe access($0, W_OK) } == 0 }

  /// statvfs(3).
  var isOnReadOnlyMount: Bool {
    var status = statvfs()
    guard unsafe withCString({ unsafe statvfs($0, &status) }) == 0 else { return false }
    return Int(status.f_flag) & Int(ST_RDONLY) != 0
  }
}
