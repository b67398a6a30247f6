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
    return board.machine.output.contains("can mount")
  }()

  /// Starts no jukebox where no settings are given.
  init(settings: String?, environment: [String] = []) throws {
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
        "PATH=\(path)/bin:/usr/local/bin:/usr/bin:/bin",
        "ALSA_CONFIG_PATH=\(FakeSound.configuration)",
        "RUNTIME_DIRECTORY=\(path)", "FAKEGPIO_PIPE=\(path)/chip",
        "FAKEGPIO_FIRST=label pinctrl-bcm2835;level 5 1;level 6 1;level 17 1;level 27 1;have 164",
        "FAKEGPIO_MODULE=\(FakeSound.chip)",
      ] + environment)
    try self("start")
    if let settings { try run(settings: settings) }
  }

  /// FOLDER in the settings is where media are mounted.
  func write(settings: String) throws {
    try folder.write(
      "settings.toml", Array(settings.replacing("FOLDER", with: path + "/media").utf8))
  }

  /// Starts the jukebox, with these settings read last.
  func run(settings: String) throws {
    try write(settings: settings)
    try self("chip", "pinctrl-bcm2835")
    try self(
      "run", Program.path, "run", "--state", path + "/state", "--config", path + "/settings.toml",
      "--device", "fake:\(path)/card", "--verbose")
    connection = try Remote(path + "/socket")
    connection?.journal = { [machine] in machine.latestErrors() }
  }

  /// Ends the machine, and with it what runs in it.
  deinit {
    send("quit\n", to: commands)
    _ = try? machine.end()
    close(commands)
    close(chip)
  }

  var remote: Remote {
    get throws { try #require(connection) }
  }

  /// The player's process.
  var process: Int? {
    machine.output.split(separator: "\n").last { $0.hasPrefix("process\t") }
      .flatMap { Int($0.filter(\.isNumber)) }
  }

  /// How often each of the player's threads has slept and was woken, or gave way.
  var wakes: [String: [String]] {
    get throws {
      let tasks = "/proc/\(try #require(process))/task"
      var wakes: [String: [String]] = [:]
      let folder = try #require(opendir(tasks))
      defer { closedir(folder) }
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard !name.hasPrefix(".") else { continue }
        let status = String(decoding: try bytes(of: "\(tasks)/\(name)/status"), as: UTF8.self)
        wakes[name] = status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
          .map(String.init)
      }
      return wakes
    }
  }

  /// Does a command of the machine's.
  func callAsFunction(_ words: String...) throws { try self(words) }

  func callAsFunction(_ words: [String]) throws {
    let line = words.joined(separator: "\t") + "\n"
    send(line, to: commands)
    try machine.wait(for: ".\n")
  }

  private func send(_ text: String, to pipe: Int32) {
    _ = Glibc.write(pipe, text, text.utf8.count)
  }

  /// A line's level changes now; its edge has its time when this returns.
  func set(_ line: Int, isHigh: Bool) throws { try set(line, [isHigh]) }

  /// Sets a line's level several times, as fast as can be.
  func set(_ line: Int, _ changes: [Bool]) throws {
    let text = changes.map { "level \(line) \($0 ? 1 : 0)\n" }.joined()
    let count = try levels(of: line).count
    send(text, to: chip)
    try waitUntil("its edges") { (try? levels(of: line).count >= count + changes.count) ?? false }
  }

  /// A finger's press of the button on a line, longer than a contact's dead time.
  func press(_ line: Int) throws {
    try set(line, isHigh: false)
    poll(nil, 0, 30)
    try set(line, isHigh: true)
    poll(nil, 0, 15)
  }

  /// All that a line was set to so far, by a hand or by the player.
  func levels(of line: Int) throws -> [Bool] { try changes(of: line).map(\.isHigh) }

  /// The same, and when, in seconds of the monotonic clock.
  func changes(of line: Int) throws -> [(isHigh: Bool, time: Double)] {
    let text = String(decoding: try bytes(of: path + "/chip.log"), as: UTF8.self)
    var changes: [(isHigh: Bool, time: Double)] = []
    for entry in text.split(separator: "\n") where entry.hasPrefix("\(line) ") {
      let words = entry.split(separator: " ")
      if words.count == 3, let time = Double(words[2]) {
        changes.append((words[1] == "1", time / 1e9))
      }
    }
    return changes
  }
}
