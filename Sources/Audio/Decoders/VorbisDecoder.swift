internal import CVorbisFile

/// Ogg Vorbis by libvorbisfile, also chained streams of changing formats.
///
/// After a seek the frames equal those of a straight decode.
@safe final class VorbisSource: BlockSource {
  private(set) var format: StreamFormat
  let input: InputFile
  private let file: UnsafeMutablePointer<OggVorbis_File>
  private var link: Int32 = 0
  private var channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?

  static func open(_ input: InputFile) throws(DecoderError) -> any Decoder {
    let source = try VorbisSource(input)
    let total = unsafe ov_pcm_total(source.file, -1)
    return try BlockDecoder(source, from: 0, to: nil, length: total >= 0 ? Int(total) : nil)
  }

  init(_ input: InputFile) throws(DecoderError) {
    let callbacks = unsafe ov_callbacks(
      read_func: { destination, size, count, user in
        guard let destination = unsafe destination, let user = unsafe user, size > 0 else {
          return 0
        }
        let room = unsafe UnsafeMutableRawBufferPointer(start: destination, count: size * count)
        let bytes = unsafe inputFile(user).read(into: room)
        return max(0, bytes) / size
      },
      seek_func: { user, offset, whence in
        guard let user = unsafe user else { return -1 }
        return unsafe inputFile(user).move(Int(offset), whence) < 0 ? -1 : 0
      },
      close_func: nil,
      tell_func: { user in unsafe user.map { unsafe inputFile($0).offset } ?? -1 })
    // The last page is searched for from the end of the file on.
    input.patience = InputFile.blockLimit
    defer { input.patience = nil }
    let file = UnsafeMutablePointer<OggVorbis_File>.allocate(capacity: 1)
    // A failed open has cleared what it had.
    guard unsafe ov_test_callbacks(input.opaque, file, nil, 0, callbacks) == 0 else {
      unsafe file.deallocate()
      try input.check()
      throw .damaged("a damaged Ogg Vorbis file")
    }
    guard unsafe Self.isSound(file), unsafe ov_test_open(file) == 0, unsafe Self.isSound(file),
      let format = unsafe Self.format(of: file)
    else {
      unsafe ov_clear(file)
      unsafe file.deallocate()
      try input.check()
      throw .damaged("a damaged Ogg Vorbis file")
    }
    self.input = input
    unsafe self.file = unsafe file
    self.format = format
  }

  deinit {
    unsafe ov_clear(file)
    unsafe file.deallocate()
  }

  func advance() throws(DecoderError) -> Int {
    while true {
      var current: Int32 = link
      let count = unsafe ov_read_float(file, &channels, 8192, &current)
      if input.failure != nil { try input.check() }
      // Negative: a hole or a broken page, which the library has passed over.
      if count < 0 && count != Int(OV_EBADLINK) { continue }
      guard count > 0 else { return 0 }
      if current != link {
        link = current
        guard let changed = unsafe Self.format(of: file) else { return 0 }
        format = changed
      }
      return count
    }
  }

  func copy(_ frames: Range<Int>, to samples: UnsafeMutablePointer<Float>) {
    guard let planes = unsafe channels else { return }
    let count = format.channels
    if count == 2, let left = unsafe planes[0], let right = unsafe planes[1] {
      var target = unsafe samples
      for frame in frames {
        unsafe target[0] = unsafe left[frame]
        unsafe target[1] = unsafe right[frame]
        unsafe target += 2
      }
      return
    }
    for channel in 0..<count {
      guard let plane = unsafe planes[channel] else { continue }
      var target = unsafe samples + channel
      for frame in frames {
        unsafe target.pointee = unsafe plane[frame]
        unsafe target += count
      }
    }
  }

  func rewind(to frame: Int) throws(DecoderError) -> Int {
    let code = unsafe ov_pcm_seek(file, ogg_int64_t(frame))
    try input.check()
    if code != 0 {
      // Past the end, or a file whose pages can't be found: the end.
      unsafe ov_pcm_seek(file, max(0, ov_pcm_total(file, -1)))
    }
    return Int(unsafe ov_pcm_tell(file))
  }

  /// Whether a decoder can be set up for each link. libvorbis 1.3.7 fails in this once, but then
  /// takes the half-made code books for whole ones, and divides by zero.
  private static func isSound(_ file: UnsafeMutablePointer<OggVorbis_File>) -> Bool {
    for link in 0..<max(1, Int(unsafe file.pointee.links)) {
      var state = unsafe vorbis_dsp_state()
      guard unsafe vorbis_synthesis_init(&state, file.pointee.vi + link) == 0 else {
        return false
      }
      unsafe vorbis_dsp_clear(&state)
    }
    return true
  }

  private static func format(of file: UnsafeMutablePointer<OggVorbis_File>) -> StreamFormat? {
    guard let info = unsafe ov_info(file, -1) else { return nil }
    let (rate, channels) = unsafe (Int(info.pointee.rate), Int(info.pointee.channels))
    guard rate > 0, channels > 0 else { return nil }
    return StreamFormat(rate: rate, layout: .vorbis(channels: channels), bits: 0)
  }
}

extension ChannelLayout {
  /// The channel order of the Vorbis I specification, section 4.3.9 (Opus has the same).
  static func vorbis(channels: Int) -> ChannelLayout {
    switch channels {
    case 3: ChannelLayout([.left, .centre, .right])
    case 5: ChannelLayout([.left, .centre, .right, .surroundLeft, .surroundRight])
    case 6:
      ChannelLayout([.left, .centre, .right, .surroundLeft, .surroundRight, .lowFrequency])
    case 7:
      ChannelLayout([
        .left, .centre, .right, .sideLeft, .sideRight, .surroundCentre, .lowFrequency,
      ])
    case 8:
      ChannelLayout([
        .left, .centre, .right, .sideLeft, .sideRight, .surroundLeft, .surroundRight,
        .lowFrequency,
      ])
    default: .standard(channels: channels)
    }
  }
}
