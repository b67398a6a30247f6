internal import CLinux
internal import Glibc
internal import Synchronization

/// What one thread has to tell another: letters behind a lock, and a descriptor to wait on; eventfd(2).
final class Mailbox<Letter: Sendable>: Sendable {
  /// Readable while there are letters.
  let descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
  private let letters = Mutex<[Letter]>([])

  deinit {
    close(descriptor)
  }

  func post(_ letter: Letter) {
    letters.withLock { $0.append(letter) }
    clinux_signal(descriptor)
  }

  /// All that came since the last call, in order.
  func take() -> [Letter] {
    _ = clinux_take(descriptor)
    return letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
  }

  /// Waits for letters and takes them; empty if none came in time.
  func wait(_ limit: Duration?) -> [Letter] {
    clinux_await(descriptor, limit.map { Int64($0 / .nanoseconds(1)) } ?? -1)
    return take()
  }
}

/// Starts a thread that is never waited for; false if the system has none left.
@discardableResult
func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
  let box = unsafe Unmanaged.passRetained(ThreadBody(name, body))
  var attributes = pthread_attr_t()
  unsafe pthread_attr_init(&attributes)
  unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  defer { unsafe pthread_attr_destroy(&attributes) }
  var thread = pthread_t()
  let error = unsafe pthread_create(
    &thread, &attributes,
    { argument in
      guard let argument = unsafe argument else { return nil }
      let thread = unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
      unsafe clinux_name_thread(thread.name)
      thread.run()
      return nil
    }, box.toOpaque())
  if error != 0 { unsafe box.release() }
  return error == 0
}

/// What a thread does, in a box that C can carry.
private final class ThreadBody: Sendable {
  let name: String
  let run: @Sendable () -> Void

  init(_ name: String, _ run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

/// Now, on the clock that the brains go by.
func monotonicNanoseconds() -> Int64 { clinux_now() }
