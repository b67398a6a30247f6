internal import CFFmpeg

/// Where packets come from.
///
/// Frames count in the decoder's output, from the first packet's first.
protocol PacketSource: AnyObject {
  /// The next packet, valid until the next call; nil at the end.
  func next() throws(DecoderError) -> UnsafeMutablePointer<AVPacket>?

  /// Goes to a packet from which the decoder gives a frame as in a straight decode, or an earlier
  /// one; returns the first frame that the decoder gives from there.
  ///
  /// - Parameter rate: of the decoder's output (Hz).
  func rewind(to frame: Int, rate: Int) throws(DecoderError) -> Int
}

/// Packets decoded by libavcodec.
final class FFmpegSource: BlockSource {
  private(set) var format: StreamFormat
  private let packets: any PacketSource
  private let codec: FFmpegCodec
  private var hasEnded = false
  /// A block decoded in `init` to learn the format.
  private var ahead: Int

  init(_ packets: any PacketSource, _ codec: FFmpegCodec) throws(DecoderError) {
    self.packets = packets
    self.codec = codec
    format = StreamFormat(rate: 0, layout: .mono, bits: 0)
    ahead = 0
    ahead = try advance()
    // A decoder that tells its format only with the first block has told it now.
    guard format.rate > 0 else { throw .damaged("a damaged file: nothing in it can be decoded") }
  }

  func advance() throws(DecoderError) -> Int {
    if ahead > 0 {
      defer { ahead = 0 }
      return ahead
    }
    while true {
      let frames = codec.receive()
      if frames > 0, let current = codec.format {
        format = current
        return frames
      }
      if hasEnded { return 0 }
      let packet = try unsafe packets.next()
      unsafe codec.send(packet)
      hasEnded = unsafe packet == nil
    }
  }

  func copy(_ frames: Range<Int>, to samples: UnsafeMutablePointer<Float>) {
    unsafe codec.copy(frames, to: samples)
  }

  func rewind(to frame: Int) throws(DecoderError) -> Int {
    codec.flush()
    ahead = 0
    hasEnded = false
    return try packets.rewind(to: frame, rate: format.rate)
  }
}
