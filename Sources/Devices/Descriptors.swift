internal import CLinux
internal import Glibc

/// Several descriptors that are waited for as one; epoll(7).
struct Descriptors: ~Copyable {
  enum Kind {
    /// Ready as long as there is something to read.
    case level
    /// Ready once for each change, however often it is looked for, until `ready` has told it.
    case edge
  }

  /// Readable while one of them is ready.
  let descriptor: Int32

  init() throws(DeviceError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw DeviceError(call: "epoll_create1", code: errno) }
  }

  deinit {
    close(descriptor)
  }

  /// A closed descriptor leaves by itself.
  func add(_ member: Int32, _ kind: Kind = .level) throws(DeviceError) {
    let events = EPOLLIN.rawValue | (kind == .edge ? EPOLLET.rawValue : 0)
    var event = unsafe epoll_event(events: events, data: epoll_data_t(fd: member))
    guard unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, member, &event) == 0 else {
      throw DeviceError(call: "epoll_ctl", code: errno)
    }
  }

  /// Those that are ready, at most 16; never waits.
  func ready() -> [Int32] {
    unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 16) { events in
      let count = unsafe epoll_wait(descriptor, events.baseAddress, Int32(events.count), 0)
      return unsafe events.prefix(Int(max(count, 0))).map { unsafe $0.data.fd }
    }
  }
}
