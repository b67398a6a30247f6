internal import Glibc
internal import Library
internal import Synchronization

/// Keeps what must outlive a power cut, on a thread of its own: a disk that is slow, full or hangs
/// never holds the loop.
///
/// Of the state, and of the queue, only what was asked for last is written. What can't be written is
/// tried again with what comes next, and after a while by itself.
final class Keeper: Sendable {
  enum Report: Equatable, Sendable {
    /// Said once, until it works again.
    case failed(String)
    case works
    /// All that was asked for before `flush` is on the disk, or can't be.
    case flushed
  }

  let reports = Mailbox<Report>()

  private struct Work: Sendable {
    var session: [UInt8]?
    var queue: [UInt8]?
    var record = ""
    /// A record that is begun anew, with what a replay starts from.
    var isNewRecord = false
    var isFlush = false
  }

  private let work = Mutex(Work())
  private let signal = Mailbox<Void>()
  let folder: Path
  /// Of the record that waits for a disk that hangs.
  private static let mostRecord = 1 << 20
  private static let retry = Duration.seconds(5)
  private static let sessionRoom = 32 << 10
  private static let queueRoom = 200 << 10

  static func sessionFile(in folder: Path) -> Path { folder.appending(Path("state")) }
  static func queueFile(in folder: Path) -> Path { folder.appending(Path("queue")) }

  /// What was kept last time in a file; empty if nothing was, or it can't be read.
  static func kept(_ file: Path) -> [UInt8] {
    guard let bytes = try? file.wholeContents() else { return [] }
    return TwoSlotFile.newest(in: bytes).map { Array(bytes[$0.contents]) } ?? []
  }

  init(folder: Path) {
    self.folder = folder
  }

  func start() { startThread("keeper") { [self] in run() } }

  // MARK: - Call from any thread

  func keep(session: [UInt8]) { ask { $0.session = session } }
  func keep(queue: [UInt8]) { ask { $0.queue = queue } }

  /// Lines of the flight record, each with its end.
  func record(_ lines: String, isNew: Bool = false) {
    ask { work in
      if isNew {
        work.record = ""
        work.isNewRecord = true
      }
      if work.record.utf8.count < Self.mostRecord { work.record += lines }
    }
  }

  /// Asks to be told once all this is done.
  func flush() { ask { $0.isFlush = true } }

  private func ask(_ change: (inout Work) -> Void) {
    work.withLock { change(&$0) }
    signal.post(())
  }

  // MARK: - The thread

  private func run() {
    var session: [UInt8]?
    var queue: [UInt8]?
    var hasFailed = false
    var files = Files(folder)
    while true {
      _ = signal.wait(session == nil && queue == nil ? nil : Self.retry)
      let new = work.withLock { work in
        defer { work = Work() }
        return work
      }
      session = new.session ?? session
      queue = new.queue ?? queue
      let hasWritten = session != nil || queue != nil
      do throws(SystemError) {
        // The queue goes first: the state names an item that must be in it.
        if let bytes = queue {
          try files.write(queue: bytes)
          queue = nil
        }
        if let bytes = session {
          try files.write(session: bytes)
          session = nil
        }
        if hasFailed, hasWritten {
          reports.post(.works)
          hasFailed = false
        }
        if new.isNewRecord { try files.beginRecord() }
        if !new.record.isEmpty { try files.append(new.record) }
      } catch {
        if !hasFailed { reports.post(.failed("\(folder): \(error) (\(error.call))")) }
        hasFailed = true
        files.close()
      }
      if new.isFlush { reports.post(.flushed) }
    }
  }

  /// The open files, opened when they are first needed.
  private struct Files: ~Copyable {
    let folder: Path
    var session: TwoSlotFile?
    var queue: TwoSlotFile?
    var record: RecordFile?

    init(_ folder: Path) { self.folder = folder }

    mutating func write(session bytes: [UInt8]) throws(SystemError) {
      if session == nil {
        session = try TwoSlotFile(Keeper.sessionFile(in: folder), room: Keeper.sessionRoom)
      }
      try session?.write(bytes)
    }

    mutating func write(queue bytes: [UInt8]) throws(SystemError) {
      if queue == nil {
        queue = try TwoSlotFile(Keeper.queueFile(in: folder), room: Keeper.queueRoom)
      }
      try queue?.write(bytes)
    }

    /// Where a record can't be begun, none is kept until the next.
    mutating func beginRecord() throws(SystemError) {
      record = nil
      record = try RecordFile(in: folder)
    }

    mutating func append(_ lines: String) throws(SystemError) { try record?.append(lines) }

    /// A disk that failed is opened anew when it is tried again.
    mutating func close() {
      session = nil
      queue = nil
    }
  }
}

/// The flight record, whose forerunner is kept beside it.
struct RecordFile: ~Copyable {
  static let limit = 1 << 20

  private let descriptor: Int32

  static func place(in folder: Path) -> Path { folder.appending(Path("flight-record")) }

  init(in folder: Path) throws(SystemError) {
    let file = Self.place(in: folder)
    let old = Path(file.bytes + Array(".old".utf8))
    _ = unsafe withCString(file) { from in unsafe withCString(old) { unsafe rename(from, $0) } }
    descriptor = unsafe withCString(file) {
      unsafe open($0, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o644)
    }
    guard descriptor >= 0 else { throw SystemError(call: "open", errno: errno) }
  }

  deinit {
    close(descriptor)
  }

  func append(_ lines: String) throws(SystemError) {
    var bytes = Array(lines.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        bytes = bytes.dropFirst(count)
      } else if errno != EINTR {
        throw SystemError(call: "write", errno: errno)
      }
    }
  }
}

extension Path {
  /// All of a file.
  func wholeContents() throws(SystemError) -> [UInt8] {
    let descriptor = unsafe withCString(self) { unsafe open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw SystemError(call: "open", errno: errno) }
    defer { close(descriptor) }
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe read(descriptor, &piece, piece.count)
      guard count >= 0 else { throw SystemError(call: "read", errno: errno) }
      if count == 0 { return all }
      all += piece[..<count]
    }
  }
}
