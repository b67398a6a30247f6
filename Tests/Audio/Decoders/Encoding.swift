import Glibc

/// The ways an album is encoded for the tests.
enum Encoding: String, CaseIterable {
  case wav, aiff, flac, alac, wavPack, tta
  case mp3Constant, mp3Loud, mp3Variable, mp3Average, mp3Lavc, mp3Nogap, mp3NogapTags, mp3Untagged
  case vorbis, opus
  case aacEditList, aacExactEditList, aacSMPB, aacPlain
  case aacMatroska, aacADTS, wma

  static let lossless: [Encoding] = [.wav, .aiff, .flac, .alac, .wavPack, .tta]
  /// All that tell exactly where their sound begins and ends.
  static let gapless: [Encoding] =
    lossless + [
      .mp3Constant, .mp3Loud, .mp3Variable, .mp3Average, .mp3Lavc, .vorbis, .opus, .aacEditList,
      .aacExactEditList, .aacSMPB,
    ]

  var isLossless: Bool { Self.lossless.contains(self) }
  /// Opus knows no other rate than 48 kHz.
  var album: Corpus.Album { self == .opus ? .dat : .cd }

  var suffix: String {
    switch self {
    case .wav, .aiff, .flac, .opus, .tta, .wma: rawValue
    case .wavPack: "wv"
    case .vorbis: "ogg"
    case .alac, .aacEditList, .aacExactEditList, .aacSMPB, .aacPlain: "m4a"
    case .aacMatroska: "mkv"
    case .aacADTS: "aac"
    default: "mp3"
    }
  }

  /// Encodes the tracks, each to its path.
  func encode(_ sources: [String], to targets: [String], in folder: String) throws {
    switch self {
    case .mp3Nogap, .mp3NogapTags:
      let tags = self == .mp3NogapTags ? ["--nogaptags"] : []
      try Corpus.tool(
        "lame",
        ["--quiet", "-b", "128"] + tags + ["--nogapout", folder, "--nogap"] + sources)
      // LAME names each after its source.
      for (source, target) in zip(sources, targets) {
        let name = source.split(separator: "/").last?.dropLast(3) ?? ""
        guard rename("\(folder)/\(name)mp3", target) == 0 else { throw Failure("no \(name)mp3") }
      }
    default:
      for (source, target) in zip(sources, targets) {
        let words = command(source, target)
        try Corpus.tool(words[0], Array(words.dropFirst()))
        if self == .aacSMPB { try addSMPB(to: target, of: source) }
      }
    }
  }

  private func command(_ source: String, _ target: String) -> [String] {
    func ffmpeg(_ options: String...) -> [String] {
      ["ffmpeg", "-v", "error", "-y", "-nostdin", "-i", source] + options + [target]
    }
    // Without noise substitution, whose noise each decoder draws anew after a seek.
    func aac(_ options: String...) -> [String] {
      ["ffmpeg", "-v", "error", "-y", "-nostdin", "-i", source, "-c:a", "aac", "-aac_pns", "0"]
        + options + [target]
    }
    func lame(_ options: String...) -> [String] {
      ["lame", "--quiet"] + options + [source, target]
    }
    return switch self {
    case .wav: ["cp", source, target]
    case .aiff, .tta: ffmpeg()
    case .flac: ["flac", "--silent", "--force", "-o", target, source]
    case .alac: ffmpeg("-c:a", "alac")
    case .wavPack: ffmpeg("-c:a", "wavpack")
    case .mp3Constant: lame("-b", "128")
    case .mp3Loud: lame("-b", "320")
    case .mp3Variable: lame("-V", "2")
    case .mp3Average: lame("--abr", "160")
    case .mp3Untagged, .mp3Nogap, .mp3NogapTags: lame("-t", "-b", "128")
    case .mp3Lavc: ffmpeg("-c:a", "libmp3lame", "-b:a", "192k")
    case .vorbis: ["oggenc", "--quiet", "-q", "6", "-o", target, source]
    case .opus: ["opusenc", "--quiet", source, target]
    case .aacEditList: aac("-b:a", "192k")
    case .aacExactEditList: aac("-b:a", "192k", "-movie_timescale", "44100")
    case .aacSMPB: aac("-b:a", "192k", "-use_editlist", "0", "-f", "mp4")
    // Without the noise that a decoder draws anew.
    case .aacPlain: aac("-b:a", "128k")
    case .aacMatroska, .aacADTS: aac()
    case .wma: ffmpeg("-c:a", "wmav2", "-b:a", "160k")
    }
  }

  /// Writes iTunes' note of delay, padding and length into an MP4 file that ends with its index.
  private func addSMPB(to path: String, of source: String) throws {
    var file = try Corpus.bytes(path)
    let frames = (try Corpus.bytes(source).count - 44) / 4
    let packets = (frames + 1024 + 1023) / 1024
    func hex(_ value: Int, _ digits: Int) -> String {
      let text = String(value, radix: 16, uppercase: true)
      return " " + String(repeating: "0", count: digits - text.count) + text
    }
    let note =
      hex(0, 8) + hex(1024, 8) + hex(packets * 1024 - 1024 - frames, 8) + hex(frames, 16)
      + String(repeating: hex(0, 8), count: 8)
    func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
      big(body.count + 8, 4) + Array(type.utf8) + body
    }
    let item = box(
      "----",
      box("mean", [0, 0, 0, 0] + Array("com.apple.iTunes".utf8))
        + box("name", [0, 0, 0, 0] + Array("iTunSMPB".utf8))
        + box("data", big(1, 4) + big(0, 4) + Array(note.utf8)))
    // Every box around the new one grows.
    var (start, end) = (0, file.count)
    for (type, header) in [("moov", 8), ("udta", 8), ("meta", 12), ("ilst", 8)] {
      var place = start
      while place < end, !file[(place + 4)..<(place + 8)].elementsEqual(type.utf8) {
        place += file[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
      }
      guard place < end else { throw Failure("no \(type) in \(path)") }
      let size = file[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
      file.replaceSubrange(place..<(place + 4), with: big(size + item.count, 4))
      (start, end) = (place + header, place + size)
    }
    file.insert(contentsOf: item, at: end)
    let name = path.dropFirst(Corpus.folder.count + 1)
    _ = try Corpus.write(String(name), file)
  }
}
