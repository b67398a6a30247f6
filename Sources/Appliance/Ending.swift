internal import Glibc

/// How the program ends; the help says what each means to its caller.
enum Ending: Equatable {
  /// All was played that could be, or the user quit: 0.
  case played
  /// Nothing could be played: 1.
  case nothingPlayed
  /// The command line is wrong: 2.
  case wrongUsage
  /// The appliance was asked to switch itself off: 0.
  case shutDown
  /// A signal asked for it, and ends it as signals do, so that a shell sees why.
  case signal(Int32)

  func endProcess() -> Never {
    switch self {
    case .played: exit(0)
    case .shutDown:
      // Outside systemd it is a program like any other, and the machine is not its own.
      if Supervisor().isThere, let fault = Systemctl.powerOff() {
        write("jukebox: the board can't be switched off: \(fault)\n", to: STDERR_FILENO)
      }
      exit(0)
    case .nothingPlayed: exit(1)
    case .wrongUsage: exit(2)
    case .signal(let number):
      var set = sigset_t()
      unsafe sigemptyset(&set)
      unsafe sigaddset(&set, number)
      Glibc.signal(number, SIG_DFL)
      raise(number)
      unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
      exit(128 + number)
    }
  }
}
