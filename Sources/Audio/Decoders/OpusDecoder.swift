internal import COpusFile

/// Opus in Ogg by libopusfile, also chained streams; the rate is 48 kHz always.
///
/// After a seek the frames equal those of a straight decode: see `preroll`.
@safe final class OpusSource: BlockSource {
  private(set) var format: StreamFormat
  let input: InputFile
  private let file: OpaquePointer
  private var link: Int32 = 0
  private var samples: [Float] = []

  /// Frames decoded ahead of a seek's target and thrown away. RFC 7845 (section 4.6) asks for
  /// 80 ms; a decoder's memory of what it has not heard fades below the last bit in a second.
  private static let preroll = 48_000

  /// The longest packet is 120 ms, of 255 channels at most.
  private static let packetFrames = 5760

  static func open(_ input: InputFile) throws(DecoderError) -> any Decoder {
    let source = try OpusSource(input)
    let total = unsafe op_pcm_total(source.file, -1)
    return try BlockDecoder(source, from: 0, to: nil, length: total >= 0 ? Int(total) : nil)
  }

  init(_ input: InputFile) throws(DecoderError) {
    var callbacks = unsafe OpusFileCallbacks(
      read: { user, destination, count in
        guard let user = unsafe user, let destination = unsafe destination else { return -1 }
        let room = unsafe UnsafeMutableRawBufferPointer(start: destination, count: Int(count))
        return unsafe Int32(inputFile(user).read(into: room))
      },
      seek: { user, offset, whence in
        guard let user = unsafe user else { return -1 }
        return unsafe inputFile(user).move(Int(offset), whence) < 0 ? -1 : 0
      },
      tell: { user in unsafe user.map { unsafe Int64(inputFile($0).offset) } ?? -1 },
      close: nil)
    // The last page is searched for from the end of the file on.
    input.patience = InputFile.blockLimit
    defer { input.patience = nil }
    var code: Int32 = 0
    guard let file = unsafe op_open_callbacks(input.opaque, &callbacks, nil, 0, &code) else {
      try input.check()
      throw .damaged("a damaged Opus file")
    }
    self.input = input
    unsafe self.file = file
    format = unsafe Self.format(of: file)
  }

  deinit { unsafe op_free(file) }

  func advance() throws(DecoderError) -> Int {
    while true {
      var current = link
      let room = Self.packetFrames * format.channels
      if samples.count < room { samples = [Float](repeating: 0, count: room) }
      let count = unsafe op_read_float(file, &samples, Int32(samples.count), &current)
      try input.check()
      // A hole or a broken packet, which the library has passed over.
      if count == OP_HOLE || count == OP_EBADPACKET { continue }
      guard count > 0 else { return 0 }
      if current != link {
        link = current
        format = unsafe Self.format(of: file)
      }
      return Int(count)
    }
  }

  func copy(_ frames: Range<Int>, to target: UnsafeMutablePointer<Float>) {
    let channels = format.channels
    let part = frames.lowerBound * channels..<frames.upperBound * channels
    unsafe samples.withUnsafeBufferPointer { source in
      guard let base = source.baseAddress else { return }
      unsafe target.update(from: base + part.lowerBound, count: part.count)
    }
  }

  func rewind(to frame: Int) throws(DecoderError) -> Int {
    let code = unsafe op_pcm_seek(file, ogg_int64_t(max(0, frame - Self.preroll)))
    try input.check()
    if code != 0 {
      // Past the end, or a file whose pages can't be found: the end.
      unsafe op_pcm_seek(file, max(0, op_pcm_total(file, -1)))
    }
    link = unsafe op_current_link(file)
    format = unsafe Self.format(of: file)
    return Int(unsafe op_pcm_tell(file))
  }

  private static func format(of file: OpaquePointer) -> StreamFormat {
    let channels = unsafe Int(op_channel_count(file, -1))
    return StreamFormat(rate: 48_000, layout: .vorbis(channels: channels), bits: 0)
  }
}
