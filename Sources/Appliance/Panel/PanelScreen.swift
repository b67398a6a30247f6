internal import CLinux
internal import Glibc

/// The top of a terminal's screen, which stands still while all else that is written scrolls below.
///
/// It has the terminal open by itself, so that a terminal that takes nothing more is not waited for.
struct PanelScreen: ~Copyable {
  /// Lets everything scroll again, and goes to the last row; VT100 DECSTBM and CUP.
  static let farewell: StaticString = "\u{1B}[r\u{1B}[999;1H\n"

  private let terminal: Int32
  private var size: (rows: Int, columns: Int)
  /// What stands there; nil before the first time, and when it is not known.
  private var shown: [String]?

  /// nil if stdout is no terminal.
  init?() {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let terminal = unsafe open("/proc/self/fd/1", flags)
    guard terminal >= 0 else { return nil }
    self.terminal = terminal
    size = terminalSize(terminal)
  }

  deinit {
    close(terminal)
  }

  var columns: Int { size.columns }

  mutating func resize() {
    size = terminalSize(terminal)
    shown = nil
  }

  /// Writes the lines that have changed; false if the terminal does not take them now.
  mutating func show(_ lines: [String]) -> Bool {
    let lines = Array(lines.prefix(max(0, size.rows - 2)))
    guard lines != shown else { return true }
    var text = ""
    if let shown, shown.count == lines.count {
      // The cursor is where others write: DECSC and DECRC.
      text = "\u{1B}7"
      for (row, line) in lines.enumerated() where line != shown[row] { text += put(line, row) }
      text += "\u{1B}8"
    } else {
      text = "\u{1B}[r\u{1B}[2J"
      for (row, line) in lines.enumerated() { text += put(line, row) }
      text += "\u{1B}[\(lines.count + 1);\(size.rows)r\u{1B}[\(lines.count + 1);1H"
    }
    shown = write(text) ? lines : nil
    return shown != nil
  }

  /// Gives the screen back.
  mutating func leave() {
    if shown != nil { _ = write(Self.farewell.description) }
    shown = nil
  }

  private func put(_ line: String, _ row: Int) -> String {
    "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
  }

  private func write(_ text: String) -> Bool {
    unsafe Glibc.write(terminal, text, text.utf8.count) == text.utf8.count
  }
}
