internal import CLinux
internal import Glibc
internal import Library

/// A clock that wakes the main loop once, through a descriptor to poll; timerfd(2).
struct Ticker: ~Copyable {
  let descriptor: Int32

  init() throws(SystemError) {
    let descriptor = timerfd_create(
      CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "timerfd_create", errno: errno) }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Wakes once after a time, instead of any time set before.
  func set(in time: Duration) {
    clinux_set(descriptor, Int64(max(time, .milliseconds(1)) / .nanoseconds(1)))
  }

  /// Wakes no more.
  func stop() {
    clinux_set(descriptor, 0)
  }

  /// Makes the descriptor unreadable again after a wake.
  func clear() {
    _ = clinux_take(descriptor)
  }
}
