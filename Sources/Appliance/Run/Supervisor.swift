internal import CLinux
internal import Glibc

/// What systemd is told, and how often it wants to hear that all is well.
///
/// The protocol is a datagram to the socket in $NOTIFY_SOCKET, documented and stable (sd_notify(3),
/// "Notes"); libsystemd would be one more library to load before the first sound.
struct Supervisor: ~Copyable {
  private let descriptor: Int32
  private var address = sockaddr_un()
  private var length: socklen_t = 0
  /// Half of what $WATCHDOG_USEC allows between two signs of life; nil if none are wanted.
  let interval: Duration?

  /// From the environment; without $NOTIFY_SOCKET nothing is told.
  init() {
    let name = environment("NOTIFY_SOCKET").map { Array($0.utf8) } ?? []
    let room = MemoryLayout.size(ofValue: address.sun_path)
    let isFor = environment("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
    let limit = environment("WATCHDOG_USEC").flatMap { Int64($0) }
    interval = isFor ? limit.map { .microseconds($0 / 2) } : nil
    guard !name.isEmpty, name.count < room else {
      descriptor = -1
      return
    }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
      for (index, byte) in name.enumerated() { unsafe path[index] = byte }
      // A name in the abstract namespace begins with NUL, written as "@".
      if name[0] == UInt8(ascii: "@") { unsafe path[0] = 0 }
    }
    length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  /// Whether this is a service of systemd's.
  var isThere: Bool { descriptor >= 0 }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Tells of a state such as `READY=1`; never waits.
  func tell(_ state: String) {
    guard descriptor >= 0 else { return }
    var address = address
    let bytes = Array(state.utf8)
    _ = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bytes.withUnsafeBytes {
          unsafe sendto(
            descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT), address, length)
        }
      }
    }
  }
}

/// A variable of the environment; nil if it is not set, or empty.
func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name), unsafe strlen(value) > 0 else { return nil }
  return unsafe String(cString: value)
}
