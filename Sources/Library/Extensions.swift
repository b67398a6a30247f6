/// File name extensions that tell, without a look inside, what a folder's files are to a listener.
enum Extensions {
  /// Music, or video with a sound track: always an entry, so that a broken one is reported.
  static let audio: Set<String> = [
    "3gp", "aac", "ac3", "adts", "aif", "aifc", "aiff", "alac", "amr", "ape", "asf", "au", "avi",
    "caf", "dff", "dsf", "dts", "eac3", "flac", "flv", "m4a", "m4b", "m4r", "m4v", "mka", "mkv",
    "mov", "mp1", "mp2", "mp3", "mp4", "mpc", "mpga", "mpp", "oga", "ogg", "ogm", "ogv", "opus",
    "ra", "rf64", "snd", "spx", "tak", "tta", "w64", "wav", "wave", "webm", "wma", "wmv", "wv",
  ]

  /// Of these, what may have more to show than a cover.
  static let video: Set<String> = [
    "3gp", "asf", "avi", "flv", "m4v", "mkv", "mov", "mp4", "ogm", "ogv", "webm", "wmv",
  ]

  /// Surely no music; what is in neither set is looked into.
  static let other: Set<String> = [
    "7z", "accurip", "ass", "bmp", "cue", "db", "doc", "docx", "epub", "exe", "ffp", "gif", "gz",
    "htm", "html", "ico", "ini", "iso", "jpeg", "jpg", "js", "json", "lnk", "log", "lrc", "m3u",
    "m3u8", "md", "md5", "nfo", "odt", "par2", "pdf", "php", "pls", "png", "psd", "rar", "rtf",
    "sfv", "srt", "sub", "svg", "tar", "tif", "tiff", "torrent", "txt", "url", "vtt", "webp",
    "wpl", "xls", "xlsx", "xml", "xspf", "zip",
  ]
}

extension Extensions {
  /// What a file's name, as bytes, tells without a look inside.
  enum Kind {
    case audio, playlist, picture, other, unknown
  }

  /// Told for each file of each scan, so no string is made of the name.
  static func kind(of name: [UInt8]) -> Kind {
    var word: UInt64 = 0
    var place = name.count - 1
    while place > 0, name.count - place <= 8 {
      let byte = name[place]
      if byte == UInt8(ascii: ".") { return kinds[word] ?? .unknown }
      if byte == UInt8(ascii: " ") { return .unknown }
      word = word << 8 | UInt64(byte &- 65 < 26 ? byte + 32 : byte)
      place -= 1
    }
    return .unknown
  }

  /// By the extension's bytes, the last one the highest.
  private static let kinds: [UInt64: Kind] = {
    var kinds: [UInt64: Kind] = [:]
    func add(_ names: some Sequence<String>, _ kind: Kind) {
      for name in names { kinds[name.utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) }] = kind }
    }
    add(audio, .audio)
    add(other, .other)
    add(["m3u", "m3u8", "pls", "xspf", "cue"], .playlist)
    add(["jpg", "jpeg", "png", "webp", "gif"], .picture)
    return kinds
  }()
}
