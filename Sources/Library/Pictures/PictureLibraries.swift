internal import CFFmpeg

/// FFmpeg's libraries, loaded when the first picture is to be scaled and kept for good.
struct PictureLibraries {
  let codec: cffmpeg_picture
  let scale: cffmpeg_scale

  static func loaded() throws(PictureError) -> PictureLibraries {
    guard let codec = codecTable else {
      throw .missing(package: "libavcodec\(LIBAVCODEC_VERSION_MAJOR)")
    }
    guard let scale = scaleTable else {
      throw .missing(package: "libswscale\(LIBSWSCALE_VERSION_MAJOR)")
    }
    return PictureLibraries(codec: codec, scale: scale)
  }

  static func format() throws(PictureError) -> cffmpeg_format {
    guard let format = formatTable else {
      throw .missing(package: "libavformat\(LIBAVFORMAT_VERSION_MAJOR)")
    }
    return format
  }

  static func free(_ frame: inout UnsafeMutablePointer<AVFrame>?) {
    unsafe codecTable?.av_frame_free(&frame)
  }

  private static let codecTable: cffmpeg_picture? = {
    guard let table = unsafe cffmpeg_load_picture() else { return nil }
    unsafe table.pointee.av_log_set_level(AV_LOG_QUIET)
    return unsafe table.pointee
  }()

  private static let scaleTable: cffmpeg_scale? = unsafe cffmpeg_load_scale().map {
    unsafe $0.pointee
  }

  private static let formatTable: cffmpeg_format? = unsafe cffmpeg_load_format().map {
    unsafe $0.pointee
  }
}
