internal import CLinux
internal import Glibc
internal import Synchronization

/// A regular file read in large pieces, which remembers why a read failed.
///
/// Owned by one thread. Offsets count from the first visible byte: a head and a tail (tags) can be
/// hidden, and bytes of another file can stand before this one's.
@safe final class InputFile {
  /// Reads like pread(2): descriptor, destination, offset; -1 and `errno` where it fails.
  typealias Read = (Int32, UnsafeMutableRawBufferPointer, Int) -> Int

  /// The `errno` of the read that failed; every read after it fails too.
  private(set) var failure: Int32?
  /// Where the next `read` begins.
  var offset = 0
  /// The part of the file that is seen, after `prefix`.
  private var visible: Range<Int>
  private var prefix: [UInt8] = []
  private var head = 0
  private let fileSize: Int

  /// When a read of any file came to its end last, in nanoseconds of the monotonic clock.
  static let lastRead = Atomic<Int64>(0)

  private let descriptor: Int32
  private let pread: Read
  private let buffer: UnsafeMutableRawBufferPointer
  private var buffered = 0..<0

  static let bufferSize = 64 << 10

  /// Opens a file; throws if it can't be opened or is not a regular file.
  @safe init(_ path: [UInt8], reading pread: Read? = nil) throws(DecoderError) {
    // Non-blocking, so that opening a FIFO returns.
    let descriptor = unsafe open(
      (path + [0]).map { CChar(bitPattern: $0) }, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .unreadable(errno) }
    var status = stat()
    var code = unsafe fstat(descriptor, &status) == 0 ? 0 : errno
    let kind = status.st_mode & S_IFMT
    if code == 0, kind != S_IFREG { code = kind == S_IFDIR ? EISDIR : EINVAL }
    guard code == 0 else {
      close(descriptor)
      throw code == EINVAL ? DecoderError(.unreadable(code), "not a file") : .unreadable(code)
    }
    self.descriptor = descriptor
    unsafe self.pread = pread ?? { unsafe Glibc.pread($0, $1.baseAddress, $1.count, $2) }
    fileSize = Int(status.st_size)
    visible = 0..<fileSize
    unsafe buffer = .allocate(byteCount: Self.bufferSize, alignment: 64)
  }

  /// Opens a file whose name is known to be UTF-8.
  @safe convenience init(_ path: String, reading pread: Read? = nil) throws(DecoderError) {
    try self.init(Array(path.utf8), reading: pread)
  }

  deinit {
    unsafe buffer.deallocate()
    close(descriptor)
  }

  /// Visible bytes, the prefix among them.
  var size: Int { prefix.count + visible.count }

  /// Leaves out bytes at the head for good; what is left is shown.
  func dropHead(_ count: Int) {
    head = min(fileSize, head + count)
    show(0..<fileSize - head)
  }

  /// Shows only a part (counted in what `dropHead` left), with other bytes before it.
  func show(_ part: Range<Int>, after prefix: [UInt8] = []) {
    let end = min(fileSize, head + part.upperBound)
    visible = min(end, head + part.lowerBound)..<end
    self.prefix = prefix
    offset = 0
  }

  /// Reads at `offset` and moves on; returns the bytes read, 0 at the end, -1 on a failure.
  func read(into destination: UnsafeMutableRawBufferPointer) -> Int {
    var done = 0
    while done < destination.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: destination[done...])
      let count = unsafe readOnce(into: rest)
      guard count > 0 else { return done > 0 ? done : count }
      done += count
      offset += count
    }
    return done
  }

  /// Up to `count` bytes at an offset; fewer at the end or on a failure. Leaves `offset` alone.
  func bytes(at position: Int, count: Int) -> [UInt8] {
    guard position >= 0, position < size, count > 0 else { return [] }
    let saved = offset
    defer { offset = saved }
    offset = position
    let wanted = min(count, size - position)
    return unsafe [UInt8](unsafeUninitializedCapacity: wanted) { bytes, filled in
      let room = UnsafeMutableRawBufferPointer(bytes)
      filled = unsafe max(0, read(into: UnsafeMutableRawBufferPointer(rebasing: room[..<wanted])))
    }
  }

  /// The same, for bytes that can be done without: a failure here is forgotten.
  func optionalBytes(at position: Int, count: Int) -> [UInt8] {
    let before = failure
    defer { failure = before }
    return bytes(at: position, count: count)
  }

  /// Throws the failure, if a read has failed.
  func check() throws(DecoderError) {
    if let failure { throw .unreadable(failure) }
  }

  /// Bytes that may still be read without a frame coming of them; nil while that does not matter.
  ///
  /// Past it the file is at its end: a gigabyte of zeros behind a download that broke off is no music.
  var patience: Int?

  /// What one call for frames may read, far more than the largest block of any codec.
  static let blockLimit = 16 << 20

  private func readOnce(into destination: UnsafeMutableRawBufferPointer) -> Int {
    guard failure == nil else { return -1 }
    if let patience, patience <= 0 {
      // libvorbisfile looks for the last page for ever, unless an error tells it that there is none.
      errno = ENODATA
      return 0
    }
    guard offset >= 0, offset < size else { return 0 }
    if offset < prefix.count {
      let count = min(destination.count, prefix.count - offset)
      unsafe prefix.withUnsafeBytes { bytes in
        unsafe destination.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
      }
      return count
    }
    let position = visible.lowerBound + offset - prefix.count
    let wanted = min(destination.count, visible.upperBound - position)
    if !buffered.contains(position) {
      if wanted >= Self.bufferSize {
        let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: destination[..<wanted])
        return unsafe load(piece, position)
      }
      let count = unsafe load(buffer, position)
      guard count > 0 else { return count }
      buffered = position..<position + count
    }
    let count = min(wanted, buffered.upperBound - position)
    let start = position - buffered.lowerBound
    unsafe destination.copyMemory(
      from: UnsafeRawBufferPointer(rebasing: buffer[start..<start + count]))
    return count
  }

  private func load(_ destination: UnsafeMutableRawBufferPointer, _ position: Int) -> Int {
    while true {
      let count = unsafe pread(descriptor, destination, position)
      if count >= 0 {
        Self.lastRead.store(clinux_now(), ordering: .relaxed)
        patience = patience.map { $0 - count }
        return count
      }
      if errno == EINTR { continue }
      failure = errno
      buffered = 0..<0
      return -1
    }
  }
}

extension DecoderError {
  /// A file that can't be read, in the system's own words.
  static func unreadable(_ code: Int32) -> DecoderError {
    var text = [CChar](repeating: 0, count: 128)
    unsafe strerror_r(code, &text, text.count)
    let words = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let reason = String(decoding: words, as: UTF8.self)
    return DecoderError(.unreadable(code), "can't be read: \(reason)")
  }

  static let notAudio = DecoderError(.notAudio, "not a sound file")

  static func damaged(_ what: String) -> DecoderError { DecoderError(.damaged, what) }
}

/// The `InputFile` behind the opaque pointer that a C library hands back; it must be alive.
func inputFile(_ pointer: UnsafeMutableRawPointer) -> InputFile {
  unsafe Unmanaged<InputFile>.fromOpaque(pointer).takeUnretainedValue()
}

extension InputFile {
  /// This file as a C library's user data, which the library must not outlive.
  var opaque: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  /// Moves like lseek(2), also past the end; returns the new offset, or -1.
  func move(_ distance: Int, _ whence: Int32) -> Int {
    let (target, overflow): (Int, Bool) =
      switch whence {
      case SEEK_SET: (distance, false)
      case SEEK_CUR: offset.addingReportingOverflow(distance)
      case SEEK_END: size.addingReportingOverflow(distance)
      default: (-1, false)
      }
    guard !overflow, target >= 0 else { return -1 }
    offset = target
    return target
  }
}
