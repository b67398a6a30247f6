internal import CLinux
internal import Glibc
internal import Library

/// Everything that the main thread waits for, in one epoll set; epoll(7).
///
/// A source is a kind and a descriptor. To wait for one more thing is one more case, one more `watch`
/// and one more line where the kinds are told apart.
struct Loop: ~Copyable {
  enum Kind: UInt32 {
    case sound, librarian, keeper, lookout, scanner, folders, timer, signals, listener, client
    case hotPlug, lines, keys, settings, settingsFiles, mixer, clock, survey, keyboard, releases
  }

  struct Ready: Equatable {
    var kind: Kind
    var descriptor: Int32
    var canWrite: Bool
    /// There is something to read, or the other end is gone.
    var canRead: Bool
  }

  private let epoll: Int32
  /// Tells how long this thread has waited for a processor.
  private let schedule: Int32
  /// When the last sleep ended, and how long the thread had run by then; nanoseconds.
  private var woken: (at: Int64, ran: Int64) = (0, 0)
  private var isUrgent = false
  private var ready = [clinux_ready](repeating: clinux_ready(), count: 32)

  init() throws(SystemError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw SystemError(call: "epoll_create1", errno: errno) }
    schedule = unsafe open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
  }

  deinit {
    close(epoll)
    close(schedule)
  }

  /// Waits from now on until a descriptor can be read.
  func watch(_ descriptor: Int32, _ kind: Kind) {
    control(EPOLL_CTL_ADD, descriptor, kind, EPOLLIN.rawValue)
  }

  /// Changes what is waited for; that the other end is gone is told in any case.
  func change(_ descriptor: Int32, _ kind: Kind, reading: Bool, writing: Bool) {
    let events = (reading ? EPOLLIN.rawValue : 0) | (writing ? EPOLLOUT.rawValue : 0)
    control(EPOLL_CTL_MOD, descriptor, kind, events)
  }

  /// Before the descriptor is closed.
  func forget(_ descriptor: Int32) {
    clinux_watch(epoll, EPOLL_CTL_DEL, descriptor, 0, 0)
  }

  private func control(_ operation: Int32, _ descriptor: Int32, _ kind: Kind, _ events: UInt32) {
    let word = UInt64(kind.rawValue) << 32 | UInt64(UInt32(bitPattern: descriptor))
    let result = clinux_watch(epoll, operation, descriptor, events, word)
    precondition(result == 0, "A descriptor can't be waited for.")
  }

  /// How long the loop waited for something else since it woke, if that was long. Other programs that
  /// had the processor don't count.
  var holdUp: Duration? {
    let time = clinux_now() - woken.at
    guard woken.at > 0, time > Self.limit else { return nil }
    let waited = time - (clinux_ran(schedule) - woken.ran)
    return waited > Self.limit ? .nanoseconds(waited) : nil
  }

  private static let limit: Int64 = 10_000_000

  /// Under the audio thread's (40). Without it a press waits for its turn while other programs are
  /// busy: 30 ms and more, where the turns are long.
  private static let priority: Int32 = 10

  /// Sleeps until something is ready; does not sleep at all if there is work left.
  ///
  /// What is ready goes before other programs, where that is allowed; work that is left does not.
  mutating func wait(hasWork: Bool) -> [Ready] {
    if isUrgent == hasWork {
      isUrgent = !hasWork
      clinux_hurry(isUrgent ? Self.priority : 0)
    }
    defer { woken = (clinux_now(), clinux_ran(schedule)) }
    let count = unsafe clinux_epoll(epoll, &ready, Int32(ready.count), hasWork ? 0 : -1)
    guard count > 0 else { return [] }
    return ready[..<Int(count)].compactMap { one in
      guard let kind = Kind(rawValue: UInt32(truncatingIfNeeded: one.word >> 32)) else {
        return nil
      }
      return Ready(
        kind: kind, descriptor: Int32(truncatingIfNeeded: one.word),
        canWrite: one.events & EPOLLOUT.rawValue != 0,
        canRead: one.events & ~EPOLLOUT.rawValue != 0)
    }
  }
}
