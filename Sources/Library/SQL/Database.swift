internal import CSQLite
internal import Glibc

/// A connection to an SQLite file; belongs to one thread.
@safe final class Database {
  enum Mode: Equatable {
    /// Made if it is not there. `isSafe` has each commit on the disk before it returns.
    case writing(isSafe: Bool)
    case reading
    /// For a file that nobody can change, such as one on a read-only medium.
    case immutable
  }

  let path: Path
  let mode: Mode
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// `cache` is how many bytes of pages are kept in memory: the index of 50,000 songs by title takes two
  /// megabytes.
  init(_ path: Path, _ mode: Mode, cache: Int = 3 << 20) throws(SQLiteError) {
    _ = Self.isSetUp
    let flags =
      switch mode {
      case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .reading: SQLITE_OPEN_READONLY
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    var database: OpaquePointer?
    let place = mode == .immutable ? Self.immutableURI(path) : path
    let code = unsafe place.withCString { name in
      unsafe sqlite3_open_v2(
        name, &database, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    }
    guard code == SQLITE_OK, let database = unsafe database else {
      let message =
        unsafe database == nil ? "out of memory" : String(cString: sqlite3_errmsg(database))
      unsafe sqlite3_close_v2(database)
      throw SQLiteError(code: code, message: "\(path): \(message)", sql: "")
    }
    unsafe handle = unsafe database
    self.path = path
    self.mode = mode
    unsafe sqlite3_busy_timeout(database, 10_000)
    unsafe csqlite_defend(database)
    addFunctions()
    try execute("PRAGMA cache_size = -\(cache >> 10); PRAGMA temp_store = MEMORY")
    if case .writing(let isSafe) = mode {
      try execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = \(isSafe ? "FULL" : "NORMAL")")
    }
  }

  deinit {
    statements = [:]
    unsafe sqlite3_close_v2(handle)
  }

  /// A statement of its own.
  func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    unsafe try Statement(sql, in: handle)
  }

  /// A statement that is kept for the next time; each text must be in use in one place at a time.
  func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements[sql] {
      statement.reset()
      return statement
    }
    let statement = try prepare(sql)
    statements[sql] = statement
    return statement
  }

  /// Statements without values, separated by semicolons; their rows are dropped.
  func execute(_ sql: String) throws(SQLiteError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else {
      throw SQLiteError(
        code: code, message: unsafe String(cString: sqlite3_errmsg(handle)), sql: sql)
    }
  }

  /// Runs a kept statement to its end.
  func run(_ sql: String, _ values: SQLValue...) throws(SQLiteError) {
    let statement = try statement(sql)
    statement.bind(values)
    try statement.run()
  }

  /// What `read` makes of each row of a kept statement.
  func rows<Row>(
    _ sql: String, _ values: SQLValue..., read: (Statement) -> Row
  ) throws(SQLiteError) -> [Row] {
    let statement = try statement(sql)
    statement.bind(values)
    var rows: [Row] = []
    while try statement.step() { rows.append(read(statement)) }
    return rows
  }

  /// The first row of a kept statement, if there is one.
  func row<Row>(
    _ sql: String, _ values: SQLValue..., read: (Statement) -> Row
  ) throws(SQLiteError) -> Row? {
    let statement = try statement(sql)
    statement.bind(values)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return read(statement)
  }

  var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// How many rows the last statement changed.
  var changes: Int { Int(unsafe sqlite3_changes(handle)) }

  /// Reads on from one state of the file until `letGo` or the next transaction.
  ///
  /// Else each statement takes and gives back the file's locks, five calls to the kernel.
  func hold() throws(SQLiteError) {
    if unsafe sqlite3_get_autocommit(handle) != 0 { try run("BEGIN") }
  }

  func letGo() throws(SQLiteError) {
    if unsafe sqlite3_get_autocommit(handle) == 0 { try run("COMMIT") }
  }

  /// All of `body` or nothing.
  func transaction<Result>(
    _ body: () throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    try letGo()
    try run("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      if unsafe sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }

  /// Goes through all of the file (PRAGMA quick_check), unless `isStopped` comes to answer true.
  func check(
    isStrict: Bool = false, unless isStopped: @escaping () -> Bool = { false }
  ) throws(SQLiteError) {
    let box = StopBox(isStopped: isStopped)
    defer { withExtendedLifetime(box) {} }
    unsafe sqlite3_progress_handler(
      handle, 100_000,
      { box in
        guard let box = unsafe box else { return 0 }
        return unsafe Unmanaged<StopBox>.fromOpaque(box).takeUnretainedValue().isStopped() ? 1 : 0
      }, Unmanaged.passUnretained(box).toOpaque())
    defer { unsafe sqlite3_progress_handler(handle, 0, nil, nil) }
    let pragma = isStrict ? "integrity_check" : "quick_check"
    let result = try row("PRAGMA \(pragma)(1)") { $0.text(0) } ?? ""
    guard result == "ok" else {
      throw SQLiteError(code: SQLITE_CORRUPT, message: result, sql: pragma)
    }
  }

  private final class StopBox {
    let isStopped: () -> Bool

    init(isStopped: @escaping () -> Bool) {
      self.isStopped = isStopped
    }
  }

  /// Set up once for the process.
  private static let isSetUp: Bool = {
    csqlite_set_up()
    return true
  }()

  private static func immutableURI(_ path: Path) -> Path {
    let digits = Array("0123456789ABCDEF".utf8)
    let isPlain: (UInt8) -> Bool = { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    let name = path.bytes.flatMap { byte in
      isPlain(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return Path(Array("file:".utf8) + name + Array("?immutable=1".utf8))
  }

  /// `folded(text)`: as names are compared.
  private func addFunctions() {
    unsafe sqlite3_create_function_v2(
      handle, "folded", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
      { context, _, values in
        guard let value = unsafe values?[0], let text = unsafe sqlite3_value_text(value) else {
          return
        }
        let count = Int(unsafe sqlite3_value_bytes(value))
        let string = unsafe String(
          decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
        var folded = Folding.fold(string)
        folded.withUTF8 { utf8 in
          unsafe utf8.withMemoryRebound(to: CChar.self) { text in
            unsafe csqlite_result_text(context, text.baseAddress, Int32(text.count))
          }
        }
      }, nil, nil, nil)
  }
}
