internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread that only has what nobody else wants, and what it has to tell.
///
/// Owned by one thread, which is told by a descriptor that there are events to take.
final class IdleThread<Event: Sendable>: Sendable {
  /// Readable when there are events; closed with the thread.
  let descriptor: Int32

  private let events = Mutex<[Event]>([])
  private let stopFlag = Atomic<Bool>(false)
  private let thread = Mutex<pthread_t?>(nil)

  init() throws(SystemError) {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "eventfd", errno: errno) }
  }

  deinit {
    close(descriptor)
  }

  /// Runs `body` on a thread with a name; once.
  func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    var started = pthread_t()
    let box = unsafe Unmanaged.passRetained(ThreadBody(body))
    let code = unsafe pthread_create(
      &started, nil,
      { body in
        if let body = unsafe body {
          unsafe Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run()
        }
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      throw SystemError(call: "pthread_create", errno: code)
    }
    let handle = started
    thread.withLock { $0 = handle }
  }

  /// Asks the thread to end and waits for it.
  func stop() {
    guard let running = leave() else { return }
    if pthread_equal(running, pthread_self()) != 0 {
      pthread_detach(running)
    } else {
      pthread_join(running, nil)
    }
  }

  /// Asks the thread to end and does not wait for it: it may hang in a read.
  func abandon() {
    if let running = leave() { pthread_detach(running) }
  }

  /// Asks the thread to end; it is somebody's to wait for once.
  private func leave() -> pthread_t? {
    stopFlag.store(true, ordering: .relaxed)
    return thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
  }

  /// For the thread: whether it is to end.
  var isStopped: Bool { stopFlag.load(ordering: .relaxed) }

  /// For the thread: tells the owner, in place of the last event if that is outdated.
  func send(_ event: Event, inPlaceOf isOutdated: (Event) -> Bool = { _ in false }) {
    events.withLock { events in
      if let last = events.last, isOutdated(last) { events.removeLast() }
      events.append(event)
    }
    clinux_signal(descriptor)
  }

  /// The events since the last call.
  func takeEvents() -> [Event] {
    _ = clinux_take(descriptor)
    return events.withLock { events in
      defer { events = [] }
      return events
    }
  }

  /// Gives the calling thread its name and what nobody else wants.
  static func settle(as name: String) {
    unsafe clinux_name_thread(name)
    clinux_idle()
  }
}

/// What a thread does, in a box that C can carry.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}
