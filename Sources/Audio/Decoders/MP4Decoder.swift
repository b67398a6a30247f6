internal import CFFmpeg

/// AAC and ALAC in MP4: our own reading of the boxes, libavcodec's decoding.
///
/// The encoder's delay and padding are cut off as iTunes' note says, else as the edit list says.
/// After a seek the frames equal those of a straight decode: bit for bit in ALAC, and within 1e-6
/// of full scale in AAC, whose decoder starts three packets ahead.
@safe final class MP4Source: PacketSource {
  let input: InputFile
  private let timescale: Int
  /// Of the decoder's output, once it is known.
  private var rate = 0
  private let preroll: Int
  private var samples: MP4Samples
  /// More bytes than any packet of these codecs has.
  private static let largest = 8 << 20
  private var buffer = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private let library: cffmpeg_codec
  private let packet: UnsafeMutablePointer<AVPacket>

  /// Opens an MP4 file; nil if it needs libavformat.
  static func open(_ input: InputFile) throws(DecoderError) -> (any Decoder)? {
    guard let track = try MP4Track.find(in: input) else {
      try input.check()
      return nil
    }
    let source = try MP4Source(input, track)
    let blocks = try FFmpegSource(source) { () throws(DecoderError) in
      try FFmpegCodec(track.codec)
    }
    // HE-AAC may give two frames a tick.
    let frames = { (ticks: Int) in ticks * blocks.format.rate / track.timescale }
    let total = frames(track.samples.duration)
    let end = min(track.heard.end.map(frames) ?? total, total)
    return try BlockDecoder(blocks, from: frames(track.heard.first), to: end)
  }

  private init(_ input: InputFile, _ track: MP4Track) throws(DecoderError) {
    let library = try FFmpeg.codec()
    guard let packet = unsafe library.av_packet_alloc() else { throw .damaged("out of memory") }
    self.input = input
    timescale = track.timescale
    preroll = track.codec.id == AV_CODEC_ID_AAC ? 3 : 0
    samples = track.samples
    self.library = library
    unsafe self.packet = unsafe packet
  }

  deinit {
    var packet = unsafe Optional(packet)
    unsafe library.av_packet_free(&packet)
    unsafe buffer.deallocate()
  }

  var canJump: Bool { true }

  func next() throws(DecoderError) -> UnsafeMutablePointer<AVPacket>? {
    while let (place, tick) = samples.next(in: input) {
      try input.check()
      // A table that points past the end: the file was cut short.
      guard place.upperBound <= input.size, !place.isEmpty, place.count < Self.largest
      else { continue }
      reserve(place.count + FFmpegCodec.padding)
      input.offset = place.lowerBound
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<place.count])
      guard unsafe input.read(into: room) == place.count else { continue }
      unsafe packet.pointee.data = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      unsafe packet.pointee.size = Int32(place.count)
      unsafe packet.pointee.pts = rate > 0 ? Int64(tick * rate / timescale) : cffmpeg_no_time
      return unsafe packet
    }
    try input.check()
    return nil
  }

  func rewind(to frame: Int, rate: Int) throws(DecoderError) -> Int {
    self.rate = rate
    let tick = frame * timescale / rate
    let start = samples.seek(toTick: tick, preroll: preroll, in: input)
    try input.check()
    return start * rate / timescale
  }

  private func reserve(_ size: Int) {
    guard unsafe buffer.count < size else { return }
    unsafe buffer.deallocate()
    unsafe buffer = .allocate(byteCount: size + 4096, alignment: 16)
    unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
  }
}
