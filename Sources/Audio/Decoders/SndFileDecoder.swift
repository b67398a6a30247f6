internal import CSndFile
internal import Glibc

/// WAV, AIFF and FLAC by libsndfile.
///
/// After a seek the frames equal those of a straight decode. A file that is cut short, or whose
/// header lies about its length, plays what is there.
@safe final class SndFileDecoder: Decoder {
  let format: StreamFormat
  private(set) var length: Int?
  private(set) var position = 0

  private let input: InputFile
  private var file: OpaquePointer
  /// Whether samples may be beyond full scale or no numbers at all.
  private let isFloat: Bool
  /// Frames of silence to give in place of damaged ones.
  private var silence = 0

  init(_ input: InputFile) throws(DecoderError) {
    var info = SF_INFO()
    guard let file = unsafe Self.open(input, &info) else {
      try input.check()
      throw .damaged("a damaged file, or of a kind that libsndfile does not know")
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
    self.input = input
    unsafe self.file = file
    isFloat = Self.isFloat(subtype)
    format = StreamFormat(
      rate: Int(info.samplerate),
      layout: (mapped ? ChannelLayout(sndfile: map) : nil) ?? .standard(channels: channels),
      bits: Self.bits(of: subtype))
    length = info.frames < sf_count_t.max ? Int(info.frames) : nil
  }

  deinit { unsafe sf_close(file) }

  func read(into samples: inout MutableSpan<Float>) throws(DecoderError) -> Int {
    let room = samples.count / format.channels
    precondition(room > 0, "a read needs room for a frame")
    input.patience = InputFile.blockLimit
    defer { input.patience = nil }
    let count = unsafe samples.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      var count = 0
      if silence == 0 {
        count = unsafe max(0, Int(sf_readf_float(file, base, sf_count_t(room))))
        if count == 0 { silence = damage() }
        if isFloat { unsafe limit(base, count * format.channels) }
      }
      if silence > 0 {
        count = min(silence, room)
        silence -= count
        unsafe base.update(repeating: 0, count: count * format.channels)
      }
      return count
    }
    position += count
    if count == 0 {
      try input.check()
      length = position
    }
    return count
  }

  /// Frames to leave out where the library gives up before the end; 0 if it is the end.
  ///
  /// libsndfile stops at a broken FLAC frame for good: only a new handle gets past it.
  private func damage() -> Int {
    guard let length, input.failure == nil else { return 0 }
    var step = 4096
    while position + step < length {
      var info = SF_INFO()
      input.offset = 0
      guard let fresh = unsafe Self.open(input, &info) else { return 0 }
      unsafe sf_close(file)
      unsafe file = unsafe fresh
      guard Int(info.channels) == format.channels else { return 0 }
      var probe = [Float](repeating: 0, count: format.channels)
      let target = sf_count_t(position + step)
      if unsafe sf_seek(file, target, SEEK_SET) == target,
        unsafe sf_readf_float(file, &probe, 1) == 1,
        unsafe sf_seek(file, target, SEEK_SET) == target
      {
        return step
      }
      step += step < 65536 ? 4096 : step
    }
    return 0
  }

  func seek(to frame: Int) throws(DecoderError) {
    let target = length.map { min(max(0, frame), $0) } ?? max(0, frame)
    silence = 0
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

  private static func open(_ input: InputFile, _ info: inout SF_INFO) -> OpaquePointer? {
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
    return unsafe sf_open_virtual(&access, Int32(SFM_READ), &info, input.opaque)
  }

  private static func isFloat(_ subtype: Int32) -> Bool {
    [SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE].contains { Int32($0) == subtype }
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
