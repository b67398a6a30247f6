import Glibc
import Testing

/// Runs a program found on the PATH; gives its exit status (-1 if it can't start) and its output.
func run(_ arguments: [String]) -> (status: Int32, output: String) {
  let template = "/tmp/jukebox-output-XXXXXX"
  var path = Array(template.utf8CString)
  let file = mkstemp(&path)
  defer {
    close(file)
    unlink(path)
  }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_adddup2(&actions, file, 1)
  posix_spawn_file_actions_adddup2(&actions, file, 2)
  var words = arguments.map { strdup($0) } + [nil]
  defer { for word in words { free(word) } }
  var child: pid_t = 0
  guard posix_spawnp(&child, arguments[0], &actions, nil, &words, environ) == 0 else {
    return (-1, "")
  }
  var status: Int32 = 0
  while waitpid(child, &status, 0) == -1 && errno == EINTR {}
  return (
    (status & 0x7f) == 0 ? status >> 8 & 0xff : -1, String(decoding: bytes(of: file), as: UTF8.self)
  )
}

private func bytes(of file: Int32) -> [UInt8] {
  let size = Int(max(0, lseek(file, 0, SEEK_END)))
  return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    count = max(0, pread(file, buffer.baseAddress, size, 0))
  }
}

/// A folder for one test's files, removed with what is in it at the end.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/jukebox-test-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { _ = run(["rm", "-rf", path]) }

  /// The path of a file in the folder.
  static func / (folder: TemporaryFolder, name: String) -> String { folder.path + "/" + name }

  func write(_ samples: [Float], _ name: String) throws {
    let file = open(self / name, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    try #require(file >= 0)
    defer { close(file) }
    let size = samples.count * 4
    try #require(samples.withUnsafeBytes { Glibc.write(file, $0.baseAddress, size) } == size)
  }

  /// A file's content, as elements of a plain type.
  func read<Element: BitwiseCopyable>(_ name: String, as: Element.Type = Element.self) throws
    -> [Element]
  {
    let file = open(self / name, O_RDONLY)
    try #require(file >= 0)
    defer { close(file) }
    return bytes(of: file).withUnsafeBytes { bytes in
      (0..<bytes.count / MemoryLayout<Element>.stride).map {
        bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Element>.stride, as: Element.self)
      }
    }
  }
}
