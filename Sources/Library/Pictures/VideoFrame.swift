internal import CFFmpeg

extension Picture {
  /// Containers with video that libavformat may take a file for; others could name further files.
  private static let formats = "matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,avi,asf,flv,ogg,mpeg,mpegts"
  /// Packets looked at from the key frame on, at most.
  private static let mostPackets = 5000

  /// The frame of a video that is to be seen at a time; its last one for a time past the end.
  convenience init(of video: Path, at time: Duration) throws(PictureError) {
    let format = try PictureLibraries.format()
    let library = try PictureLibraries.loaded().codec
    var opened: UnsafeMutablePointer<AVFormatContext>?
    var options: OpaquePointer?
    _ = unsafe library.av_dict_set(&options, "format_whitelist", Self.formats, 0)
    _ = unsafe library.av_dict_set(&options, "protocol_whitelist", "file", 0)
    let url = Path(Array("file:".utf8) + video.bytes)
    let code = unsafe url.withCString {
      unsafe format.avformat_open_input(&opened, $0, nil, &options)
    }
    unsafe library.av_dict_free(&options)
    defer { unsafe format.avformat_close_input(&opened) }
    guard code >= 0, let file = unsafe opened,
      unsafe format.avformat_find_stream_info(file, nil) >= 0
    else { throw .unreadable }
    let best = unsafe format.av_find_best_stream(file, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
    guard best >= 0, let stream = unsafe file.pointee.streams[Int(best)],
      let parameters = unsafe stream.pointee.codecpar
    else { throw .notThere }
    for index in 0..<Int(unsafe file.pointee.nb_streams) where index != Int(best) {
      unsafe file.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
    }
    let scale = unsafe stream.pointee.time_base
    guard scale.num > 0, scale.den > 0 else { throw .unreadable }
    let first =
      unsafe stream.pointee.start_time == cffmpeg_no_time ? 0 : stream.pointee.start_time
    let ticks = time / .seconds(1) * Double(scale.den) / Double(scale.num)
    let wanted = first + Int64(min(max(ticks, 0), 1e15))
    if time > .zero {
      _ = unsafe format.av_seek_frame(file, best, wanted, AVSEEK_FLAG_BACKWARD)
    }
    let codec = try unsafe PictureCodec(parameters)
    try codec.open()
    guard let frame = unsafe Self.frame(at: wanted, of: best, in: file, codec, format, library)
    else { throw .unreadable }
    unsafe self.init(frame)
  }

  /// Decodes on until a frame is past `wanted`, and gives the one before it.
  private static func frame(
    at wanted: Int64, of stream: Int32, in file: UnsafeMutablePointer<AVFormatContext>,
    _ codec: PictureCodec, _ format: cffmpeg_format, _ library: cffmpeg_picture
  ) -> UnsafeMutablePointer<AVFrame>? {
    var packet = unsafe library.av_packet_alloc()
    defer { unsafe library.av_packet_free(&packet) }
    guard let read = unsafe packet else { return nil }
    var shown: UnsafeMutablePointer<AVFrame>?
    var packets = 0
    while true {
      let isEnd = unsafe packets == mostPackets || format.av_read_frame(file, read) < 0
      packets += 1
      if isEnd {
        codec.end()
      } else {
        defer { unsafe library.av_packet_unref(read) }
        guard unsafe read.pointee.stream_index == stream else { continue }
        unsafe codec.send(read)
      }
      while let next = unsafe codec.receive() {
        let time = unsafe next.pointee.best_effort_timestamp
        if unsafe shown != nil, time == cffmpeg_no_time || time > wanted {
          var late: UnsafeMutablePointer<AVFrame>? = unsafe next
          unsafe library.av_frame_free(&late)
          return unsafe shown
        }
        unsafe library.av_frame_free(&shown)
        unsafe shown = unsafe next
        if time == cffmpeg_no_time || time >= wanted { return unsafe shown }
      }
      if isEnd { return unsafe shown }
    }
  }
}
