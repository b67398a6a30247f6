internal import CLinux
internal import Glibc

/// Where `jukebox play` tells what it does: one changing line on a terminal, else a line an event.
struct Screen {
  /// Whether there is a status line; without one no escape code is ever written.
  var hasStatusLine: Bool {
    didSet { if !hasStatusLine { status = "" } }
  }
  var columns: Int

  private let output: Int32
  private let errors: Int32
  /// What stands on the status line now.
  private var status = ""

  init(output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO, hasStatusLine: Bool) {
    self.output = output
    self.errors = errors
    self.hasStatusLine = hasStatusLine
    columns = terminalColumns(output)
  }

  /// Brings the status line up to date; writes nothing if it reads the same.
  mutating func show(_ line: StatusLine) {
    guard hasStatusLine else { return }
    let text = line.text(columns: columns - 1)
    guard text != status else { return }
    status = text
    write("\r" + text + clearToEnd, to: output)
  }

  /// Tells an event, where there is no status line to show it.
  func tell(_ event: String) {
    if !hasStatusLine { write(printable(event) + "\n", to: output) }
  }

  /// Tells what went wrong, above the status line.
  mutating func complain(_ sentence: String) {
    clear()
    write("jukebox: " + printable(sentence) + "\n", to: errors)
  }

  /// Takes the status line away, until it is shown again.
  mutating func clear() {
    guard hasStatusLine, !status.isEmpty else { return }
    status = ""
    write("\r" + clearToEnd, to: output)
  }

  private var clearToEnd: String { "\u{1B}[K" }
}

/// Writes all of a text; gives up if nobody reads any more, or not for a quarter of a second.
///
/// A terminal that was stopped, or a full pipe, must not stop the music.
func write(_ text: String, to descriptor: Int32) {
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&wait, 1, 250) > 0 else { return }
    // A pipe that polls as writable takes this much without blocking; pipe(7), PIPE_BUF.
    let piece = bytes.prefix(4096)
    let count = unsafe piece.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      bytes = bytes.dropFirst(count)
    } else if errno != EINTR, errno != EAGAIN {
      return
    }
  }
}
