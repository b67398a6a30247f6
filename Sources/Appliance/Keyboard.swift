internal import CLinux
internal import Glibc

/// The terminal that the keys come from, each key at once and without echo.
///
/// The user's own settings come back with `leave`, at the end of its life, and on a crash. Signals
/// that end or stop the program are its owner's to take (`Signals`). One at a time.
struct Keyboard: ~Copyable {
  private let descriptor: Int32
  private let original: termios
  private var isEntered = false
  private var decoder = StrokeDecoder()

  /// nil if `descriptor` is no terminal.
  ///
  /// `farewell` is what the screen is given on a crash, to be as it was.
  init?(_ descriptor: Int32, farewell: StaticString = "") {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return nil }
    self.descriptor = descriptor
    original = settings
    restoreOnCrash(descriptor, settings, farewell)
  }

  deinit {
    if isEntered { Self.set(descriptor, original) }
  }

  /// To be polled for keys; nil while they don't come at once.
  var activeDescriptor: Int32? { isEntered ? descriptor : nil }

  /// Whether this program is the one that the terminal's user talks to.
  var isInForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// Gives keys at once from now on. Signal keys (Ctrl-C, Ctrl-Z) still make signals.
  mutating func enter() {
    var settings = original
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    settings.c_cc.6 = 1  // VMIN: a read waits for one byte,
    settings.c_cc.5 = 0  // VTIME: and for no time more.
    Self.set(descriptor, settings)
    isEntered = true
  }

  /// Gives the terminal back as it was.
  mutating func leave() {
    if isEntered { Self.set(descriptor, original) }
    isEntered = false
  }

  /// The keys that have been pressed; waits if there is none. At the terminal's end it leaves.
  mutating func read() -> [Stroke] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    if count > 0 { return decoder.decode(bytes[..<count]) }
    if count == 0 || (errno != EINTR && errno != EAGAIN) { leave() }
    return []
  }

  private static func set(_ descriptor: Int32, _ settings: termios) {
    var settings = settings
    while unsafe tcsetattr(descriptor, TCSANOW, &settings) != 0, errno == EINTR {}
  }
}

/// The columns of a terminal; 80 if it doesn't tell.
func terminalColumns(_ descriptor: Int32) -> Int { terminalSize(descriptor).columns }

/// Rows and columns; 24 and 80 if it doesn't tell; ioctl(2) TIOCGWINSZ.
func terminalSize(_ descriptor: Int32) -> (rows: Int, columns: Int) {
  var size = winsize()
  guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
  else { return (24, 80) }
  return (Int(size.ws_row), Int(size.ws_col))
}

// MARK: - Crashes

/// Gives the terminal back its settings if the program dies of a fault of its own, then lets the
/// fault take its course.
private func restoreOnCrash(
  _ descriptor: Int32, _ settings: termios, _ farewell: StaticString
) {
  unsafe crash.deallocate()
  unsafe crash = .allocate(capacity: 1)
  unsafe crash.initialize(to: Crash(descriptor: descriptor, settings: settings, farewell: farewell))
  for signal in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { signal in
      let farewell = unsafe crash.pointee.farewell
      _ = unsafe write(crash.pointee.descriptor, farewell.utf8Start, farewell.utf8CodeUnitCount)
      unsafe tcsetattr(crash.pointee.descriptor, TCSANOW, &crash.pointee.settings)
      unsafe sigaction(signal, previousActions + Int(signal), nil)
      raise(signal)
    }
    unsafe sigaction(signal, &action, previousActions + Int(signal))
  }
}

private struct Crash {
  var descriptor: Int32
  var settings: termios
  var farewell: StaticString
}

/// What the handler needs, since it can reach nothing but globals and must not allocate.
private nonisolated(unsafe) var crash = UnsafeMutablePointer<Crash>.allocate(capacity: 1)
private nonisolated(unsafe) let previousActions =
  UnsafeMutablePointer<sigaction>.allocate(capacity: 32)
