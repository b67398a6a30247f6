internal import Glibc
public import Jukebox

/// What tells one medium from all others, whatever port it is in.
public struct MediumIdentity: Hashable, Sendable {
  /// The filesystem's UUID, or what stands for it.
  public var uuid: String
  /// Of the filesystem in bytes, 0 where it does not count.
  public var size: Int
  /// What people call it; two media may have the same.
  public var label: String

  public init(uuid: String, size: Int, label: String = "") {
    self.uuid = uuid
    self.size = size
    self.label = label
  }

  /// Of a folder that is given by its path.
  ///
  /// On a filesystem with a UUID (a link in /dev/disk/by-uuid leads to its device): that, and the
  /// folder's place below the mount point, so it is the same wherever it is mounted. On others, such
  /// as one in memory: the folder's real path, and no size.
  public init(folder: Path) throws(SystemError) {
    let real = try folder.resolved()
    let name = real.name.description
    let device = try FileStatus(real).identity.device
    var top = real
    while top != Path("/"), let status = try? FileStatus(top.parent),
      status.identity.device == device
    {
      top = top.parent
    }
    let disks = Path("/dev/disk/by-uuid")
    let uuid = (try? disks.listing())?.first { FileStatus.special(disks.appending($0)) == device }
    guard let uuid, let size = top.filesystemSize() else {
      self.init(uuid: "folder:" + real.escaped, size: 0, label: name)
      return
    }
    let below = Path(real.bytes.dropFirst(top.bytes.count).drop { $0 == UInt8(ascii: "/") })
    let place = below.bytes.isEmpty ? "" : ":" + below.escaped
    self.init(uuid: uuid.description + place, size: size, label: name)
  }

  /// Of a filesystem that is mounted at `root`, with the UUID that its link in /dev/disk/by-uuid has.
  ///
  /// It is that of the folder `root`: the size is the filesystem's own (statvfs), not the device's.
  public init(filesystem uuid: String, label: String, at root: Path) throws(SystemError) {
    guard let size = root.filesystemSize() else {
      throw SystemError(call: "statvfs", errno: errno)
    }
    self.init(uuid: uuid, size: size, label: label)
  }
}

/// A medium that the library knows.
public struct Medium: Equatable, Sendable {
  public var id: MediumID
  public var identity: MediumIdentity
  /// Where it is, or was when it was last here.
  public var root: Path
  public var isPresent: Bool
  /// Seconds since 1970.
  public var lastSeen: Int64
}

extension Path {
  /// realpath(3).
  func resolved() throws(SystemError) -> Path {
    guard let real = unsafe withCString({ unsafe realpath($0, nil) }) else {
      throw SystemError(call: "realpath", errno: errno)
    }
    defer { unsafe free(real) }
    return unsafe Path(
      UnsafeBufferPointer(start: real, count: strlen(real)).map(UInt8.init(bitPattern:)))
  }

  /// As text that no two paths share: what is not UTF-8 becomes percent signs and digits.
  var escaped: String {
    if let text = String(validating: bytes, as: UTF8.self), !text.contains("%") { return text }
    return bytes.map { byte in
      byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "%")
        ? String(Unicode.Scalar(byte)) : "%" + String(UInt16(byte) + 256, radix: 16).dropFirst()
    }.joined()
  }

  /// statvfs(3).
  func filesystemSize() -> Int? {
    var status = statvfs()
    guard unsafe withCString({ unsafe statvfs($0, &status) }) == 0 else { return nil }
    return Int(status.f_blocks) * Int(status.f_frsize)
  }
}

extension FileStatus {
  /// The device that a device file stands for.
  static func special(_ path: Path) -> UInt? {
    var status = stat()
    guard unsafe path.withCString({ unsafe stat($0, &status) }) == 0,
      status.st_mode & S_IFMT == S_IFBLK
    else { return nil }
    return UInt(status.st_rdev)
  }
}
