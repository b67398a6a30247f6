/// The header of an MPEG-1, -2 or -2.5 audio frame, layers I to III (ISO 11172-3, section 2.4.1.3).
struct MPEGHeader: Equatable {
  /// 1: MPEG-1, 2: MPEG-2, 3: MPEG-2.5.
  var version: Int
  var layer: Int
  /// Bits a second.
  var bitRate: Int
  /// Frames of sound a second (Hz).
  var rate: Int
  var isPadded: Bool
  var isMono: Bool
  var hasChecksum: Bool

  static let size = 4

  /// Nil if the four bytes are no header, or one of free format.
  init?(_ bytes: some RandomAccessCollection<UInt8>) {
    guard bytes.count >= Self.size else { return nil }
    let word = bytes.prefix(Self.size).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard word >> 21 == 0x7FF else { return nil }
    let (version, layer) = (Int(word >> 19 & 3), 4 - Int(word >> 17 & 3))
    let (bitRate, rate) = (Int(word >> 12 & 15), Int(word >> 10 & 3))
    guard version != 1, layer != 4, bitRate != 0, bitRate != 15, rate != 3 else { return nil }
    // An emphasis that is reserved.
    guard word & 3 != 2 else { return nil }
    self.version = version == 3 ? 1 : version == 2 ? 2 : 3
    self.layer = layer
    self.bitRate = 1000 * Self.kilobits(version: self.version, layer: layer, index: bitRate)
    self.rate = [44100, 48000, 32000][rate] >> (self.version - 1)
    isPadded = word >> 9 & 1 == 1
    isMono = word >> 6 & 3 == 3
    hasChecksum = word >> 16 & 1 == 0
  }

  /// Frames of sound in one MPEG frame.
  var frames: Int { layer == 1 ? 384 : layer == 3 && version != 1 ? 576 : 1152 }

  /// Bytes of the whole MPEG frame.
  var bytes: Int {
    layer == 1
      ? (12 * bitRate / rate + (isPadded ? 1 : 0)) * 4
      : frames / 8 * bitRate / rate + (isPadded ? 1 : 0)
  }

  /// Where the main data of layer III begins, and where a Xing tag would.
  var mainData: Int {
    let side = version == 1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
    return Self.size + side
  }

  /// Whether the other can be a frame of the same stream.
  func continues(_ other: MPEGHeader) -> Bool {
    version == other.version && layer == other.layer && rate == other.rate
      && isMono == other.isMono
  }

  private static func kilobits(version: Int, layer: Int, index: Int) -> Int {
    switch (version, layer) {
    case (1, 1): 32 * index
    case (1, 2): [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384][index]
    case (1, _): [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320][index]
    case (_, 1): [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256][index]
    default: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160][index]
    }
  }
}

/// What the first frame of an MP3 says of the stream: the Xing/Info tag with LAME's extension.
struct MPEGTag: Equatable {
  /// MPEG frames after the tag's own.
  var frameCount: Int?
  /// Bytes of all of them and of the tag's frame.
  var byteCount: Int?
  /// Whether all frames have one bit rate.
  var isConstant: Bool
  /// Frames of sound that the encoder put before and after the original.
  var delay: Int?
  var padding = 0
  /// Encoded in one go with the file before it, and with the one after (`lame --nogaptags`).
  var (followsAnother, isFollowed) = (false, false)

  /// Nil if the frame is none that holds a tag.
  init?(frame: [UInt8], header: MPEGHeader) {
    guard header.layer == 3 else { return nil }
    // Encoders that write a checksum do not all count its two bytes.
    for start in [header.mainData, header.mainData + 2] {
      guard frame.count >= start + 8 else { return nil }
      let name = Array(frame[start..<start + 4])
      guard name == Array("Xing".utf8) || name == Array("Info".utf8) else { continue }
      isConstant = name == Array("Info".utf8)
      let flags = frame[start + 7]
      var place = start + 8
      func number(_ size: Int) -> Int? {
        guard place + size <= frame.count else { return nil }
        defer { place += size }
        return frame[place..<place + size].reduce(0) { $0 << 8 | Int($1) }
      }
      if flags & 1 != 0 { frameCount = number(4) }
      if flags & 2 != 0 { byteCount = number(4) }
      if flags & 4 != 0 { place += 100 }
      if flags & 8 != 0 { place += 4 }
      guard place + 24 <= frame.count else { return }
      let encoder = frame[place..<place + 4]
      guard encoder.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return }
      if encoder.elementsEqual("LAME".utf8) {
        followsAnother = frame[place + 19] & 0x80 != 0
        isFollowed = frame[place + 19] & 0x40 != 0
      }
      place += 21
      if let both = number(3) {
        delay = both >> 12
        padding = both & 0xFFF
      }
      return
    }
    return nil
  }
}
