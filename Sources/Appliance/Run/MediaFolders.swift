internal import CLinux
internal import Devices
internal import Glibc
internal import Library

/// Folders that stand for media: one that appears is a stick plugged in, one that goes is pulled out.
///
/// What is watched are the folders that they are in, by name: a medium that hangs is never touched here.
struct MediaFolders: ~Copyable {
  enum Event: Equatable {
    case appeared(Path)
    case went(Path)
  }

  let folders: [Path]
  /// Readable when something has happened; inotify(7).
  let descriptor: Int32
  private var parents: [Int32: Path] = [:]

  init(_ folders: [Path]) throws(SystemError) {
    self.folders = folders
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "inotify_init1", errno: errno) }
    for folder in folders { watch(folder.parent) }
  }

  deinit {
    close(descriptor)
  }

  private mutating func watch(_ parent: Path) {
    let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR)
    let watch = unsafe withCString(parent) { unsafe inotify_add_watch(descriptor, $0, mask) }
    if watch >= 0 { parents[watch] = parent }
  }

  /// The folders in which media can't be seen to come, since they are not there themselves.
  var missingParents: [Path] {
    let watched = Set(parents.values)
    return folders.map(\.parent).filter { !watched.contains($0) }
  }

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
        guard let parent = parents[Int32(bitPattern: watch)] else { continue }
        let path = parent.appending(name)
        let isHere = mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0
        if folders.contains(path) { events.append(isHere ? .appeared(path) : .went(path)) }
      }
    }
  }

  private func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
  }
}

/// Looks at media as they come, each on a thread of its own: one that hangs keeps nobody waiting.
final class Lookout: Sendable {
  struct Sighting: Sendable {
    var root: Path
    /// Which of the looks at this folder it was.
    var turn: Int
    /// Nil if it is not there, or can't be read.
    var identity: MediumIdentity?
    /// What settings it carries.
    var settings: [UInt8]?
  }

  let sightings = Mailbox<Sighting>()

  /// `filesystem` is what udev says is mounted there; nil for a folder that is given by its path.
  func look(at root: Path, _ filesystem: Filesystem?, turn: Int) {
    startThread("lookout") { [sightings] in
      let identity =
        if let filesystem {
          try? MediumIdentity(filesystem: filesystem.uuid, label: filesystem.label, at: root)
        } else {
          try? MediumIdentity(folder: root)
        }
      let file = Configuration.carried(by: root)
      sightings.post(
        Sighting(
          root: root, turn: turn, identity: identity,
          settings: identity == nil ? nil : try? Configuration.contents(of: file)))
    }
  }
}

extension Configuration {
  /// The settings file of a stick.
  static func carried(by root: Path) -> String {
    root.appending(Path("jukebox.toml")).description
  }
}
