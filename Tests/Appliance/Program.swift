import Glibc
import Testing

/// The real `jukebox`, running on a terminal of its own or on pipes.
final class Program {
  let process: pid_t
  /// All that came out so far, of the terminal or of stdout.
  private(set) var output = ""
  private(set) var errors = ""

  /// The terminal's other end, or the pipe from stdout.
  private let descriptor: Int32
  private let errorPipe: Int32
  private var isReaped = false

  /// How long any wait may take; a test that waits longer fails.
  static let patience = Duration.seconds(120)

  /// Beside the test bundle, where the build puts both.
  static var path: String {
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? ".build/debug/x.xctest/"
    let folder = bundle.split(separator: ".xctest")[0].split(
      separator: "/", omittingEmptySubsequences: false
    ).dropLast()
    return folder.joined(separator: "/") + "/jukebox"
  }

  /// On a terminal with `columns`, or without one and with stdin at its end.
  ///
  /// `environment` is added to what every program is given.
  init(
    path: String = Program.path, _ arguments: [String], columns: UInt16? = nil,
    environment: [String] = []
  ) throws {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    // The test's own thread blocks most signals, and a child would inherit that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, setSignalMask)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    let ends = try Self.pipe()
    let errorEnds = try Self.pipe()
    if let columns {
      descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var number: Int32 = 0
      try #require(ioctl(descriptor, ptmxUnlock, &number) == 0)
      try #require(ioctl(descriptor, ptmxNumber, &number) == 0)
      var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
      try #require(ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0)
      // A session's leader gets the first terminal it opens as its own.
      posix_spawnattr_setflags(&attributes, setSession | setSignalMask)
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
    } else {
      descriptor = ends[0]
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    }
    posix_spawn_file_actions_adddup2(&actions, errorEnds[1], 2)
    errorPipe = errorEnds[0]
    let words = [path] + arguments
    var pointers = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    let variables = ["TERM=xterm", "SWIFT_BACKTRACE=enable=no"] + environment
    var environment = variables.map { strdup($0) } + [nil]
    defer { for pointer in environment { free(pointer) } }
    var process: pid_t = 0
    let failure = posix_spawn(
      &process, path, &actions, &attributes, &pointers, &environment)
    try #require(failure == 0, "\(path) can't be started")
    self.process = process
    close(ends[1])
    if columns != nil { close(ends[0]) }
    close(errorEnds[1])
  }

  /// Both ends of a pipe; no child gets more of it than it is given.
  private static func pipe() throws -> [Int32] {
    var ends: [Int32] = [0, 0]
    try #require(Glibc.pipe(&ends) == 0)
    for end in ends { try #require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
    return ends
  }

  /// Ends it at once, if it runs.
  func stop() {
    guard !isReaped else { return }
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    isReaped = true
  }

  deinit {
    stop()
    close(descriptor)
    close(errorPipe)
  }

  func send(_ text: String) {
    write(descriptor, text, text.utf8.count)
  }

  /// All that has come out on stderr by now.
  func latestErrors() -> String {
    var wait = pollfd(fd: errorPipe, events: Int16(POLLIN), revents: 0)
    while poll(&wait, 1, 0) > 0, wait.revents & Int16(POLLIN) != 0, readOn() {}
    return errors
  }

  /// All that has come out on the terminal or stdout by now.
  func latestOutput() -> String {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&wait, 1, 0) > 0, wait.revents & Int16(POLLIN) != 0, readOn() {}
    return output
  }

  /// Nothing held the loop up, by its own account: it tells what is over 10 ms.
  ///
  /// With more to do than processors, a lock may be held by a thread of idle priority that gets no turn,
  /// for a few hundred milliseconds; what hangs in a file hangs for seconds.
  func expectNoHoldUp() {
    var load = 0.0
    let isBusy = getloadavg(&load, 1) == 1 && load > Double(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    #expect(longestHoldUp() < (isBusy ? 1000 : 100))
  }

  private func longestHoldUp() -> Int {
    latestErrors().split(separator: "held up for ").dropFirst()
      .map { Int($0.prefix { $0.isNumber }) ?? 0 }.max() ?? 0
  }

  /// Reads on until `text` has come out on stderr since the start.
  func waitForError(_ text: String, count: Int = 1) throws {
    let deadline = ContinuousClock.now + Self.patience
    while errors.split(separator: text, omittingEmptySubsequences: false).count <= count {
      try #require(readOn() && .now < deadline, "\(text) has not come; there was \(errors)")
    }
  }

  /// Reads on until `text` has come out since the last wait.
  func wait(for text: String) throws {
    while !output[seen...].contains(text) {
      try #require(
        readOn(), "\(text) has not come; there was \(output.debugDescription), \(errors)")
    }
    let range = output[seen...].firstRange(of: text)
    seen = range?.upperBound ?? seen
  }
  private lazy var seen = output.startIndex

  /// Takes in what is there; false if nothing more comes.
  private func readOn() -> Bool {
    var wait = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errorPipe, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&wait, 2, 1000) > 0 else { return !isZombie }
    var bytes = [UInt8](repeating: 0, count: 4096)
    var isOpen = false
    for (index, end) in [descriptor, errorPipe].enumerated() where wait[index].revents != 0 {
      let count = read(end, &bytes, bytes.count)
      guard count > 0 else { continue }
      isOpen = true
      let text = String(decoding: bytes[..<count], as: UTF8.self)
      if index == 0 { output += text } else { errors += text }
    }
    return isOpen || !isZombie
  }

  private var isZombie: Bool {
    var information = siginfo_t()
    waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT)
    return information.si_signo == SIGCHLD
  }

  /// Waits for the end: the exit status, or minus the signal that ended it.
  func end() throws -> Int32 {
    let deadline = ContinuousClock.now + Self.patience
    while readOn() {
      try #require(.now < deadline, "it has not ended; there was \(output.debugDescription)")
    }
    var status: Int32 = 0
    try #require(waitpid(process, &status, 0) == process)
    isReaped = true
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }

  /// Waits until the process has been stopped by a signal.
  func waitUntilStopped() throws {
    var status: Int32 = 0
    let deadline = ContinuousClock.now + Self.patience
    while waitpid(process, &status, WUNTRACED | WNOHANG) != process {
      try #require(readOn() && .now < deadline, "it has not stopped")
    }
    try #require(status & 0xFF == 0x7F, "it ended")
  }

  /// Whether the terminal gives each key at once, without echo.
  var isRaw: Bool {
    var settings = termios()
    tcgetattr(descriptor, &settings)
    return settings.c_lflag & tcflag_t(ICANON | ECHO) == 0
  }
}

// Linux's own, which the Glibc module leaves out (asm-generic/ioctls.h, spawn.h).
private let ptmxUnlock: UInt = 0x4004_5431
private let ptmxNumber: UInt = 0x8004_5430
private let setSession: Int16 = 0x80
private let setSignalMask: Int16 = 0x08
