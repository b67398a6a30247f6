internal import CSQLite
internal import Glibc

/// A value that SQL can hold.
enum SQLValue: Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  init(_ integer: some BinaryInteger) { self = .integer(Int64(integer)) }
}

/// A compiled statement; belongs to its database's thread.
@safe final class Statement {
  private let handle: OpaquePointer
  private let database: OpaquePointer

  init(_ sql: String, in database: OpaquePointer) throws(SQLiteError) {
    unsafe self.database = unsafe database
    var statement: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement = unsafe statement else {
      throw SQLiteError(
        code: code, message: unsafe String(cString: sqlite3_errmsg(database)), sql: sql)
    }
    unsafe handle = unsafe statement
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }

  // MARK: - Values in, counted from 1

  func bind(_ value: Int64?, at index: Int32) {
    if let value {
      unsafe sqlite3_bind_int64(handle, index, value)
    } else {
      unsafe sqlite3_bind_null(handle, index)
    }
  }

  func bind(_ value: Int?, at index: Int32) { bind(value.map(Int64.init), at: index) }

  func bind(_ value: Double?, at index: Int32) {
    if let value {
      unsafe sqlite3_bind_double(handle, index, value)
    } else {
      unsafe sqlite3_bind_null(handle, index)
    }
  }

  func bind(_ value: String?, at index: Int32) {
    guard var value else {
      unsafe sqlite3_bind_null(handle, index)
      return
    }
    value.withUTF8 { utf8 in
      unsafe utf8.withMemoryRebound(to: CChar.self) { text in
        _ = unsafe csqlite_bind_text(handle, index, text.baseAddress, Int32(text.count))
      }
    }
  }

  func bind(_ value: [UInt8]?, at index: Int32) {
    guard let value else {
      unsafe sqlite3_bind_null(handle, index)
      return
    }
    unsafe value.withUnsafeBytes { bytes in
      _ = unsafe csqlite_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count))
    }
  }

  func bind(_ value: SQLValue, at index: Int32) {
    switch value {
    case .null: unsafe sqlite3_bind_null(handle, index)
    case .integer(let value): bind(value, at: index)
    case .real(let value): bind(value, at: index)
    case .text(let value): bind(value, at: index)
    case .blob(let value): bind(value, at: index)
    }
  }

  func bind(_ values: [SQLValue]) {
    for (index, value) in values.enumerated() { bind(value, at: Int32(index + 1)) }
  }

  // MARK: - Rows out, their columns counted from 0

  /// Goes to the next row; false, and ready for other values, when there is none.
  func step() throws(SQLiteError) -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      unsafe sqlite3_reset(handle)
      return false
    default:
      let code = unsafe sqlite3_extended_errcode(database)
      let message = unsafe String(cString: sqlite3_errmsg(database))
      let sql = unsafe sqlite3_sql(handle).map { unsafe String(cString: $0) } ?? ""
      unsafe sqlite3_reset(handle)
      throw SQLiteError(code: code, message: message, sql: sql)
    }
  }

  /// Runs it to its end, for what it does.
  func run() throws(SQLiteError) {
    while try step() {}
  }

  func reset() {
    unsafe sqlite3_reset(handle)
  }

  func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  func int(_ column: Int32) -> Int { Int(integer(column)) }

  func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }

  func real(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

  func optionalReal(_ column: Int32) -> Double? { isNull(column) ? nil : real(column) }

  func value(_ column: Int32) -> SQLValue {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(real(column))
    case SQLITE_TEXT: .text(text(column))
    default: .blob(bytes(column))
    }
  }

  /// Empty for NULL.
  func text(_ column: Int32) -> String {
    guard let text = unsafe sqlite3_column_text(handle, column) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe String(
      decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// Empty for NULL.
  func bytes(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Whether a column's bytes are these.
  func hasBytes(_ bytes: ArraySlice<UInt8>, in column: Int32) -> Bool {
    guard Int(unsafe sqlite3_column_bytes(handle, column)) == bytes.count else { return false }
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return bytes.isEmpty }
    return unsafe bytes.withUnsafeBytes { other in
      unsafe other.baseAddress.map { unsafe memcmp(start, $0, bytes.count) == 0 } ?? true
    }
  }
}
