internal import CFFmpeg

/// One of libavcodec's decoders: packets in, blocks of samples out.
@safe final class FFmpegCodec {
  /// What the packets hold, where no container of FFmpeg's own says it.
  struct Description {
    var id: AVCodecID
    var configuration: [UInt8]
    var rate: Int
    var channels: Int
  }

  /// Room for a packet's bytes, as libavcodec wants it behind them.
  static let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)

  private let library: cffmpeg_codec
  private let context: UnsafeMutablePointer<AVCodecContext>
  private let frame: UnsafeMutablePointer<AVFrame>

  convenience init(_ description: Description) throws(DecoderError) {
    try unsafe self.init(description.id) { library, context throws(DecoderError) in
      let bytes = description.configuration
      guard let copy = unsafe library.av_mallocz(bytes.count + Self.padding) else {
        throw .damaged("out of memory")
      }
      unsafe copy.copyMemory(from: bytes, byteCount: bytes.count)
      unsafe context.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
      unsafe context.pointee.extradata_size = Int32(bytes.count)
      unsafe context.pointee.sample_rate = Int32(description.rate)
      unsafe library.av_channel_layout_default(
        &context.pointee.ch_layout, Int32(description.channels))
    }
  }

  convenience init(_ parameters: UnsafePointer<AVCodecParameters>) throws(DecoderError) {
    try unsafe self.init(parameters.pointee.codec_id) { library, context throws(DecoderError) in
      guard unsafe library.avcodec_parameters_to_context(context, parameters) >= 0 else {
        throw .damaged("a damaged file")
      }
    }
  }

  private init(
    _ id: AVCodecID,
    _ configure: (cffmpeg_codec, UnsafeMutablePointer<AVCodecContext>) throws(DecoderError) -> Void
  ) throws(DecoderError) {
    let library = try FFmpeg.codec()
    guard let codec = unsafe library.avcodec_find_decoder(id) else {
      throw .damaged("a codec that this FFmpeg does not know")
    }
    var context = unsafe library.avcodec_alloc_context3(codec)
    var frame = unsafe library.av_frame_alloc()
    guard let opened = unsafe context, let allocated = unsafe frame else {
      unsafe library.av_frame_free(&frame)
      unsafe library.avcodec_free_context(&context)
      throw .damaged("out of memory")
    }
    do throws(DecoderError) {
      unsafe try configure(library, opened)
      unsafe opened.pointee.thread_count = 1
      // What is to be cut off is cut by the frame, here.
      unsafe opened.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
      guard unsafe library.avcodec_open2(opened, codec, nil) >= 0 else {
        throw .damaged("a damaged file: its codec's configuration is wrong")
      }
    } catch {
      unsafe library.av_frame_free(&frame)
      unsafe library.avcodec_free_context(&context)
      throw error
    }
    self.library = library
    unsafe self.context = unsafe opened
    unsafe self.frame = unsafe allocated
  }

  deinit {
    var (frame, context) = unsafe (Optional(frame), Optional(context))
    unsafe library.av_frame_free(&frame)
    unsafe library.avcodec_free_context(&context)
  }

  /// Gives a packet, or nil after the last. A damaged one is passed over.
  func send(_ packet: UnsafePointer<AVPacket>?) {
    _ = unsafe library.avcodec_send_packet(context, packet)
  }

  /// Frames of the next block; 0 where a packet is wanted.
  func receive() -> Int {
    guard unsafe library.avcodec_receive_frame(context, frame) == 0 else { return 0 }
    return unsafe max(0, Int(frame.pointee.nb_samples))
  }

  /// The `pts` of the packet that the current block is from.
  var time: Int? {
    unsafe frame.pointee.pts == cffmpeg_no_time ? nil : unsafe Int(frame.pointee.pts)
  }

  /// Frames that the container says are not to be heard at the block's start and end.
  var skipped: (first: Int, last: Int) {
    guard
      let side = unsafe library.av_frame_get_side_data(frame, AV_FRAME_DATA_SKIP_SAMPLES),
      unsafe side.pointee.size >= 8
    else { return (0, 0) }
    // Two little-endian numbers of 32 bits.
    let fields = unsafe UnsafeRawPointer(side.pointee.data)
    let first = unsafe fields?.loadUnaligned(as: UInt32.self) ?? 0
    let last = unsafe fields?.loadUnaligned(fromByteOffset: 4, as: UInt32.self) ?? 0
    return (Int(UInt32(littleEndian: first)), Int(UInt32(littleEndian: last)))
  }

  /// The format of the current block; nil if it has none that can be played.
  var format: StreamFormat? {
    let (rate, count) = unsafe (Int(frame.pointee.sample_rate), frame.pointee.ch_layout.nb_channels)
    guard rate > 0, rate < MP4Track.finest, count > 0, count <= 64 else { return nil }
    let positions = (0..<count).map { index -> ChannelLayout.Position in
      let channel = unsafe library.av_channel_layout_channel_from_index(
        &frame.pointee.ch_layout, UInt32(index))
      return .init(channel)
    }
    let layout =
      positions.contains { $0 != .other }
      ? ChannelLayout(positions) : ChannelLayout.standard(channels: Int(count))
    return StreamFormat(rate: rate, layout: count == 1 ? .mono : layout, bits: bits)
  }

  /// Significant bits of a lossless codec's samples.
  private var bits: Int {
    switch unsafe AVSampleFormat(frame.pointee.format) {
    case AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P: return 8
    case AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P: return 16
    case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P:
      let raw = unsafe Int(context.pointee.bits_per_raw_sample)
      return raw > 16 && raw < 32 ? raw : 32
    default: return 0
    }
  }

  /// Copies frames of the current block, interleaved.
  func copy(_ frames: Range<Int>, to samples: UnsafeMutablePointer<Float>) {
    switch unsafe AVSampleFormat(frame.pointee.format) {
    case AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_FLT:
      unsafe convert(frames, Float.self, to: samples) { $0 }
    case AV_SAMPLE_FMT_S16P, AV_SAMPLE_FMT_S16:
      unsafe convert(frames, Int16.self, to: samples) { Float($0) * 0x1p-15 }
    case AV_SAMPLE_FMT_S32P, AV_SAMPLE_FMT_S32:
      unsafe convert(frames, Int32.self, to: samples) { Float($0) * 0x1p-31 }
    case AV_SAMPLE_FMT_U8P, AV_SAMPLE_FMT_U8:
      unsafe convert(frames, UInt8.self, to: samples) { (Float($0) - 128) * 0x1p-7 }
    case AV_SAMPLE_FMT_DBLP, AV_SAMPLE_FMT_DBL:
      unsafe convert(frames, Double.self, to: samples) { Float($0) }
    default:
      unsafe samples.update(
        repeating: 0, count: frames.count * Int(frame.pointee.ch_layout.nb_channels))
    }
  }

  @inline(__always)
  private func convert<Sample>(
    _ frames: Range<Int>, _: Sample.Type, to samples: UnsafeMutablePointer<Float>,
    _ value: (Sample) -> Float
  ) {
    guard let planes = unsafe frame.pointee.extended_data else { return }
    let channels = unsafe Int(frame.pointee.ch_layout.nb_channels)
    let isPlanar = unsafe frame.pointee.format >= AV_SAMPLE_FMT_U8P.rawValue
    func plane(_ index: Int) -> UnsafePointer<Sample>? {
      unsafe planes[index].map {
        unsafe UnsafePointer(UnsafeRawPointer($0).assumingMemoryBound(to: Sample.self))
      }
    }
    if !isPlanar || channels == 1 {
      guard let source = unsafe plane(0) else { return }
      let start = frames.lowerBound * channels
      for index in 0..<frames.count * channels {
        unsafe samples[index] = unsafe value(source[start + index])
      }
    } else if channels == 2, let left = unsafe plane(0), let right = unsafe plane(1) {
      var target = unsafe samples
      for index in frames {
        unsafe target[0] = unsafe value(left[index])
        unsafe target[1] = unsafe value(right[index])
        unsafe target += 2
      }
    } else {
      for channel in 0..<channels {
        guard let source = unsafe plane(channel) else { return }
        var target = unsafe samples + channel
        for index in frames {
          unsafe target.pointee = unsafe value(source[index])
          unsafe target += channels
        }
      }
    }
  }
}

extension ChannelLayout.Position {
  fileprivate init(_ channel: AVChannel) {
    self =
      switch channel {
      case AV_CHAN_FRONT_LEFT: .left
      case AV_CHAN_FRONT_RIGHT: .right
      case AV_CHAN_FRONT_CENTER: .centre
      case AV_CHAN_LOW_FREQUENCY: .lowFrequency
      case AV_CHAN_BACK_LEFT: .surroundLeft
      case AV_CHAN_BACK_RIGHT: .surroundRight
      case AV_CHAN_BACK_CENTER: .surroundCentre
      case AV_CHAN_SIDE_LEFT: .sideLeft
      case AV_CHAN_SIDE_RIGHT: .sideRight
      default: .other
      }
  }
}
