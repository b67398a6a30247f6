internal import CSndFile
internal import Glibc

/// WAV, AIFF, FLAC and Opus by libsndfile.
///
/// After a seek the frames equal those of a straight decode. A file that is cut short, or whose
/// header lies about its length, plays what is there.
@safe final class SndFileDecoder: Decoder {
  let format: StreamFormat
  private(set) var length: Int?
  private(set) var position = 0

  private let input: InputFile
  private let file: OpaquePointer
  /// Whether samples may be beyond full scale or no numbers at all.
  private let isFloat: Bool

  init(_ input: InputFile) throws(DecoderError) {
    var access = unsafe SF_VIRTUAL_IO(
      get_filelen: { user in unsafe user.map { unsafe sf_count_t(inputFile($0).size) } ?? 0 },
      seek: { offset, whence, user in
        unsafe user.map { unsafe sf_count_t(inputFile($0).move(Int(offset), whence)) } ?? -1
      },
      read: { destination, count, user in
        guard let destination = unsafe destination, let user = unsafe user, count > 0 else {
          return 0
        }
        let room = unsafe UnsafeMutableRawBufferPointer(start: destination, count: Int(count))
        return unsafe sf_count_t(max(0, inputFile(user).read(into: room)))
      },
      write: { _, _, _ in 0 },
      tell: { user in unsafe user.map { unsafe sf_count_t(inputFile($0).offset) } ?? 0 })
    var info = SF_INFO()
    guard let file = unsafe sf_open_virtual(&access, Int32(SFM_READ), &info, input.opaque) else {
      try input.check()
      throw .damaged("a damaged file: \(unsafe String(cString: sf_strerror(nil)))")
    }
    guard info.channels > 0, info.samplerate > 0 else {
      unsafe sf_close(file)
      throw .damaged("a sound file without a rate or channels")
    }
    let channels = Int(info.channels)
    var map = [Int32](repeating: 0, count: channels)
    let bytes = Int32(channels * MemoryLayout<Int32>.size)
    let mapped = unsafe sf_command(file, Int32(SFC_GET_CHANNEL_MAP_INFO), &map, bytes) != 0
    let subtype = info.format & Int32(SF_FORMAT_SUBMASK)
    let isOpus = subtype == Int32(SF_FORMAT_OPUS)
    let fallback: ChannelLayout =
      isOpus ? .vorbis(channels: channels) : .standard(channels: channels)
    self.input = input
    unsafe self.file = file
    isFloat = Self.isFloat(subtype)
    format = StreamFormat(
      rate: Int(info.samplerate),
      layout: (mapped ? ChannelLayout(sndfile: map) : nil) ?? fallback,
      bits: Self.bits(of: subtype))
    length = info.frames < sf_count_t.max ? Int(info.frames) : nil
  }

  deinit { unsafe sf_close(file) }

  func read(into samples: inout MutableSpan<Float>) throws(DecoderError) -> Int {
    let room = samples.count / format.channels
    precondition(room > 0, "a read needs room for a frame")
    let count = unsafe samples.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      let count = unsafe Int(sf_readf_float(file, base, sf_count_t(room)))
      if isFloat, count > 0 { unsafe limit(base, count * format.channels) }
      return max(0, count)
    }
    position += count
    if count < room {
      if count == 0 { try input.check() }
      if count == 0 { length = position }
    }
    return count
  }

  func seek(to frame: Int) throws(DecoderError) {
    let target = length.map { min(max(0, frame), $0) } ?? max(0, frame)
    let reached = unsafe sf_seek(file, sf_count_t(target), SEEK_SET)
    try input.check()
    guard reached >= 0 else {
      // The header promised more than is there.
      position = target
      length = target
      return
    }
    position = Int(reached)
  }

  private static func isFloat(_ subtype: Int32) -> Bool {
    [SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE, SF_FORMAT_OPUS].contains { Int32($0) == subtype }
  }

  private static func bits(of subtype: Int32) -> Int {
    switch Int(subtype) {
    case SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8: 8
    case SF_FORMAT_PCM_16: 16
    case SF_FORMAT_PCM_24: 24
    case SF_FORMAT_PCM_32: 32
    default: 0
    }
  }
}

extension ChannelLayout {
  /// The layout of libsndfile's channel map; nil if it names no loudspeakers.
  fileprivate init?(sndfile map: [Int32]) {
    let positions = map.map { code -> Position in
      switch Int(code) {
      case SF_CHANNEL_MAP_MONO, SF_CHANNEL_MAP_CENTER,
        SF_CHANNEL_MAP_FRONT_CENTER:
        .centre
      case SF_CHANNEL_MAP_LEFT, SF_CHANNEL_MAP_FRONT_LEFT: .left
      case SF_CHANNEL_MAP_RIGHT, SF_CHANNEL_MAP_FRONT_RIGHT: .right
      case SF_CHANNEL_MAP_REAR_CENTER: .surroundCentre
      case SF_CHANNEL_MAP_REAR_LEFT: .surroundLeft
      case SF_CHANNEL_MAP_REAR_RIGHT: .surroundRight
      case SF_CHANNEL_MAP_SIDE_LEFT: .sideLeft
      case SF_CHANNEL_MAP_SIDE_RIGHT: .sideRight
      case SF_CHANNEL_MAP_LFE: .lowFrequency
      default: .other
      }
    }
    guard positions.contains(where: { $0 != .other }) else { return nil }
    self.init(positions)
  }
}
