internal import CSndFile
internal import Glibc

/// A WAV file being written, in the samples' own format; RF64 once it is past 4 GiB.
///
/// The header is brought up to date once a second of sound, so that a file cut off is still whole
/// up to its last second. Owned by one thread.
@safe public struct WAVFile: ~Copyable {
  /// A sample in the file and in `write`: little endian, 24 bits packed in 3 bytes.
  public enum Format: Sendable, CaseIterable {
    case int16, int24, int32, float32

    public var bytes: Int {
      switch self {
      case .int16: 2
      case .int24: 3
      case .int32, .float32: 4
      }
    }

    fileprivate var subtype: Int {
      switch self {
      case .int16: SF_FORMAT_PCM_16
      case .int24: SF_FORMAT_PCM_24
      case .int32: SF_FORMAT_PCM_32
      case .float32: SF_FORMAT_FLOAT
      }
    }
  }

  private let file: Int32
  private let handle: OpaquePointer
  private let bytesPerFrame: Int
  private let bytesPerSecond: Int
  /// Bytes written that the header does not count yet.
  private var uncounted = 0

  /// Creates the file, or empties the one that is there; `rate` in Hz.
  public init(path: [UInt8], rate: Int, channels: Int, format: Format) throws(SoundFileError) {
    let file = unsafe open(
      (path + [0]).map { CChar(bitPattern: $0) }, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw SoundFileError(errno: errno) }
    var info = SF_INFO()
    info.samplerate = Int32(rate)
    info.channels = Int32(channels)
    info.format = Int32(SF_FORMAT_RF64 | format.subtype)
    errno = 0
    guard let handle = unsafe sf_open_fd(file, Int32(SFM_WRITE), &info, Int32(SF_FALSE)) else {
      let error = unsafe SoundFileError(sf_strerror(nil))
      Glibc.close(file)
      throw error
    }
    unsafe sf_command(handle, Int32(SFC_RF64_AUTO_DOWNGRADE), nil, Int32(SF_TRUE))
    // The peaks' chunk holds the time of writing, and raw writes don't fill it.
    unsafe sf_command(handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    self.file = file
    unsafe self.handle = handle
    bytesPerFrame = format.bytes * channels
    bytesPerSecond = bytesPerFrame * rate
  }

  deinit {
    unsafe sf_close(handle)
    Glibc.close(file)
  }

  /// Appends whole frames; sf_write_raw. What fitted before an error stays in the file.
  public mutating func write(bytes: RawSpan) throws(SoundFileError) {
    precondition(bytes.byteCount % bytesPerFrame == 0, "Only whole frames can be written.")
    errno = 0
    let written = unsafe bytes.withUnsafeBytes { buffer in
      Int(unsafe sf_write_raw(handle, buffer.baseAddress, sf_count_t(buffer.count)))
    }
    guard written == bytes.byteCount else { throw unsafe SoundFileError(sf_strerror(handle)) }
    uncounted += written
    if uncounted >= bytesPerSecond { try countUp() }
  }

  /// Completes the header and closes; the only way to learn of an error in that.
  public consuming func close() throws(SoundFileError) {
    var failure: SoundFileError?
    errno = 0
    let code = unsafe sf_close(handle)
    if code != 0 { failure = unsafe SoundFileError(sf_error_number(code)) }
    if Glibc.close(file) != 0, failure == nil { failure = SoundFileError(errno: errno) }
    discard self
    if let failure { throw failure }
  }

  private mutating func countUp() throws(SoundFileError) {
    errno = 0
    unsafe sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    guard unsafe sf_error(handle) == 0 else { throw unsafe SoundFileError(sf_strerror(handle)) }
    uncounted = 0
  }
}
