internal import CSQLite

/// What SQLite could not do.
public struct SQLiteError: Error, Equatable, CustomStringConvertible {
  /// The extended result code.
  public var code: Int32
  public var message: String
  /// The statement, without the values bound to it.
  public var sql: String

  public var description: String { sql.isEmpty ? message : "\(message) (in: \(sql))" }

  /// Whether the file is damaged, or none of SQLite's.
  public var isDamage: Bool {
    [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF)
      || code == SQLITE_ERROR && message == "unsupported file format"
  }

  /// Whether another connection held the lock for too long.
  public var isBusy: Bool { code & 0xFF == SQLITE_BUSY }
}
