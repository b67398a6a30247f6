internal import CLinux
internal import Glibc
public import Jukebox
internal import Synchronization

/// Finds out what is on a medium, on a thread of its own that only has what nobody else wants.
///
/// Owned by one thread, which is told by a descriptor that there are events to take.
public final class Scanner: Sendable {
  /// Readable when there are events; belongs to the scanner.
  public let descriptor: Int32

  private let library: Path
  private let medium: MediumID
  private let root: Path
  private let events = Mutex<[ScanEvent]>([])
  private let isStopped = Atomic<Bool>(false)
  private let thread = Mutex<pthread_t?>(nil)

  /// `library` is the library's file, which the medium has been entered into.
  public init(library: Path, medium: MediumID, root: Path) throws(SystemError) {
    self.library = library
    self.medium = medium
    self.root = root
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "eventfd", errno: errno) }
  }

  deinit {
    stop()
    close(descriptor)
  }

  /// Starts the thread; once.
  public func start() throws(SystemError) {
    var started = pthread_t()
    let box = unsafe Unmanaged.passRetained(ThreadBody { [weak self] in self?.scan() })
    let code = unsafe pthread_create(
      &started, nil,
      { body in
        if let body = unsafe body {
          unsafe Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run()
        }
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      throw SystemError(call: "pthread_create", errno: code)
    }
    let handle = started
    thread.withLock { $0 = handle }
  }

  /// Ends the scan soon and waits for it; what has been found stays.
  public func stop() {
    isStopped.store(true, ordering: .relaxed)
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    guard let running else { return }
    if pthread_equal(running, pthread_self()) != 0 {
      pthread_detach(running)
    } else {
      pthread_join(running, nil)
    }
  }

  /// Ends the scan soon and does not wait for it: it may hang in a read.
  public func abandon() {
    isStopped.store(true, ordering: .relaxed)
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let running { pthread_detach(running) }
  }

  /// The events since the last call.
  public func takeEvents() -> [ScanEvent] {
    _ = clinux_take(descriptor)
    return events.withLock { events in
      defer { events = [] }
      return events
    }
  }

  /// Does the scan on the calling thread.
  public func scan() {
    unsafe clinux_name_thread("scanner")
    clinux_idle()
    do throws(ScanFailure) {
      let scan = try Scan(
        library: library, medium: medium, root: root,
        isStopped: { [self] in isStopped.load(ordering: .relaxed) },
        report: { [self] event in send(event) })
      try scan.run()
    } catch {
      send(.failed(error.description))
    }
  }

  private func send(_ event: ScanEvent) {
    events.withLock { events in
      // Only the last figures count, and the owner may be slow.
      if case .progressed = event, case .progressed = events.last { events.removeLast() }
      events.append(event)
    }
    clinux_signal(descriptor)
  }
}

/// What a thread does, in a box that C can carry.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}

/// Why a scan could not go on.
enum ScanFailure: Error, CustomStringConvertible {
  case medium(SystemError, Path)
  case library(SQLiteError)
  case stopped

  var description: String {
    switch self {
    case .medium(let error, let path): "\(path): \(error)"
    case .library(let error): "the library can't be written: \(error)"
    case .stopped: "stopped"
    }
  }
}
