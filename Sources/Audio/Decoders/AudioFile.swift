/// Sound files of every kind, told by their content, never by their name.
public enum AudioFile {
  /// Opens a file at its first frame.
  ///
  /// - Parameters:
  ///   - path: a regular file's name, as bytes without a NUL.
  ///   - previous: the path of the file heard just before this one. An MP3 that was encoded in one
  ///     go with it then continues it without a seam.
  /// - Returns: the decoder, which has read as far as the first frame.
  /// - Throws: `notAudio`, `damaged`, `unreadable`, or `missing` where FFmpeg would be needed.
  public static func open(
    _ path: [UInt8], after previous: [UInt8]? = nil
  ) throws(DecoderError) -> any Decoder {
    try open(InputFile(path), after: previous)
  }

  /// Opens a file by a name that is known to be UTF-8.
  public static func open(
    _ path: String, after previous: String? = nil
  ) throws(DecoderError) -> any Decoder {
    try open(Array(path.utf8), after: previous.map { Array($0.utf8) })
  }

  static func open(
    _ input: InputFile, after previous: [UInt8]? = nil
  ) throws(DecoderError) -> any Decoder {
    input.dropID3()
    let content = Content(of: input)
    try input.check()
    switch content {
    case .sndfile:
      // A WAV may hold what libsndfile does not know: MP3, AC-3, WMA.
      do throws(DecoderError) { return try SndFileDecoder(input) } catch {
        try input.check()
        guard let decoder = try? Container.open(input) else { throw error }
        return decoder
      }
    case .vorbis: return try VorbisSource.open(input)
    case .opus: return try OpusSource.open(input)
    case .mpeg(let stream):
      let before = previous.flatMap { try? InputFile($0) }
      return try MP3Source.open(input, stream, after: before)
    case .mp4:
      if let decoder = try MP4Source.open(input) { return decoder }
      return try Container.open(input)
    case .other: return try Container.open(input)
    case nil: throw .notAudio
    }
  }
}

/// What a file holds, by its first bytes.
enum Content {
  /// WAV, AIFF, FLAC and their kin.
  case sndfile
  case vorbis, opus
  case mpeg(MPEGStream)
  case mp4
  /// What only libavformat knows.
  case other

  /// Nil if no decoder here is known to read it.
  init?(of input: InputFile) {
    let head = input.bytes(at: 0, count: 512)
    func has(_ text: String, at place: Int = 0) -> Bool {
      head.dropFirst(place).starts(with: text.utf8)
    }
    func has(_ bytes: [UInt8]) -> Bool { head.starts(with: bytes) }

    if has("RIFF") || has("RF64") || has("RIFX"), has("WAVE", at: 8) {
      self = .sndfile
    } else if has("FORM"), has("AIFF", at: 8) || has("AIFC", at: 8) {
      self = .sndfile
    } else if has("fLaC") || has("caff") || has(".snd") || has("riff") {
      self = .sndfile
    } else if has("OggS"), head.count > 27 {
      // The first packet follows the page's header and its table of segments.
      let packet = 27 + Int(head[26])
      self =
        has("\u{1}vorbis", at: packet)
        ? .vorbis : has("OpusHead", at: packet) ? .opus : .other
    } else if ["ftyp", "moov", "mdat", "wide"].contains(where: { has($0, at: 4) }) {
      self = .mp4
    } else if Self.others.contains(where: has) || has("RIFF") && has("AVI ", at: 8)
      || [0, 188, 376].allSatisfy({ has("G", at: $0) })  // MPEG transport stream
    {
      self = .other
    } else if let stream = MPEGStream(input) {
      self = .mpeg(stream)
    } else if Self.isADTS(input) {
      self = .other
    } else {
      return nil
    }
  }

  /// First bytes of the containers that libavformat is trusted with.
  private static let others: [[UInt8]] = [
    [0x1A, 0x45, 0xDF, 0xA3],  // Matroska, WebM
    [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11],  // ASF: WMA
    [0x00, 0x00, 0x01, 0xBA],  // MPEG program stream
    Array("MAC ".utf8), Array("wvpk".utf8), Array("TTA1".utf8), Array("TTA2".utf8),
    Array("MPCK".utf8), Array("MP+".utf8), Array("OFR ".utf8), Array("tBaK".utf8),
    Array("DSD ".utf8), Array("FRM8".utf8), Array("FLV\u{1}".utf8), Array("ADIF".utf8),
    Array("#!AMR".utf8),
    [0x0B, 0x77],  // AC-3
    [0x7F, 0xFE, 0x80, 0x01], [0xFE, 0x7F, 0x01, 0x80],  // DTS
  ]

  /// Whether the file begins with AAC frames that follow each other (ISO 13818-7, section 6.2).
  private static func isADTS(_ input: InputFile) -> Bool {
    var place = 0
    for count in 0..<8 {
      let head = input.bytes(at: place, count: 7)
      if head.isEmpty, count > 0 { return true }
      guard head.count == 7, head[0] == 0xFF, head[1] & 0xF6 == 0xF0, head[2] >> 2 & 15 < 13
      else { return false }
      let size = Int(head[3] & 3) << 11 | Int(head[4]) << 3 | Int(head[5] >> 5)
      guard size > 7 else { return false }
      place += size
    }
    return true
  }
}

extension InputFile {
  /// Leaves out the ID3v2 tags at the head, whatever kind of file follows them.
  func dropID3() {
    while true {
      let head = bytes(at: 0, count: 10)
      guard head.count == 10, head.starts(with: "ID3".utf8), head[3] != 0xFF, head[4] != 0xFF,
        head[6...].allSatisfy({ $0 < 0x80 })
      else { return }
      let size = head[6...].reduce(0) { $0 << 7 | Int($1) }
      let footer = head[5] & 0x10 != 0 ? 10 : 0
      // A tag that claims more than the file has lies: what follows its header is searched.
      dropHead(10 + size + footer < self.size ? 10 + size + footer : 10)
    }
  }
}
