internal import CFFmpeg

/// FFmpeg's libraries, loaded on first use and kept for good.
///
/// libavcodec alone costs 37 ms, 16 MB of shared and 3.1 MB of private memory; libavformat 13 ms,
/// 9 MB and 1.6 MB more (measured with Debian 12's builds), so M4A files do without it.
enum FFmpeg {
  /// Throws `missing` where libavcodec is not installed.
  static func codec() throws(DecoderError) -> cffmpeg_codec {
    guard let loaded = codecTable else {
      throw .missing("libavcodec\(LIBAVCODEC_VERSION_MAJOR)")
    }
    return loaded
  }

  /// Throws `missing` where libavformat is not installed.
  static func format() throws(DecoderError) -> cffmpeg_format {
    guard let loaded = formatTable else {
      throw .missing("libavformat\(LIBAVFORMAT_VERSION_MAJOR)")
    }
    return loaded
  }

  private static let codecTable: cffmpeg_codec? = {
    guard let table = unsafe cffmpeg_load_codec() else { return nil }
    unsafe table.pointee.av_log_set_level(AV_LOG_QUIET)
    return unsafe table.pointee
  }()

  private static let formatTable: cffmpeg_format? = unsafe cffmpeg_load_format().map {
    unsafe $0.pointee
  }
}

extension DecoderError {
  static func missing(_ package: String) -> DecoderError {
    DecoderError(
      .missing(package: package), "needs FFmpeg to play: install the package \(package)")
  }
}
