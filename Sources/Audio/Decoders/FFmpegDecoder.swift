internal import CFFmpeg

/// Where packets come from.
///
/// Frames count in the decoder's output, from the first packet's first.
protocol PacketSource: AnyObject {
  /// The next packet, valid until the next call; nil at the end.
  func next() throws(DecoderError) -> UnsafeMutablePointer<AVPacket>?

  /// Whether `rewind` is quicker than decoding all that lies between.
  var canJump: Bool { get }

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
  /// The first block, decoded in `init` to learn the format; its frames.
  private(set) var blockFrames = 0
  private var isAhead = false
  /// The first frame of the next block.
  private var frame = 0

  init(_ packets: any PacketSource, _ codec: FFmpegCodec) throws(DecoderError) {
    self.packets = packets
    self.codec = codec
    format = StreamFormat(rate: 0, layout: .mono, bits: 0)
    blockFrames = try advance()
    guard blockFrames > 0 else {
      throw .damaged("a damaged file: nothing in it can be decoded")
    }
    isAhead = true
    frame = 0
  }

  /// Frames at the start that the container says are not to be heard.
  private(set) lazy var skip = codec.skipped.first

  func advance() throws(DecoderError) -> Int {
    if isAhead {
      isAhead = false
      frame = blockFrames
      return blockFrames
    }
    while true {
      let frames = codec.receive()
      if frames > 0, let current = codec.format {
        format = current
        frame += frames
        // The padding after the last frame to be heard.
        let heard = frames - codec.skipped.last
        if heard > 0 { return heard }
        continue
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

  func rewind(to target: Int) throws(DecoderError) -> Int {
    if !packets.canJump, target >= frame { return frame }
    codec.flush()
    (isAhead, hasEnded) = (false, false)
    frame = try packets.rewind(to: target, rate: format.rate)
    return frame
  }
}
