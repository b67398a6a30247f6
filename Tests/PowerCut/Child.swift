import Glibc

/// A program that is killed at some point, and what it has written until then.
final class Child {
  private let process: pid_t
  private let pipe: Int32

  init?(_ words: [String]) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
    close(ends[1])
    guard failure == 0 else {
      close(ends[0])
      return nil
    }
    self.process = process
    pipe = ends[0]
  }

  deinit {
    close(pipe)
  }

  func kill() {
    Glibc.kill(process, SIGKILL)
  }

  /// All that it wrote, once it has ended; and whether it came to its own end.
  func end() -> (output: String, isWhole: Bool) {
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(pipe, &piece, piece.count)
      if count <= 0 { break }
      output += piece[..<count]
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return (String(decoding: output, as: UTF8.self), status == 0)
  }
}
