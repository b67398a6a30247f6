/// What kind of music file it is, by content: names lie, first bytes seldom do.
enum Container: Equatable {
  case mpeg, flac, oggFLAC, vorbis, opus, speex, mp4, wav, aiff, asf, monkeysAudio, wavPack
  case musepack, trueAudio
  /// Sound or video without tags that TagLib reads.
  case other

  /// How many of a file's first bytes are looked at.
  private static let headLength = 4096

  /// Of an open file, which then has what tells the container at hand.
  init?(of file: inout OpenFile) throws(SystemError) {
    let tag = Self.id3Length(file.head)
    if tag == 0 {
      self.init(head: Array(file.head.prefix(Self.headLength)))
    } else if tag + Self.headLength <= file.head.count {
      self = Self(head: Array(file.head[tag..<(tag + Self.headLength)])) ?? .mpeg
    } else {
      try file.keepAfterTag(from: tag, count: Self.headLength)
      self = Self(head: file.afterTag) ?? .mpeg
    }
  }

  init?(head: [UInt8]) {
    guard let container = Self.byMagic(head) ?? (Self.hasMPEGFrames(head) ? .mpeg : nil) else {
      return nil
    }
    self = container
  }

  /// The length of an ID3v2 tag with its header, 0 if there is none (ID3v2.4 structure, 3.1).
  static func id3Length(_ head: [UInt8]) -> Int {
    guard head.count >= 10, head.starts(with: "ID3".utf8), head[3] < 0xFF, head[4] < 0xFF,
      head[6...9].allSatisfy({ $0 < 0x80 })
    else { return 0 }
    return 10 + head[6...9].reduce(0) { $0 << 7 | Int($1) } + (head[5] & 0x10 != 0 ? 10 : 0)
  }

  private static func byMagic(_ head: [UInt8]) -> Container? {
    func has(_ magic: String, at offset: Int = 0) -> Bool {
      head.dropFirst(offset).starts(with: magic.utf8)
    }
    if has("fLaC") { return .flac }
    if has("OggS") { return ogg(head) }
    if has("ftyp", at: 4) { return .mp4 }
    if has("WAVE", at: 8), has("RIFF") { return .wav }
    if has("FORM"), has("AIFF", at: 8) || has("AIFC", at: 8) { return .aiff }
    if has("wvpk") { return .wavPack }
    if has("MAC ") { return .monkeysAudio }
    if has("MPCK") || has("MP+") { return .musepack }
    if has("TTA1") { return .trueAudio }
    if head.starts(with: [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]) { return .asf }
    let others = [
      ("RF64", 0), ("riff", 0), ("AVI ", 8), ("#!AMR", 0), (".snd", 0), ("caff", 0), ("DSD ", 0),
      ("FRM8", 0), ("FLV\u{1}", 0), (".RMF", 0), ("moov", 4), ("mdat", 4), ("wide", 4), ("tBaK", 0),
    ]
    let matroska: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]
    if others.contains(where: { has($0.0, at: $0.1) }) || head.starts(with: matroska) {
      return .other
    }
    return nil
  }

  /// By the first packet of the first page (RFC 3533, section 6): its segment table says where.
  private static func ogg(_ head: [UInt8]) -> Container {
    guard head.count > 27 else { return .other }
    let packet = head.dropFirst(27 + Int(head[26]))
    if packet.starts(with: [1] + Array("vorbis".utf8)) { return .vorbis }
    if packet.starts(with: "OpusHead".utf8) { return .opus }
    if packet.starts(with: [0x7F] + Array("FLAC".utf8)) { return .oggFLAC }
    if packet.starts(with: "Speex   ".utf8) { return .speex }
    return .other
  }

  /// Whether MPEG audio frames follow each other (ISO 11172-3, 2.4.1.3): two at the very start,
  /// three after junk, fewer only where the file ends.
  private static func hasMPEGFrames(_ head: [UInt8]) -> Bool {
    head.indices.contains { start in
      var (next, frames) = (start, 0)
      while frames < 3, let length = frameLength(head, at: next) {
        next += length
        frames += 1
      }
      let ends = head.count < headLength && next >= head.count
      return frames >= (start == 0 ? 2 : 3) || (frames > 0 && ends)
    }
  }

  /// Bytes from one frame header to the next; nil if there is no header (ADTS frames count too).
  private static func frameLength(_ head: [UInt8], at start: Int) -> Int? {
    guard start + 4 <= head.count else { return nil }
    let (a, b, c) = (head[start + 1], head[start + 2], head[start + 3])
    guard head[start] == 0xFF, a & 0xE0 == 0xE0 else { return nil }
    let (version, layer) = (a >> 3 & 3, a >> 1 & 3)
    if a & 0xF6 == 0xF0 {
      guard head.count > start + 5, b >> 2 & 0xF < 13 else { return nil }
      let length =
        Int(c & 3) << 11 | Int(head[start + 4]) << 3 | Int(head[start + 5]) >> 5
      return length > 7 ? length : nil
    }
    let (bitrateIndex, rateIndex) = (Int(b >> 4), Int(b >> 2 & 3))
    guard version != 1, layer != 0, (1...14).contains(bitrateIndex), rateIndex < 3 else {
      return nil
    }
    let rate = [44100, 48000, 32000][rateIndex] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
    let kilobits =
      switch (version == 3, layer) {
      case (true, 3): bitrateIndex * 32
      case (true, 2):
        [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384][bitrateIndex - 1]
      case (true, _):
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320][bitrateIndex - 1]
      case (false, 3):
        [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256][bitrateIndex - 1]
      case (false, _):
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160][bitrateIndex - 1]
      }
    let padding = Int(b >> 1 & 1)
    if layer == 3 { return (12 * kilobits * 1000 / rate + padding) * 4 }
    return (version != 3 && layer == 1 ? 72 : 144) * kilobits * 1000 / rate + padding
  }
}
