internal import CLinux
internal import Glibc
internal import Library

/// The signals that the main loop takes as events, through a descriptor to poll; signalfd(2).
///
/// Make it before any thread starts, so that every thread leaves these signals to it.
struct Signals: ~Copyable {
  enum Signal: Equatable {
    /// End: Ctrl-C, kill, or the terminal went away.
    case end(Int32)
    /// Ctrl-Z: let the user's shell have the terminal.
    case suspend
    /// Back again.
    case resume
    /// The terminal's size has changed.
    case resize
  }

  let descriptor: Int32

  init() throws(SystemError) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH] {
      unsafe sigaddset(&set, signal)
    }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    let descriptor = unsafe signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "signalfd", errno: errno) }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// The next signal that has arrived, if any.
  func next() -> Signal? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard unsafe read(descriptor, &information, size) == size else { return nil }
    switch Int32(information.ssi_signo) {
    case SIGTSTP: return .suspend
    case SIGCONT: return .resume
    case SIGWINCH: return .resize
    case let signal: return .end(signal)
    }
  }
}
