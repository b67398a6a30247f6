import Glibc
import Testing

/// The program of Tests/Testbed at work: a made-up machine with the real `HotPlug` in it.
final class Machine {
  let folder: String
  private let process: pid_t
  private let commands: Int32
  private let answers: Int32
  private var unread: [UInt8] = []

  /// Whether the system lets the program have mounts of its own.
  static let canMount: Bool =
    (try? Machine()).flatMap { try? $0("start") }?.contains("can mount") ?? false

  /// Beside the test bundle, where the build puts both, unless TESTBED names another build of it.
  private static var program: String {
    if let other = getenv("TESTBED") { return String(cString: other) }
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? ".build/debug/x.xctest/"
    let folder = bundle.split(separator: ".xctest")[0].split(
      separator: "/", omittingEmptySubsequences: false
    ).dropLast()
    return folder.joined(separator: "/") + "/Testbed"
  }

  init() throws {
    var template = Array("/tmp/jukebox-machine-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var input: [Int32] = [0, 0]
    var output: [Int32] = [0, 0]
    try #require(pipe(&input) == 0 && pipe(&output) == 0)
    for end in input + output { try #require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input[0], 0)
    posix_spawn_file_actions_adddup2(&actions, output[1], 1)
    let words = ["umockdev-wrapper", Self.program, folder]
    var pointers = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, words[0], &actions, nil, &pointers, environ)
    close(input[0])
    close(output[1])
    self.process = process
    commands = input[1]
    answers = output[0]
    try #require(failure == 0, "umockdev-wrapper can't be started")
  }

  deinit {
    close(commands)
    waitpid(process, nil, 0)
    close(answers)
    rmdir(folder)
  }

  /// Does a command and gives what was printed, each line's tabs as spaces.
  @discardableResult
  func callAsFunction(_ words: String...) throws -> [String] { try self(words) }

  @discardableResult
  func callAsFunction(_ words: [String]) throws -> [String] {
    let line = words.joined(separator: "\t") + "\n"
    try #require(write(commands, line, line.utf8.count) == line.utf8.count)
    var lines: [String] = []
    while true {
      let answer = try nextLine()
      guard answer != "." else { return lines }
      lines.append(answer.split(separator: "\t").joined(separator: " "))
    }
  }

  private func nextLine() throws -> String {
    while !unread.contains(UInt8(ascii: "\n")) {
      var ready = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
      try #require(poll(&ready, 1, 60_000) > 0, "The machine gives no answer")
      var piece = [UInt8](repeating: 0, count: 4096)
      let count = read(answers, &piece, piece.count)
      try #require(count > 0, "The machine is dead")
      unread += piece[..<count]
    }
    let end = unread.firstIndex(of: UInt8(ascii: "\n")) ?? 0
    defer { unread.removeSubrange(...end) }
    return String(decoding: unread[..<end], as: UTF8.self)
  }

  // MARK: Devices

  static func filesystem(_ uuid: String, label: String = "", type: String = "vfat") -> [String] {
    ["ID_FS_USAGE=filesystem", "ID_FS_TYPE=\(type)", "ID_FS_UUID_ENC=\(uuid)"]
      + (label.isEmpty ? [] : ["ID_FS_LABEL_ENC=\(label)"])
  }

  static func numbers(_ minor: Int) -> [String] { ["MAJOR=8", "MINOR=\(minor)"] }

  /// Adds a disk or, with a parent, a partition.
  @discardableResult
  func plug(
    _ name: String, in parent: String = "-", minor: Int, sectors: Int, _ words: [String] = []
  ) throws -> [String] {
    try self(
      ["add", "block", name, parent, "@size=\(sectors)", "DEVNAME=/dev/\(name)"]
        + ["DEVTYPE=\(parent == "-" ? "disk" : "partition")"] + Self.numbers(minor) + words
    ).filter { !$0.hasPrefix("path") }
  }

  /// Tells udev's end of a device, then takes it out of /sys.
  @discardableResult
  func pull(_ path: String) throws -> [String] {
    let lines = try self("tell", path, "remove")
    return try lines + self("remove", path)
  }
}
