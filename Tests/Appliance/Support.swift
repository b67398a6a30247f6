import Glibc
import Testing

/// A folder of the test's own, removed with all that is in it.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/jukebox-appliance-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    _ = try? run("rm", "-rf", path)
  }

  /// Writes a file, and the folders it is in; gives its path.
  @discardableResult
  func write(_ name: String, _ bytes: [UInt8] = []) throws -> String {
    let full = Array(path.utf8) + [UInt8(ascii: "/")] + Array(name.utf8)
    for (index, byte) in full.enumerated() where byte == UInt8(ascii: "/") && index > 0 {
      mkdir(full[..<index].map { CChar(bitPattern: $0) } + [0], 0o755)
    }
    let descriptor = open(
      full.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = Glibc.write(descriptor, Array(bytes[written...]), bytes.count - written)
      try #require(count > 0)
      written += count
    }
    return String(decoding: full, as: UTF8.self)
  }

  func callAsFunction(_ name: String) -> String { path + "/" + name }
}

/// Runs a program to its end; its output is thrown away.
func run(_ words: String...) throws { try run(words) }

func run(_ words: [String]) throws {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for descriptor: Int32 in [0, 1, 2] {
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
  }
  var arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var process: pid_t = 0
  let failure = posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
  try #require(failure == 0, "\(words[0]) is not installed")
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0, errno == EINTR {}
  try #require(status == 0, "\(words.joined(separator: " ")) failed")
}

/// 16-bit stereo at 44.1 kHz as a WAV file (Microsoft's RIFF specification of 1991): silence, or
/// whatever samples of the same two bytes are.
func silentWAV(seconds: Double, of byte: UInt8 = 0) -> [UInt8] {
  func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  let size = Int(seconds * 44100) * 4
  return Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
    + little(1, 2) + little(2, 2) + little(44100, 4) + little(176_400, 4) + little(4, 2)
    + little(16, 2) + Array("data".utf8) + little(size, 4) + [UInt8](repeating: byte, count: size)
}

/// All of a file.
func bytes(of path: String) throws -> [UInt8] {
  let descriptor = open(path, O_RDONLY)
  try #require(descriptor >= 0)
  defer { close(descriptor) }
  var all: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(descriptor, &piece, piece.count)
    try #require(count >= 0)
    if count == 0 { return all }
    all += piece[..<count]
  }
}

/// Looks again and again until something is so; fails after a while.
func waitUntil(_ comment: String, _ isSo: () -> Bool) throws {
  let deadline = ContinuousClock.now + Program.patience
  while !isSo() {
    try #require(.now < deadline, "not yet: \(comment)")
    poll(nil, 0, 5)
  }
}

extension TemporaryFolder {
  /// A `systemctl` in the folder's `bin` that only writes down what it is asked for.
  func writeSystemctl() throws {
    let script = "#!/bin/sh\necho \"$@\" >>'\(path)/systemctl.log'\n"
    chmod(try write("bin/systemctl", Array(script.utf8)), 0o755)
  }

  /// What it was asked for.
  var systemctl: String {
    get throws {
      let log = path + "/systemctl.log"
      return access(log, F_OK) == 0 ? String(decoding: try bytes(of: log), as: UTF8.self) : ""
    }
  }
}
