internal import CLinux
internal import Glibc

/// One line a fact, on stderr, with the priority that the journal reads at its start; sd-daemon(3).
///
/// Never waits: where nobody reads the other end of a pipe, lines are lost.
struct Journal {
  enum Priority: Int {
    case error = 3
    case warning = 4
    case info = 6
    case debug = 7
  }

  /// Whether `debug` lines are written too.
  let isVerbose: Bool

  func say(_ text: String) { line(.info, text) }
  func warn(_ text: String) { line(.warning, text) }
  func debug(_ text: String) { if isVerbose { line(.debug, text) } }

  func line(_ priority: Priority, _ text: String) {
    let bytes = Array("<\(priority.rawValue)>\(printable(text))\n".utf8)
    var wait = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&wait, 1, 0) > 0 else { return }
    // A pipe that polls as writable takes this much without blocking; pipe(7), PIPE_BUF.
    _ = unsafe bytes.prefix(4096).withUnsafeBytes {
      unsafe write(STDERR_FILENO, $0.baseAddress, $0.count)
    }
  }
}
