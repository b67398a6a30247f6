internal import Glibc
public import Jukebox

/// What comes to the board and goes: media, sound cards, keyboards, power.
///
/// What was here before comes first, as if it had come just now; nothing is told twice.
public struct HotPlug: ~Copyable {
  public enum Event: Equatable, Sendable {
    /// A filesystem is there; whether it can be read is not known before `mediumAdded`.
    case plugged(Filesystem)
    case mediumAdded(Stick)
    /// It is gone or was unmounted; what is open on it fails.
    case mediumRemoved(Stick)
    /// With the card's id, as ALSA knows it, such as "Device" or "sndrpihifiberry".
    case cardAdded(String)
    case cardRemoved(String)
    /// A device with keys, such as "/dev/input/event3".
    case inputAdded(String)
    case inputRemoved(String)
    case power(PowerEvent)
  }

  /// Where systemd's unit of this project mounts, and where desktops do.
  public static let usualFolders = ["/run/jukebox/media", "/media", "/run/media"]

  private let descriptors: Descriptors
  private let udev: Udev
  private let mountinfo: Int32
  private var plugs: Plugs

  /// Media are what is mounted below `folders`.
  public init(below folders: [String] = usualFolders) throws(DeviceError) {
    let descriptors = try Descriptors()
    let udev = try Udev(of: ["block", "sound", "input", "power_supply", "hwmon"])
    try descriptors.add(udev.descriptor)
    let mountinfo = unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    guard mountinfo >= 0 else { throw DeviceError(call: "open mountinfo", code: errno) }
    do {
      // The table is always readable, and its news are gone once any poll has seen them, also one
      // that only looks through `descriptor`.
      try descriptors.add(mountinfo, .edge)
    } catch {
      close(mountinfo)
      throw error
    }
    self.descriptors = descriptors
    self.udev = udev
    self.mountinfo = mountinfo
    plugs = Plugs(below: folders.map { Array($0.utf8) })
    lookAround()
  }

  deinit {
    close(mountinfo)
  }

  /// Readable when `next` has something to look at.
  public var descriptor: Int32 { descriptors.descriptor }

  /// The next event, nil while there is none; never waits.
  public mutating func next() -> Event? {
    if plugs.events.isEmpty { look() }
    return plugs.events.popFirst()
  }

  /// Takes in all that came since.
  private mutating func look() {
    let ready = descriptors.ready()
    guard !ready.isEmpty else { return }
    var isDry = false
    while !isDry {
      switch udev.next() {
      case .device(let device): plugs.take(device)
      case .lost: lookAround()
      case .none: isDry = true
      }
    }
    if ready.contains(mountinfo) { plugs.take(mountTable()) }
  }

  private mutating func lookAround() {
    let paths = udev.paths
    plugs.forget(allBut: paths)
    for path in paths {
      if let device = udev.device(at: path) { plugs.take(device) }
    }
  }

  /// Read from the start to the end, which takes several reads where there are many mounts.
  private func mountTable() -> [Mount] {
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = unsafe pread(mountinfo, &piece, piece.count, off_t(text.count))
      guard count > 0 else { return Mount.table(text) }
      text += piece[..<count]
    }
  }
}
