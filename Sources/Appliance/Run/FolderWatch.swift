internal import CLinux
internal import Glibc
internal import Library

/// Tells of files by name that come, change or go in some folders; inotify(7).
///
/// The files themselves are never touched: one may be where a medium hangs.
struct FolderWatch: ~Copyable {
  struct Event {
    var path: Path
    /// Of IN_CREATE and so on.
    var mask: UInt32
  }

  /// Readable when something has happened.
  let descriptor: Int32
  private let mask: UInt32
  private var folders: [Int32: Path] = [:]

  /// Folders that are not there are passed over.
  init(_ folders: [Path], for mask: Int32) throws(SystemError) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "inotify_init1", errno: errno) }
    self.mask = UInt32(bitPattern: mask) | UInt32(IN_ONLYDIR)
    for folder in folders {
      let watch = unsafe withCString(folder) {
        unsafe inotify_add_watch(descriptor, $0, self.mask)
      }
      if watch >= 0 { self.folders[watch] = folder }
    }
  }

  deinit {
    close(descriptor)
  }

  var watched: Set<Path> { Set(folders.values) }

  /// What happened since the last call, in order.
  func takeEvents() -> [Event] {
    var events: [Event] = []
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = unsafe read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return events }
      var start = 0
      while start + 16 <= count {
        let (watch, mask, size) = (
          word(bytes, start), word(bytes, start + 4), word(bytes, start + 12)
        )
        let name = Path(bytes[(start + 16)..<(start + 16 + Int(size))])
        start += 16 + Int(size)
        guard let folder = folders[Int32(bitPattern: watch)] else { continue }
        events.append(Event(path: folder.appending(name), mask: mask))
      }
    }
  }

  private func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
  }
}
