internal import CTagLib
internal import Glibc

/// A regular file that is looked into, its first and last bytes at hand.
///
/// Few and small reads, and no reading ahead: on a stick each read counts more than all else.
struct OpenFile: ~Copyable {
  /// How many of the first bytes are read at once: tags of most files and more.
  static let headLength = 16384
  /// How many of the last ones: tags at the end, the last page of an Ogg stream.
  static let tailLength = 4096

  let descriptor: Int32
  let size: Int
  /// Nanoseconds since 1970.
  let modified: Int64
  private(set) var head: [UInt8]
  /// Empty where `head` has all.
  private(set) var tail: [UInt8] = []
  /// What follows an ID3v2 tag at the start, if that is not in `head`.
  private(set) var afterTag: [UInt8] = []
  private(set) var afterTagOffset = 0

  /// Opens `path`, seen from the folder `folder` (a descriptor); never waits, not even on a pipe.
  init(_ path: Path, in folder: Int32 = AT_FDCWD) throws(SystemError) {
    let descriptor = unsafe path.withCString {
      unsafe openat(folder, $0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }
    guard descriptor >= 0 else { throw SystemError(call: "open", errno: errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw SystemError(call: "open", errno: EINVAL)
    }
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM)
    let size = Int(status.st_size)
    let head: [UInt8]
    let tail: [UInt8]
    do throws(SystemError) {
      head = try Library.read(descriptor, from: 0, count: min(size, Self.headLength))
      let start = max(head.count, size - Self.tailLength)
      tail = try Library.read(descriptor, from: start, count: size - start)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.size = size
    modified = status.modified
    self.head = head
    self.tail = tail
  }

  deinit {
    close(descriptor)
  }

  /// Up to `count` bytes from `offset` on.
  func bytes(from offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    try Library.read(descriptor, from: offset, count: max(0, min(count, size - offset)))
  }

  /// Has `count` bytes from `offset` on at hand.
  mutating func keepAfterTag(from offset: Int, count: Int) throws(SystemError) {
    afterTag = try bytes(from: offset, count: count)
    afterTagOffset = offset
  }

  /// Stands for the content: the size, the first and the last bytes (FNV-1a, 64 bits, in four lanes).
  ///
  /// Two files of one size that differ between those bytes alone are taken for one.
  var fingerprint: Int64 {
    let prime: UInt64 = 0x0000_0100_0000_01B3
    let start = 0xCBF2_9CE4_8422_2325 ^ UInt64(size)
    // Lanes of their own, since each multiplication waits for the one before it.
    var (first, second, third, fourth) = (start, start &+ 1, start &+ 2, start &+ 3)
    for part in [head, tail] {
      unsafe part.withUnsafeBytes { bytes in
        func word(_ index: Int) -> UInt64 {
          unsafe bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
        }
        let blocks = bytes.count / 32
        for block in 0..<blocks {
          first = (first ^ word(block * 4)) &* prime
          second = (second ^ word(block * 4 + 1)) &* prime
          third = (third ^ word(block * 4 + 2)) &* prime
          fourth = (fourth ^ word(block * 4 + 3)) &* prime
          first ^= first >> 29
          second ^= second >> 29
          third ^= third >> 29
          fourth ^= fourth >> 29
        }
        for index in (blocks * 32)..<bytes.count {
          let byte = unsafe bytes[index]
          first = (first ^ UInt64(byte)) &* prime
        }
      }
    }
    let hash = [second, third, fourth].reduce(first) { ($0 ^ $1) &* prime ^ $1 >> 31 }
    return Int64(bitPattern: hash)
  }

  /// Calls `body` with the file as TagLib's shim wants it.
  mutating func withTagFile<Result>(_ body: (UnsafePointer<ctaglib_file>) -> Result) -> Result {
    let (size, descriptor, start) = (size, descriptor, afterTagOffset)
    return unsafe head.withUnsafeMutableBufferPointer { head in
      unsafe tail.withUnsafeMutableBufferPointer { tail in
        unsafe afterTag.withUnsafeMutableBufferPointer { after in
          var file = ctaglib_file()
          file.descriptor = descriptor
          file.size = Int64(size)
          unsafe file.blocks.0 = ctaglib_block(
            offset: 0, count: Int64(head.count), bytes: head.baseAddress)
          unsafe file.blocks.1 = ctaglib_block(
            offset: Int64(size - tail.count), count: Int64(tail.count), bytes: tail.baseAddress)
          unsafe file.blocks.2 = ctaglib_block(
            offset: Int64(start), count: Int64(after.count), bytes: after.baseAddress)
          return unsafe body(&file)
        }
      }
    }
  }
}

extension stat {
  /// When the content last changed; nanoseconds since 1970.
  var modified: Int64 { Int64(st_mtim.tv_sec) * 1_000_000_000 + Int64(st_mtim.tv_nsec) }
}
