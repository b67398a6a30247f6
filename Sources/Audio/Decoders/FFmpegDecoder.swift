internal import CFFmpeg

/// Where packets come from.
///
/// Frames count in the decoder's output, from the first packet's first.
protocol PacketSource: AnyObject {
  /// The file that the packets are read from.
  var input: InputFile { get }

  /// The next packet, valid until the next call; nil at the end.
  ///
  /// Its `pts` is the first frame that it gives, where that is known.
  func next() throws(DecoderError) -> UnsafeMutablePointer<AVPacket>?

  /// Whether `rewind` is quicker than decoding all that lies between.
  var canJump: Bool { get }

  /// Goes to a packet from which the decoder gives a frame as in a straight decode, or an earlier
  /// one; returns the first frame that the decoder gives from there. `rate` is its output's (Hz).
  func rewind(to frame: Int, rate: Int) throws(DecoderError) -> Int
}

/// Packets decoded by libavcodec.
final class FFmpegSource: BlockSource {
  private(set) var format: StreamFormat
  private let packets: any PacketSource
  var input: InputFile { packets.input }
  private let makeCodec: () throws(DecoderError) -> FFmpegCodec
  private var codec: FFmpegCodec
  private var hasEnded = false
  /// Frames of the first block after a jump, which is decoded at once: a packet that can't be
  /// decoded without those before it gives none, so the first block tells where it is.
  private(set) var blockFrames = 0
  private var isAhead = false
  /// The first frame of the next block.
  private var frame = 0
  /// Whether the current block is silence in place of packets that could not be decoded, and the
  /// frames of the block decoded after them.
  private var (isSilent, held) = (false, 0)

  init(
    _ packets: any PacketSource, _ makeCodec: @escaping () throws(DecoderError) -> FFmpegCodec
  ) throws(DecoderError) {
    self.packets = packets
    self.makeCodec = makeCodec
    codec = try makeCodec()
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
      frame += blockFrames
      return blockFrames
    }
    if isSilent {
      isSilent = false
      frame += held
      return held
    }
    while true {
      let frames = codec.receive()
      if frames > 0, let current = codec.format {
        format = current
        // The padding after the last frame to be heard.
        let heard = max(0, frames - codec.skipped.last)
        if let time = codec.time, heard > 0, (frame + 1...frame + current.rate).contains(time) {
          defer { frame = time }
          (isSilent, held) = (true, heard)
          return time - frame
        }
        frame += frames
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
    if isSilent {
      unsafe samples.update(repeating: 0, count: frames.count * format.channels)
    } else {
      unsafe codec.copy(frames, to: samples)
    }
  }

  func rewind(to target: Int) throws(DecoderError) -> Int {
    if !packets.canJump, target >= frame { return frame }
    // Some decoders keep sound from before a jump when they are only flushed.
    codec = try makeCodec()
    (isAhead, hasEnded, isSilent) = (false, false, false)
    let start = try packets.rewind(to: target, rate: format.rate)
    // Nothing can be missing before the first block.
    frame = Int.max / 2
    blockFrames = try advance()
    isAhead = true
    frame = blockFrames > 0 ? codec.time ?? start : start
    return frame
  }
}
