internal import Glibc
public import Jukebox
internal import Synchronization

/// Finds out what is on a medium, on a thread of its own that only has what nobody else wants.
///
/// Owned by one thread, which is told by a descriptor that there are events to take.
public final class Scanner: Sendable {
  private let library: Path
  private let medium: MediumID
  private let root: Path
  private let thread: IdleThread<ScanEvent>
  private let damage = Atomic<Bool>(false)

  /// `library` is the library's file, which the medium has been entered into.
  public init(library: Path, medium: MediumID, root: Path) throws(SystemError) {
    self.library = library
    self.medium = medium
    self.root = root
    thread = try IdleThread()
  }

  deinit {
    stop()
  }

  /// Readable when there are events; belongs to the scanner.
  public var descriptor: Int32 { thread.descriptor }

  /// Whether the scan failed since the library's file is damaged: it is to be put aside
  /// (`Catalogue.putAside`), a new one opened, and the media scanned again.
  public var hasFoundDamage: Bool { damage.load(ordering: .acquiring) }

  /// Starts the thread; once.
  public func start() throws(SystemError) {
    try thread.start { [weak self] in self?.scan() }
  }

  /// Ends the scan soon and waits for it; what has been found stays.
  public func stop() { thread.stop() }

  /// Ends the scan soon and does not wait for it: it may hang in a read.
  public func abandon() { thread.abandon() }

  /// The events since the last call.
  public func takeEvents() -> [ScanEvent] { thread.takeEvents() }

  /// Does the scan on the calling thread.
  public func scan() {
    IdleThread<ScanEvent>.settle(as: "scanner")
    do throws(ScanFailure) {
      let scan = try Scan(
        library: library, medium: medium, root: root, isStopped: { [thread] in thread.isStopped },
        report: { [self] event in send(event) })
      try scan.run()
    } catch {
      if case .library(let error) = error, error.isDamage {
        damage.store(true, ordering: .releasing)
      }
      send(.failed(error.description))
    }
  }

  /// Only the last figures count, and the owner may be slow.
  private func send(_ event: ScanEvent) {
    thread.send(event) { last in
      if case .progressed = event, case .progressed = last { true } else { false }
    }
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
