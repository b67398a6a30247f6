internal import CFFmpeg

/// One of libavcodec's decoders or encoders of pictures.
@safe final class PictureCodec {
  private let library: cffmpeg_picture
  private let codec: UnsafePointer<AVCodec>
  private let context: UnsafeMutablePointer<AVCodecContext>

  /// A decoder, still to be opened.
  convenience init(decoding id: AVCodecID) throws(PictureError) {
    let library = try PictureLibraries.loaded().codec
    unsafe try self.init(library.avcodec_find_decoder(id), library)
  }

  /// A decoder of a video, still to be opened.
  convenience init(_ parameters: UnsafePointer<AVCodecParameters>) throws(PictureError) {
    try unsafe self.init(decoding: parameters.pointee.codec_id)
    guard unsafe library.avcodec_parameters_to_context(context, parameters) >= 0 else {
      throw .unreadable
    }
  }

  private init(
    _ codec: UnsafePointer<AVCodec>?, _ library: cffmpeg_picture
  ) throws(PictureError) {
    guard let codec = unsafe codec, let context = unsafe library.avcodec_alloc_context3(codec)
    else { throw .unreadable }
    unsafe context.pointee.thread_count = 1
    unsafe context.pointee.max_pixels = Int64(Picture.mostPixels)
    self.library = library
    unsafe self.codec = unsafe codec
    unsafe self.context = unsafe context
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
    unsafe library.avcodec_free_context(&context)
  }

  /// Has a picture whose longer side is known decoded smaller, if it is to be less than half as big;
  /// whether it will be.
  func shrink(_ longest: Int, toFit side: Int) -> Bool {
    var halvings = 0
    while halvings < 3, longest >> (halvings + 1) >= side { halvings += 1 }
    unsafe context.pointee.lowres = Int32(halvings)
    return halvings > 0
  }

  func open() throws(PictureError) {
    guard unsafe library.avcodec_open2(context, codec, nil) >= 0 else { throw .unreadable }
  }

  func send(_ bytes: [UInt8]) throws(PictureError) {
    var packet = unsafe library.av_packet_alloc()
    defer { unsafe library.av_packet_free(&packet) }
    guard let allocated = unsafe packet, bytes.count <= Int(Int32.max) / 2,
      unsafe library.av_new_packet(allocated, Int32(bytes.count)) >= 0,
      let data = unsafe allocated.pointee.data
    else { throw .unreadable }
    unsafe data.update(from: bytes, count: bytes.count)
    guard unsafe library.avcodec_send_packet(context, allocated) >= 0 else { throw .unreadable }
  }

  func send(_ packet: UnsafeMutablePointer<AVPacket>) {
    _ = unsafe library.avcodec_send_packet(context, packet)
  }

  /// Nothing more is sent.
  func end() { _ = unsafe library.avcodec_send_packet(context, nil) }

  /// The next frame, which becomes the caller's; nil if it takes more packets, or at the end.
  func receive() -> UnsafeMutablePointer<AVFrame>? {
    var frame = unsafe library.av_frame_alloc()
    guard let allocated = unsafe frame,
      unsafe library.avcodec_receive_frame(context, allocated) >= 0,
      unsafe allocated.pointee.width > 0
    else {
      unsafe library.av_frame_free(&frame)
      return nil
    }
    return unsafe allocated
  }

  /// The file that holds a picture alone.
  static func encode(_ picture: Picture, as id: AVCodecID) throws(PictureError) -> [UInt8] {
    let library = try PictureLibraries.loaded().codec
    let coder = try unsafe PictureCodec(library.avcodec_find_encoder(id), library)
    let context = unsafe coder.context
    unsafe context.pointee.width = Int32(picture.width)
    unsafe context.pointee.height = Int32(picture.height)
    unsafe context.pointee.pix_fmt = AVPixelFormat(picture.frame.pointee.format)
    unsafe context.pointee.time_base = AVRational(num: 1, den: 1)
    unsafe context.pointee.flags |= AV_CODEC_FLAG_QSCALE
    unsafe context.pointee.global_quality = cffmpeg_best_quality
    unsafe picture.frame.pointee.quality = cffmpeg_best_quality
    unsafe picture.frame.pointee.pts = 0
    var packet = unsafe library.av_packet_alloc()
    defer { unsafe library.av_packet_free(&packet) }
    guard let made = unsafe packet,
      unsafe library.avcodec_open2(context, coder.codec, nil) >= 0,
      unsafe library.avcodec_send_frame(context, picture.frame) >= 0,
      unsafe library.avcodec_send_frame(context, nil) >= 0,
      unsafe library.avcodec_receive_packet(context, made) >= 0,
      let data = unsafe made.pointee.data
    else { throw .unreadable }
    return unsafe Array(UnsafeBufferPointer(start: data, count: Int(made.pointee.size)))
  }
}
