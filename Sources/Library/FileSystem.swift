internal import Glibc

/// A call to the kernel that failed.
public struct SystemError: Error, Equatable, CustomStringConvertible {
  public var call: String
  public var errno: Int32

  public init(call: String, errno: Int32) {
    self.call = call
    self.errno = errno
  }

  /// The C library's words for `errno`, such as "No such file or directory".
  public var description: String {
    unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
  }
}

/// A file or folder itself, whatever paths lead to it.
struct FileIdentity: Hashable {
  var device: UInt
  var node: UInt
}

/// An open folder.
@safe struct OpenFolder: ~Copyable {
  /// One name in it.
  struct Member {
    enum Kind { case file, folder, link, unknown, other }
    var name: [UInt8]
    var kind: Kind
  }

  private let handle: OpaquePointer
  let descriptor: Int32

  /// opendir(3).
  init(_ path: Path) throws(SystemError) {
    let name = path.bytes.isEmpty ? Path(".") : path
    guard let handle = unsafe name.withCString({ unsafe opendir($0) }) else {
      throw SystemError(call: "opendir", errno: errno)
    }
    unsafe self.handle = unsafe handle
    descriptor = unsafe dirfd(handle)
  }

  deinit {
    unsafe closedir(handle)
  }

  /// Its members in no order, without "." and ".."; to be asked once. readdir(3).
  func members() throws(SystemError) -> [Member] {
    var members: [Member] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(handle) else {
        guard errno == 0 else { throw SystemError(call: "readdir", errno: errno) }
        return members
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { name in
        unsafe Array(
          UnsafeRawBufferPointer(rebasing: name[..<(name.firstIndex(of: 0) ?? name.endIndex)]))
      }
      if name == [0x2E] || name == [0x2E, 0x2E] { continue }
      let kind: Member.Kind =
        switch Int(unsafe entry.pointee.d_type) {
        case Int(DT_REG): .file
        case Int(DT_DIR): .folder
        case Int(DT_LNK): .link
        case Int(DT_UNKNOWN): .unknown
        default: .other
        }
      members.append(Member(name: name, kind: kind))
    }
  }

  /// fstat(2).
  var status: FileStatus? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? FileStatus(status) : nil
  }

  /// Of a member, links followed; fstatat(2).
  func status(of name: [UInt8]) -> FileStatus? {
    var status = stat()
    let result = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) {
      buffer in
      for index in name.indices { unsafe buffer[index] = CChar(bitPattern: name[index]) }
      unsafe buffer[name.count] = 0
      return unsafe buffer.baseAddress.map { unsafe fstatat(descriptor, $0, &status, 0) } ?? -1
    }
    return result == 0 ? FileStatus(status) : nil
  }
}

/// What the kernel knows of a path's end, symbolic links followed.
struct FileStatus {
  enum Kind { case file, folder, other }
  var kind: Kind
  var identity: FileIdentity
  var size: Int
  /// Nanoseconds since 1970.
  var modified: Int64

  /// stat(2).
  init(_ path: Path) throws(SystemError) {
    var status = stat()
    guard unsafe path.withCString({ unsafe stat($0, &status) }) == 0 else {
      throw SystemError(call: "stat", errno: errno)
    }
    self.init(status)
  }

  fileprivate init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      default: .other
      }
    identity = FileIdentity(device: UInt(status.st_dev), node: UInt(status.st_ino))
    size = Int(status.st_size)
    modified = status.modified
  }
}

extension Path {
  /// Whether both lead to one file that exists, whatever their spelling.
  public func leadsToSameFile(as other: Path) -> Bool {
    guard let mine = try? FileStatus(self), let theirs = try? FileStatus(other) else {
      return false
    }
    return mine.identity == theirs.identity
  }

  /// The names in a folder, in no order, without "." and ".."; opendir(3).
  func listing() throws(SystemError) -> [Path] {
    guard let folder = unsafe withCString({ unsafe opendir($0) }) else {
      throw SystemError(call: "opendir", errno: errno)
    }
    defer { unsafe closedir(folder) }
    var names: [Path] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Path($0) }
      if name != Path("."), name != Path("..") { names.append(name) }
    }
    return names
  }

  /// A regular file's bytes from `offset` on, at most `count`; never waits, not even on a pipe.
  func contents(from offset: Int = 0, upTo count: Int) throws(SystemError) -> [UInt8] {
    let descriptor = unsafe withCString { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { throw SystemError(call: "open", errno: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw SystemError(call: "fstat", errno: errno)
    }
    guard FileStatus(status).kind == .file else { throw SystemError(call: "read", errno: EINVAL) }
    let wanted = max(0, min(count, Int(status.st_size) - offset))
    return try Library.read(descriptor, from: offset, count: wanted)
  }
}

/// pread(2), until all is there or the file ends.
func read(
  _ descriptor: Int32, from offset: Int, count: Int
) throws(SystemError) -> [UInt8] {
  var failure: Int32 = 0
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
    while filled < count, let start = buffer.baseAddress {
      let got = unsafe pread(descriptor, start + filled, count - filled, off_t(offset + filled))
      if got > 0 {
        filled += got
      } else if got == 0 {
        return
      } else if errno != EINTR {
        failure = errno
        return
      }
    }
  }
  guard failure == 0 else { throw SystemError(call: "read", errno: failure) }
  return bytes
}

extension Path {
  /// Makes the folder, and those it is in.
  public func makeFolders() throws(SystemError) {
    for (index, byte) in (bytes + [UInt8(ascii: "/")]).enumerated()
    where byte == UInt8(ascii: "/") && index > 0 {
      let made = unsafe Path(bytes[..<index]).withCString { unsafe mkdir($0, 0o755) }
      guard made == 0 || errno == EEXIST else { throw SystemError(call: "mkdir", errno: errno) }
    }
  }

  /// Writes a file anew, and has it on the disk before it returns.
  public func write(_ content: [UInt8]) throws(SystemError) {
    let descriptor = unsafe withCString {
      unsafe open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    }
    guard descriptor >= 0 else { throw SystemError(call: "open", errno: errno) }
    defer { close(descriptor) }
    var written = 0
    while written < content.count {
      let count = unsafe content.withUnsafeBytes { bytes in
        unsafe Glibc.write(
          descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
      }
      guard count > 0 || errno == EINTR else { throw SystemError(call: "write", errno: errno) }
      written += max(0, count)
    }
    guard fdatasync(descriptor) == 0 else { throw SystemError(call: "fdatasync", errno: errno) }
  }

  /// rename(2).
  func rename(to place: Path) throws(SystemError) {
    let result = unsafe withCString { from in
      unsafe place.withCString { unsafe Glibc.rename(from, $0) }
    }
    guard result == 0 else { throw SystemError(call: "rename", errno: errno) }
  }

  /// unlink(2), whether or not it works.
  func remove() {
    _ = unsafe withCString { unsafe unlink($0) }
  }
}
