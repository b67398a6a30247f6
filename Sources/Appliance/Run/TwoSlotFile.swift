internal import Glibc
internal import Library

/// A file that always holds one of the last two things written to it, wherever the power is cut.
///
/// Two slots of one size, each with a number that counts up and a check sum over all of it. A write
/// goes into the slot with the lower number, and counts once its sum is right; the other one is not
/// touched. All room is allocated at the start, so a disk that fills up later does no harm.
struct TwoSlotFile: ~Copyable {
  /// Mark, number, length and sum.
  static let headSize = 32
  private static let mark: UInt64 = 0x4A75_6B65_536C_6F74

  private let path: Path
  private var descriptor: Int32
  /// Bytes that fit into a slot, the head among them.
  private var slotSize: Int
  /// The number of the newest slot, and whether it is the second one.
  private var number: UInt64
  private var isInSecond: Bool
  /// What the newest slot held when the file was opened; empty if none was valid.
  let contents: [UInt8]

  /// Opens the file, or makes it with slots for `room` bytes; open(2), posix_fallocate(3).
  init(_ path: Path, room: Int) throws(SystemError) {
    let descriptor = try Self.open(path, O_RDWR | O_CREAT)
    var bytes: [UInt8] = []
    var size = Self.slotSize(for: room)
    do throws(SystemError) {
      bytes = try Self.read(descriptor)
      if let found = Self.newest(in: bytes) {
        size = found.start > 0 ? found.start : max(size, Self.slotSize(for: found.contents.count))
      }
      let error = posix_fallocate(descriptor, 0, off_t(2 * size))
      guard error == 0 else { throw SystemError(call: "posix_fallocate", errno: error) }
    } catch {
      close(descriptor)
      throw error
    }
    slotSize = size
    let found = Self.newest(in: bytes)
    contents = found.map { Array(bytes[$0.contents]) } ?? []
    number = found?.number ?? 0
    isInSecond = found.map { $0.start > 0 } ?? true
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Writes over the older slot, and waits until it is on the disk; pwrite(2), fdatasync(2).
  mutating func write(_ contents: [UInt8]) throws(SystemError) {
    if Self.headSize + contents.count > slotSize { try grow(for: contents.count) }
    let bytes = Self.slot(contents, number: number + 1)
    try Self.write(bytes, to: descriptor, at: isInSecond ? 0 : slotSize)
    number += 1
    isInSecond.toggle()
  }

  /// Goes over to a larger file, which takes this one's place once it holds the newest contents.
  private mutating func grow(for count: Int) throws(SystemError) {
    let size = Self.slotSize(for: count)
    let larger = Path(path.bytes + Array(".new".utf8))
    let new = try Self.open(larger, O_RDWR | O_CREAT | O_TRUNC)
    do throws(SystemError) {
      let error = posix_fallocate(new, 0, off_t(2 * size))
      guard error == 0 else { throw SystemError(call: "posix_fallocate", errno: error) }
      let old = try Self.read(descriptor)
      let kept = Self.newest(in: old).map { Array(old[$0.contents]) } ?? []
      try Self.write(Self.slot(kept, number: number), to: new, at: 0)
      let renamed = unsafe withCString(larger) { from in
        unsafe withCString(path) { to in unsafe rename(from, to) }
      }
      guard renamed == 0 else { throw SystemError(call: "rename", errno: errno) }
    } catch {
      close(new)
      throw error
    }
    close(descriptor)
    descriptor = new
    slotSize = size
    isInSecond = false
    try path.parent.sync()
  }

  // MARK: - What is in it

  /// A slot's bytes.
  static func slot(_ contents: [UInt8], number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headSize + contents.count)
    for value in [mark, number, UInt64(contents.count)] { bytes += little(value) }
    bytes += little(sum(of: bytes[...], contents[...]))
    return bytes + contents
  }

  /// The newest of the valid slots in a file's bytes, which may be cut off or torn anywhere.
  ///
  /// - Returns: nil if there is none, as in an empty file.
  static func newest(
    in bytes: [UInt8]
  ) -> (number: UInt64, start: Int, contents: Range<Int>)? {
    var best: (number: UInt64, start: Int, contents: Range<Int>)?
    // The second slot begins at a power of two, whatever is left of the first or of the end.
    var starts = [0]
    var start = 4096
    while start < bytes.count {
      starts.append(start)
      start *= 2
    }
    for start in starts where bytes.count >= start + headSize {
      let number = value(bytes, at: start + 8)
      let count = value(bytes, at: start + 16)
      let from = start + headSize
      guard value(bytes, at: start) == mark, count <= UInt64(bytes.count - from) else { continue }
      let contents = from..<from + Int(count)
      guard value(bytes, at: start + 24) == sum(of: bytes[start..<start + 24], bytes[contents])
      else { continue }
      if number > best?.number ?? 0 { best = (number, start, contents) }
    }
    return best
  }

  private static func slotSize(for room: Int) -> Int {
    var size = 4096
    while size < headSize + room { size *= 2 }
    return size
  }

  private static func little(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  private static func value(_ bytes: [UInt8], at place: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
  }

  /// FNV-1a, 64 bit (draft-eastlake-fnv-21, 2.2): it tells torn writes from whole ones.
  private static func sum(of parts: ArraySlice<UInt8>...) -> UInt64 {
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    for part in parts {
      for byte in part { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
    return sum
  }

  // MARK: - The kernel's calls

  private static func open(_ path: Path, _ flags: Int32) throws(SystemError) -> Int32 {
    let descriptor = unsafe withCString(path) { unsafe Glibc.open($0, flags | O_CLOEXEC, 0o644) }
    guard descriptor >= 0 else { throw SystemError(call: "open", errno: errno) }
    return descriptor
  }

  private static func read(_ descriptor: Int32) throws(SystemError) -> [UInt8] {
    let size = lseek(descriptor, 0, SEEK_END)
    guard size >= 0 else { throw SystemError(call: "lseek", errno: errno) }
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, filled in
      while filled < Int(size), let start = buffer.baseAddress {
        let count = unsafe pread(
          descriptor, start + filled, Int(size) - filled, off_t(filled))
        if count == 0 { return }
        if count > 0 {
          filled += count
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    guard failure == 0 else { throw SystemError(call: "pread", errno: failure) }
    return bytes
  }

  private static func write(
    _ bytes: [UInt8], to descriptor: Int32, at offset: Int
  ) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes[done...].withUnsafeBytes {
        unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + done))
      }
      if count > 0 {
        done += count
      } else if count == 0 || errno != EINTR {
        throw SystemError(call: "pwrite", errno: count == 0 ? EIO : errno)
      }
    }
    guard fdatasync(descriptor) == 0 else { throw SystemError(call: "fdatasync", errno: errno) }
  }
}

extension Path {
  /// Waits until a folder's own changes are on the disk; fsync(2).
  func sync() throws(SystemError) {
    let descriptor = unsafe withCString(self) {
      unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { throw SystemError(call: "open", errno: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SystemError(call: "fsync", errno: errno) }
  }
}

/// Calls `body` with a path as C wants it; the pointer is good until `body` returns.
func withCString<Result>(_ path: Path, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
  let bytes = path.bytes.map { CChar(bitPattern: $0) } + [0]
  return unsafe bytes.withUnsafeBufferPointer { buffer in
    guard let start = buffer.baseAddress else { preconditionFailure("A path has a NUL") }
    return unsafe body(start)
  }
}
