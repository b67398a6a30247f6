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
  private let watch: FolderWatch

  init(_ folders: [Path]) throws(SystemError) {
    self.folders = folders
    watch = try FolderWatch(
      folders.map(\.parent), for: IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM)
  }

  /// Readable when something has happened.
  var descriptor: Int32 { watch.descriptor }

  /// The folders in which media can't be seen to come, since they are not there themselves.
  var missingParents: [Path] {
    let watched = watch.watched
    return folders.map(\.parent).filter { !watched.contains($0) }
  }

  /// What happened since the last call, in order.
  func takeEvents() -> [Event] {
    watch.takeEvents().filter { folders.contains($0.path) }.map { event in
      let isHere = event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0
      return isHere ? .appeared(event.path) : .went(event.path)
    }
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
          settings: identity == nil
            ? nil : try? Configuration.contents(of: file, followingLinks: false)))
    }
  }
}

extension Configuration {
  /// The settings file of a stick.
  static func carried(by root: Path) -> String {
    root.appending(Path("jukebox.toml")).description
  }
}
