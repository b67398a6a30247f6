/// A medium that is plugged in and mounted: a stick, a card, a disk, a disc.
public struct Stick: Hashable, Sendable {
  public var filesystem: Filesystem
  /// Where it is mounted; bytes, as the kernel has them.
  public var path: [UInt8]
  /// Tells it from the same one mounted again.
  var mount: Int
}

/// Which media can be read, from the devices that are here and the mounts there are.
///
/// News of devices and of mounts come in any order: a mount may be seen before its device, a device
/// gone while its mount stays on.
struct Sticks {
  enum Event {
    case seen(Filesystem)
    /// Nothing that can be mounted is on the device, any more or yet.
    case gone(device: String)
    case mounted([Mount])
  }

  enum Change: Equatable {
    case added(Stick)
    case removed(Stick)
  }

  private let folders: [[UInt8]]
  private var filesystems: [Filesystem] = []
  private var mounts: [Mount] = []
  private var here: [Stick] = []

  /// Only what is mounted below one of `folders` counts: the others are the system's own.
  init(below folders: [[UInt8]]) {
    self.folders = folders
  }

  /// The devices that hold a filesystem.
  var devices: [String] { filesystems.map(\.device) }

  func filesystem(on device: String) -> Filesystem? {
    filesystems.first { $0.device == device }
  }

  mutating func handle(_ event: Event) -> [Change] {
    switch event {
    case .seen(let filesystem):
      guard let index = filesystems.firstIndex(where: { $0.device == filesystem.device }) else {
        filesystems.append(filesystem)
        break
      }
      filesystems[index] = filesystem
    case .gone(let device):
      filesystems.removeAll { $0.device == device }
    case .mounted(let table):
      mounts = table.filter { mount in
        mount.root == [UInt8(ascii: "/")] && folders.contains { mount.isBelow($0) }
      }
    }
    return settle()
  }

  private mutating func settle() -> [Change] {
    let known = here.map(\.filesystem.device)
    let sorted =
      known.compactMap { filesystem(on: $0) } + filesystems.filter { !known.contains($0.device) }
    var now: [Stick] = []
    for filesystem in sorted {
      // Of two copies of one medium, which nothing tells apart, the second waits.
      guard
        let mount = mounts.first(where: {
          $0.device == filesystem.number || $0.source.elementsEqual(filesystem.node.utf8)
        }),
        !now.contains(where: {
          $0.filesystem.uuid == filesystem.uuid && $0.filesystem.size == filesystem.size
        })
      else { continue }
      now.append(Stick(filesystem: filesystem, path: mount.point, mount: mount.number))
    }
    defer { here = now }
    return here.filter { !now.contains($0) }.map { .removed($0) }
      + now.filter { !here.contains($0) }.map { .added($0) }
  }
}
