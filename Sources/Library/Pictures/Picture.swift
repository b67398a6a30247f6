internal import CFFmpeg

/// Why a picture can't be had.
public enum PictureError: Error, Equatable, CustomStringConvertible {
  /// There is none, or it is there no longer.
  case notThere
  /// Damaged, of a kind that is not known, or with more than 25 million pixels.
  case unreadable
  /// A library that would read it is not installed; the value is the Debian package.
  case missing(package: String)

  public var description: String {
    switch self {
    case .notThere: "there is no picture"
    case .unreadable: "the picture is damaged, of an unknown kind or bigger than 25 megapixels"
    case .missing(let package): "needs FFmpeg to scale pictures: install the package \(package)"
    }
  }
}

/// A picture as pixels in memory, by FFmpeg.
@safe final class Picture {
  /// What a picture may have at most: a hundred megabytes of memory.
  static let mostPixels = 25_000_000

  let frame: UnsafeMutablePointer<AVFrame>
  /// Whether it was decoded smaller than it is.
  private(set) var isShrunk = false
  var width: Int { Int(unsafe frame.pointee.width) }
  var height: Int { Int(unsafe frame.pointee.height) }

  /// Takes the frame over.
  init(_ frame: UnsafeMutablePointer<AVFrame>) {
    unsafe self.frame = unsafe frame
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = unsafe frame
    unsafe PictureLibraries.free(&frame)
  }

  /// Of a JPEG, PNG, WebP, GIF (the first picture in it) or BMP file's bytes.
  convenience init(decoding bytes: [UInt8], toFit side: Int) throws(PictureError) {
    guard let kind = PictureKind(bytes) else { throw .unreadable }
    let codec = try PictureCodec(decoding: kind.codec)
    let isShrunk = kind == .jpeg && codec.shrink(longestSide(ofJPEG: bytes), toFit: side)
    try codec.open()
    try codec.send(bytes)
    codec.end()
    guard let frame = unsafe codec.receive() else { throw .unreadable }
    unsafe self.init(frame)
    self.isShrunk = isShrunk
  }

  /// Its sides where the longer one is `side`; its own if it is no bigger than that.
  func size(toFit side: Int) -> (width: Int, height: Int) {
    let longest = max(width, height)
    guard longest > side else { return (width, height) }
    return (
      max(1, (width * side + longest / 2) / longest),
      max(1, (height * side + longest / 2) / longest)
    )
  }

  /// Scaled to fit a square, as a JPEG file; or as a PNG file if there is something to see through.
  func encoded(toFit side: Int) throws(PictureError) -> [UInt8] {
    let libraries = try PictureLibraries.loaded()
    let format = AVPixelFormat(unsafe frame.pointee.format)
    let isSeeThrough =
      unsafe (libraries.codec.av_pix_fmt_desc_get(format)?.pointee.flags ?? 0)
      & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
    let scaled = try scaled(
      to: size(toFit: side), isSeeThrough ? AV_PIX_FMT_RGBA : AV_PIX_FMT_YUVJ420P, libraries)
    return try PictureCodec.encode(scaled, as: isSeeThrough ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG)
  }

  private func scaled(
    to size: (width: Int, height: Int), _ format: AVPixelFormat, _ libraries: PictureLibraries
  ) throws(PictureError) -> Picture {
    guard let made = unsafe libraries.codec.av_frame_alloc() else { throw .unreadable }
    let target = unsafe Picture(made)
    unsafe made.pointee.width = Int32(size.width)
    unsafe made.pointee.height = Int32(size.height)
    unsafe made.pointee.format = format.rawValue
    let context = unsafe libraries.scale.sws_getContext(
      Int32(width), Int32(height), AVPixelFormat(frame.pointee.format), Int32(size.width),
      Int32(size.height), format, Int32(SWS_BICUBIC | SWS_ACCURATE_RND), nil, nil, nil)
    guard let context = unsafe context else { throw .unreadable }
    defer { unsafe libraries.scale.sws_freeContext(context) }
    guard unsafe libraries.codec.av_frame_get_buffer(made, 0) >= 0,
      unsafe libraries.scale.sws_scale_frame(context, made, frame) >= 0
    else { throw .unreadable }
    return target
  }
}

/// What a picture file is, by its first bytes.
enum PictureKind {
  case jpeg, png, webp, gif, bmp

  init?(_ bytes: [UInt8]) {
    func has(_ magic: [UInt8], at place: Int = 0) -> Bool {
      bytes.dropFirst(place).starts(with: magic)
    }
    if has([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if has([0x89, 0x50, 0x4E, 0x47]) {
      self = .png
    } else if has(Array("RIFF".utf8)), has(Array("WEBP".utf8), at: 8) {
      self = .webp
    } else if has(Array("GIF8".utf8)) {
      self = .gif
    } else if has(Array("BM".utf8)) {
      self = .bmp
    } else {
      return nil
    }
  }

  fileprivate var codec: AVCodecID {
    switch self {
    case .jpeg: AV_CODEC_ID_MJPEG
    case .png: AV_CODEC_ID_PNG
    case .webp: AV_CODEC_ID_WEBP
    case .gif: AV_CODEC_ID_GIF
    case .bmp: AV_CODEC_ID_BMP
    }
  }
}

/// The longer side of a JPEG picture, by its frame header (ITU-T T.81, B.2.2); 0 if none is found.
func longestSide(ofJPEG bytes: [UInt8]) -> Int {
  var place = 2
  while place + 9 < bytes.count, bytes[place] == 0xFF {
    let marker = bytes[place + 1]
    // Frame headers are SOF0 to SOF15; among them stand DHT, JPG and DAC.
    if 0xC0...0xCF ~= marker, ![0xC4, 0xC8, 0xCC].contains(marker) {
      let sides = [5, 7].map { Int(bytes[place + $0]) << 8 | Int(bytes[place + $0 + 1]) }
      return sides.max() ?? 0
    }
    place += marker == 0xFF ? 1 : 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
  }
  return 0
}
