internal import CFFmpeg
internal import Glibc

/// The sound track of a container that libavformat reads (Matroska, ASF, APE, WavPack, ADTS, ...).
///
/// A seek is exact in all of them. How it finds the frame depends on what the container knows: times
/// exact to the frame, coarse times with packets of one size, or neither; then packets are counted
/// from the start, and decoded too where only decoding tells their length.
@safe final class Container: PacketSource {
  let input: InputFile
  private let library: cffmpeg_format
  private let codecs: cffmpeg_codec
  private let access: UnsafeMutablePointer<AVIOContext>
  private var context: UnsafeMutablePointer<AVFormatContext>
  private var stream: UnsafeMutablePointer<AVStream>
  private let packet: UnsafeMutablePointer<AVPacket>?
  /// Whether `next` gives the packet that is there once more.
  private var isHeld = false
  private var firstTime: Int64?
  private let search: Search
  /// The first frame that the next packet gives, where that is known.
  private var nextFrame: Int?
  /// Frames that a packet gives, where all give as many.
  private var packetFrames = 1
  /// Packets that a decoder needs before the one sought: MP3's reservoir is the longest.
  private let preroll: Int

  /// Formats that libavformat may take a file for; others could name further files to open.
  private static let formats = [
    "matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2", "asf", "ape", "wv", "tta", "mpc", "mpc8", "aac",
    "avi", "flv", "dsf", "iff", "ogg", "wav", "aiff", "caf", "flac", "mp3", "amr", "mpeg", "tak",
    "au", "w64", "ac3", "eac3", "dts", "mpegts",
  ]

  /// How a frame is found again.
  private enum Search {
    /// By the packets' times, which count frames.
    case times
    /// By the packets' coarse times, since all packets give as many frames.
    case grid
    /// By counting packets from the start, since all give as many frames.
    case count
    /// By decoding from the start.
    case decode
  }

  static func open(_ input: InputFile) throws(DecoderError) -> any Decoder {
    let container = try Container(input)
    let source = try FFmpegSource(container) { () throws(DecoderError) in
      try unsafe FFmpegCodec(UnsafePointer(container.stream.pointee.codecpar))
    }
    container.packetFrames = source.blockFrames
    let length = container.length(rate: source.format.rate).map { max(0, $0 - source.skip) }
    return try BlockDecoder(source, from: source.skip, to: nil, length: length)
  }

  private init(_ input: InputFile) throws(DecoderError) {
    let (codecs, library) = (try FFmpeg.codec(), try FFmpeg.format())
    let size = 32 << 10
    guard
      let buffer = unsafe codecs.av_malloc(size),
      let access = unsafe library.avio_alloc_context(
        buffer.assumingMemoryBound(to: UInt8.self), Int32(size), 0, input.opaque, Self.read, nil,
        Self.seek)
    else { throw .damaged("out of memory") }
    var packet = unsafe codecs.av_packet_alloc()
    do throws(DecoderError) {
      let opened = try unsafe Self.demuxer(of: input, access, library, codecs)
      unsafe (context, stream) = unsafe opened
    } catch {
      unsafe codecs.av_packet_free(&packet)
      unsafe Self.free(access, library, codecs)
      throw error
    }
    self.input = input
    self.library = library
    self.codecs = codecs
    unsafe self.access = unsafe access
    unsafe self.packet = unsafe packet
    search = unsafe Self.search(context, stream)
    let codec = unsafe stream.pointee.codecpar.pointee.codec_id
    preroll = codec == AV_CODEC_ID_MP3 ? 13 : search == .times ? 0 : 4
  }

  deinit {
    var (context, packet) = unsafe (Optional(context), packet)
    unsafe codecs.av_packet_free(&packet)
    unsafe library.avformat_close_input(&context)
    unsafe Self.free(access, library, codecs)
  }

  var canJump: Bool { search != .decode }

  func next() throws(DecoderError) -> UnsafeMutablePointer<AVPacket>? {
    guard let packet = try unsafe isHeld ? packet : read() else { return nil }
    isHeld = false
    // From a jump on, packets are numbered by what they give.
    if search == .times, let firstTime, unsafe packet.pointee.pts != cffmpeg_no_time {
      unsafe packet.pointee.pts -= firstTime
    } else {
      unsafe packet.pointee.pts = nextFrame.map(Int64.init) ?? cffmpeg_no_time
    }
    nextFrame = nextFrame.map { $0 + packetFrames }
    return unsafe packet
  }

  private func read() throws(DecoderError) -> UnsafeMutablePointer<AVPacket>? {
    guard let packet = unsafe packet else { return nil }
    while true {
      unsafe codecs.av_packet_unref(packet)
      let code = unsafe library.av_read_frame(context, packet)
      try input.check()
      guard code >= 0 else { return nil }
      guard unsafe packet.pointee.stream_index == stream.pointee.index else { continue }
      if firstTime == nil { firstTime = unsafe packet.pointee.pts }
      return unsafe packet
    }
  }

  func rewind(to frame: Int, rate: Int) throws(DecoderError) -> Int {
    (isHeld, nextFrame) = (false, nil)
    if search == .times || search == .grid, let found = try jump(to: frame, rate: rate) {
      nextFrame = search == .grid ? found : nil
      return found
    }
    try restart()
    guard search == .count || search == .grid else { return 0 }
    let target = max(0, frame / packetFrames - preroll)
    for count in 0..<target {
      guard try unsafe read() != nil else { return count * packetFrames }
    }
    nextFrame = target * packetFrames
    return target * packetFrames
  }

  /// Goes by the container's index; nil if the packet found there can't be told for sure.
  private func jump(to frame: Int, rate: Int) throws(DecoderError) -> Int? {
    let scale = unsafe stream.pointee.time_base
    guard let firstTime, firstTime != cffmpeg_no_time, scale.num > 0, scale.den > 0 else {
      return nil
    }
    let ticksPerFrame = Double(scale.den) / (Double(scale.num) * Double(rate))
    let start = max(0, frame - preroll * packetFrames)
    let time = firstTime + Int64(Double(start) * ticksPerFrame)
    let code = unsafe library.av_seek_frame(
      context, stream.pointee.index, time, AVSEEK_FLAG_BACKWARD)
    try input.check()
    guard code >= 0, let packet = try unsafe read() else { return nil }
    let pts = unsafe packet.pointee.pts
    guard pts != cffmpeg_no_time, pts >= firstTime else { return nil }
    var found = Double(pts - firstTime) / ticksPerFrame
    if search == .grid {
      let distance = found
      found = (found / Double(packetFrames)).rounded() * Double(packetFrames)
      guard abs(distance - found) < Double(packetFrames) / 4 else { return nil }
    }
    // A coarse time may lead one packet too far, for which the preroll has room.
    let slack = search == .grid && start > 0 ? packetFrames : 0
    guard found <= Double(start + slack) else { return nil }
    isHeld = true
    return Int(found)
  }

  /// Opens the container anew, which leads to its first packet without fail.
  private func restart() throws(DecoderError) {
    let opened = try unsafe Self.demuxer(of: input, access, library, codecs)
    var old = unsafe Optional(context)
    unsafe library.avformat_close_input(&old)
    unsafe (context, stream) = unsafe opened
  }

  private static func search(
    _ context: UnsafeMutablePointer<AVFormatContext>, _ stream: UnsafeMutablePointer<AVStream>
  ) -> Search {
    guard let parameters = unsafe stream.pointee.codecpar,
      let name = unsafe context.pointee.iformat.map({ unsafe String(cString: $0.pointee.name) })
    else { return .decode }
    let (scale, rate) = unsafe (stream.pointee.time_base, parameters.pointee.sample_rate)
    switch unsafe parameters.pointee.codec_id {
    case AV_CODEC_ID_WAVPACK, AV_CODEC_ID_APE, AV_CODEC_ID_TTA, AV_CODEC_ID_TAK, AV_CODEC_ID_ALAC,
      AV_CODEC_ID_FLAC, AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S24LE:
      return scale.num == 1 && scale.den == rate && name != "ogg" ? .times : .decode
    case AV_CODEC_ID_AAC, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_MP3, AV_CODEC_ID_MP2:
      return name.hasPrefix("matroska") || name.hasPrefix("mov") ? .grid : .count
    default: return .decode
    }
  }

  /// Frames by the container's word, exact only where it counts frames; nil where it only guesses.
  private func length(rate: Int) -> Int? {
    let (duration, scale) = unsafe (stream.pointee.duration, stream.pointee.time_base)
    guard unsafe context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE else {
      return nil
    }
    let seconds: Double =
      unsafe duration > 0
      ? Double(duration) * Double(scale.num) / Double(scale.den)
      : Double(context.pointee.duration) / Double(AV_TIME_BASE)
    guard seconds > 0, seconds < 1e7 else { return nil }
    return Int((seconds * Double(rate)).rounded())
  }

  private static func demuxer(
    of input: InputFile, _ access: UnsafeMutablePointer<AVIOContext>, _ library: cffmpeg_format,
    _ codecs: cffmpeg_codec
  ) throws(DecoderError) -> (UnsafeMutablePointer<AVFormatContext>, UnsafeMutablePointer<AVStream>)
  {
    _ = unsafe library.avio_seek(access, 0, SEEK_SET)
    var opened = unsafe library.avformat_alloc_context()
    unsafe opened?.pointee.pb = unsafe access
    unsafe opened?.pointee.probesize = 256 << 10
    unsafe opened?.pointee.max_analyze_duration = 500_000
    var options: OpaquePointer?
    _ = unsafe codecs.av_dict_set(
      &options, "format_whitelist", Self.formats.joined(separator: ","), 0)
    let code = unsafe library.avformat_open_input(&opened, nil, nil, &options)
    unsafe codecs.av_dict_free(&options)
    if code >= 0, let context = unsafe opened,
      let stream = unsafe Self.sound(in: context, library)
    {
      return unsafe (context, stream)
    }
    unsafe library.avformat_close_input(&opened)
    try input.check()
    if code >= 0 { throw DecoderError(.notAudio, "no sound in it") }
    throw .damaged("a damaged file, or of a kind that FFmpeg does not know")
  }

  /// The best sound track, with all others left unread.
  private static func sound(
    in context: UnsafeMutablePointer<AVFormatContext>, _ library: cffmpeg_format
  ) -> UnsafeMutablePointer<AVStream>? {
    guard unsafe library.avformat_find_stream_info(context, nil) >= 0 else { return nil }
    let best = unsafe library.av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0)
    guard best >= 0 else { return nil }
    var chosen: UnsafeMutablePointer<AVStream>?
    for index in 0..<Int(unsafe context.pointee.nb_streams) {
      guard let stream = unsafe context.pointee.streams[index] else { continue }
      if index == Int(best) {
        unsafe chosen = unsafe stream
      } else {
        unsafe stream.pointee.discard = AVDISCARD_ALL
      }
    }
    return unsafe chosen
  }

  private static func free(
    _ access: UnsafeMutablePointer<AVIOContext>, _ library: cffmpeg_format, _ codecs: cffmpeg_codec
  ) {
    var access = unsafe Optional(access)
    // The buffer may have been replaced by another.
    if let context = unsafe access { unsafe codecs.av_freep(&context.pointee.buffer) }
    unsafe library.avio_context_free(&access)
  }

  private static let read:
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32 = {
      user, destination, count in
      guard let user = unsafe user, let destination = unsafe destination else {
        return cffmpeg_failed
      }
      let room = unsafe UnsafeMutableRawBufferPointer(start: destination, count: Int(count))
      let bytes = unsafe inputFile(user).read(into: room)
      return bytes > 0 ? Int32(bytes) : bytes == 0 ? cffmpeg_end : cffmpeg_failed
    }

  private static let seek: @convention(c) (UnsafeMutableRawPointer?, Int64, Int32) -> Int64 = {
    user, offset, whence in
    guard let user = unsafe user else { return -1 }
    let input = unsafe inputFile(user)
    if whence & AVSEEK_SIZE != 0 { return Int64(input.size) }
    return Int64(input.move(Int(offset), whence & ~AVSEEK_FORCE))
  }
}
