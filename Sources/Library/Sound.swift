/// How a file's sound is stored; nil where unknown.
public struct Sound: Equatable, Sendable {
  /// Such as "MP3" or "FLAC".
  public var codec: String
  public var milliseconds: Int?
  /// As told by the file; before `delay` and `padding` are taken off.
  public var frames: Int?
  /// Hz.
  public var rate: Int?
  public var channels: Int?
  public var bits: Int?
  /// kbit/s.
  public var bitrate: Int?
  /// Frames that the encoder put before the music, and after it.
  public var delay: Int?
  public var padding: Int?
}

extension Container {
  /// What people call the format.
  var codec: String? {
    switch self {
    case .mpeg: "MP3"
    case .flac, .oggFLAC: "FLAC"
    case .vorbis: "Vorbis"
    case .opus: "Opus"
    case .speex: "Speex"
    case .mp4: "MP4"
    case .wav: "WAV"
    case .aiff: "AIFF"
    case .asf: "WMA"
    case .monkeysAudio: "APE"
    case .wavPack: "WavPack"
    case .musepack: "Musepack"
    case .trueAudio: "TTA"
    case .other: nil
    }
  }
}

extension Sound {
  /// Delay and padding as LAME writes them into the first frame of an MP3 file, and the frames in it
  /// (the Xing header, and 12 bits each at byte 21 of LAME's, mp3 info tag revision 1).
  mutating func readInfoTag(_ frame: ArraySlice<UInt8>) {
    guard frame.count > 200, let sync = frame.firstIndex(of: 0xFF), sync + 4 < frame.endIndex else {
      return
    }
    let isFirstVersion = frame[sync + 1] & 0x08 != 0
    let isMono = frame[sync + 3] >> 6 == 3
    let start = sync + 4 + (isFirstVersion ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
    guard start + 160 < frame.endIndex else { return }
    let name = frame[start..<(start + 4)]
    guard name.elementsEqual("Xing".utf8) || name.elementsEqual("Info".utf8) else { return }
    let flags = frame[start + 7]
    var place = start + 8
    if flags & 1 != 0 {
      let count = frame[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
      frames = count * (isFirstVersion ? 1152 : 576)
      place += 4
    }
    place += (flags & 2 != 0 ? 4 : 0) + (flags & 4 != 0 ? 100 : 0) + (flags & 8 != 0 ? 4 : 0)
    guard
      frame[place..<(place + 2)].elementsEqual("LA".utf8)
        || frame[place..<(place + 2)].elementsEqual("La".utf8), place + 24 <= frame.endIndex
    else { return }
    delay = Int(frame[place + 21]) << 4 | Int(frame[place + 22]) >> 4
    padding = Int(frame[place + 22] & 15) << 8 | Int(frame[place + 23])
  }

  /// Delay, padding and frames of iTunes' " 00000000 00000840 000001CA 00000000003F31F6 ...".
  mutating func readSMPB(_ text: String) {
    let numbers = text.split(separator: " ").map { Int($0, radix: 16) }
    guard numbers.count >= 4, let delay = numbers[1], let padding = numbers[2],
      let frames = numbers[3], delay < 1 << 20, padding < 1 << 20
    else { return }
    self.delay = delay
    self.padding = padding
    self.frames = frames + delay + padding
  }
}
