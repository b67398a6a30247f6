import Glibc
import Testing

/// A made-up board (Tests/Testbed) on which the real `jukebox run` has GPIO lines, keys and sticks.
final class Board {
  let folder: TemporaryFolder
  let path: String
  let machine: Program
  private var connection: Remote?
  private let commands: Int32
  private let chip: Int32

  /// Whether the system lets the machine have mounts of its own.
  static let canMount: Bool = {
    guard let board = try? Board(settings: nil) else { return false }
    return (try? board.machine.wait(for: "can mount")) != nil
  }()

  /// `settings` is the settings file, FOLDER in it being where media are mounted; nil starts no jukebox.
  init(settings: String?) throws {
    folder = try TemporaryFolder()
    path = folder.path
    for name in ["media", "state"] { mkdir(path + "/" + name, 0o755) }
    for name in ["commands", "chip"] { mkfifo(path + "/" + name, 0o600) }
    commands = open(path + "/commands", O_RDWR | O_CLOEXEC)
    chip = open(path + "/chip", O_RDWR | O_CLOEXEC)
    let testbed = Program.path.dropLast("jukebox".count) + "Testbed"
    machine = try Program(
      path: "/bin/sh",
      ["-c", "exec umockdev-wrapper '\(testbed)' '\(path)/media' <'\(path)/commands'"],
      environment: [
        "PATH=/usr/local/bin:/usr/bin:/bin", "ALSA_CONFIG_PATH=\(FakeSound.configuration)",
        "RUNTIME_DIRECTORY=\(path)", "FAKEGPIO=\(path)/chip",
        "FAKEGPIO_FIRST=label pinctrl-bcm2835;level 17 1;have 164",
        "FAKEGPIO_MODULE=\(FakeSound.chip)",
      ])
    try self("start")
    guard let settings else { return }
    try folder.write(
      "settings.toml", Array(settings.replacing("FOLDER", with: path + "/media").utf8))
    try self("chip", "pinctrl-bcm2835")
    try self(
      "run", Program.path, "run", "--state", path + "/state", "--config", path + "/settings.toml",
      "--device", "fake:\(path)/card", "--verbose")
    connection = try Remote(path + "/socket")
    connection?.journal = { [machine] in machine.latestErrors() }
  }

  /// Ends the machine, and with it what runs in it.
  deinit {
    try? self("quit")
    _ = try? machine.end()
    close(commands)
    close(chip)
  }

  var remote: Remote {
    get throws { try #require(connection) }
  }

  /// Does a command of the machine's.
  func callAsFunction(_ words: String...) throws {
    let line = words.joined(separator: "\t") + "\n"
    try #require(write(commands, line, line.utf8.count) == line.utf8.count)
    try machine.wait(for: ".\n")
  }

  /// A line's level changes now.
  func set(_ line: Int, isHigh: Bool) throws {
    let text = "level \(line) \(isHigh ? 1 : 0)\n"
    try #require(write(chip, text, text.utf8.count) == text.utf8.count)
  }

  /// All that outputs were set to so far.
  var outputs: [String] {
    get throws {
      String(decoding: try bytes(of: path + "/chip.log"), as: UTF8.self).split(separator: "\n")
        .map(String.init)
    }
  }
}
