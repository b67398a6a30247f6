import Glibc
import Testing

/// A shell in a terminal of tmux, in which the real `jukebox` runs.
final class Terminal {
  private let folder: TemporaryFolder

  /// Its terminal's settings are written to `before` and, when it has ended, to `after`.
  init(in folder: TemporaryFolder, _ arguments: [String]) throws {
    self.folder = folder
    let words = arguments.map { "'\($0)'" }.joined(separator: " ")
    let script = """
      stty -a >before
      '\(Program.path)' \(words)
      echo "ended $?"
      stty -a >after.new
      mv after.new after
      exec sh
      """
    try folder.write("script", Array(script.utf8))
    _ = try tmux("new-session", "-d", "-x", "90", "-y", "20", "-c", folder.path, "sh script")
  }

  deinit {
    _ = try? tmux("kill-server")
  }

  private func tmux(_ words: String...) throws -> String {
    let program = try Program(
      path: "/usr/bin/tmux", ["-u", "-S", folder("tmux"), "-f", "/dev/null"] + words,
      environment: [
        "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "ALSA_CONFIG_PATH=\(FakeSound.configuration)",
        "RUNTIME_DIRECTORY=\(folder.path)",
      ])
    let status = try program.end()
    try #require(status == 0, "tmux: \(program.errors)")
    return program.output
  }

  /// Types keys, as tmux calls them.
  func type(_ keys: String...) throws {
    for key in keys { _ = try tmux("send-keys", key) }
  }

  var screen: String { (try? tmux("capture-pane", "-p")) ?? "" }

  /// Looks at the screen until it holds the text.
  func wait(for text: String) throws {
    try waitUntil("\(text) on the screen, but\n\(screen)") { screen.contains(text) }
  }

  /// The player's process.
  var process: pid_t? {
    get throws {
      let shell = try tmux("display-message", "-p", "#{pane_pid}").filter(\.isNumber)
      let children = String(
        decoding: try bytes(of: "/proc/\(shell)/task/\(shell)/children"), as: UTF8.self)
      return children.split(separator: " ").first.flatMap { pid_t($0) }
    }
  }
}
