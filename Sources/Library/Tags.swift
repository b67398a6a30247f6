internal import CTagLib

/// What a music file says of itself; what it doesn't say is nil.
public struct Tags: Equatable, Sendable {
  public var title: String?
  public var artist: String?
  public var album: String?
  public var albumArtist: String?
  public var disc: Int?
  public var track: Int?
  public var replayGain = ReplayGain()

  public init(
    title: String? = nil, artist: String? = nil, album: String? = nil, albumArtist: String? = nil,
    disc: Int? = nil, track: Int? = nil, replayGain: ReplayGain = ReplayGain()
  ) {
    self.title = title
    self.artist = artist
    self.album = album
    self.albumArtist = albumArtist
    self.disc = disc
    self.track = track
    self.replayGain = replayGain
  }

  /// Reads a file's tags, of the format its content shows; empty if it has none or is not audio.
  public init(of path: Path) {
    let container = try? Container(of: path)
    self.init(of: path, container: container)
  }

  init(of path: Path, container: Container?) {
    guard let format = container?.tagFormat else { return }
    var collected = CollectedTags()
    unsafe path.withCString { name in
      unsafe withUnsafeMutablePointer(to: &collected) { collected in
        unsafe ctaglib_read(name, format, collected) { context, key, value in
          guard let context = unsafe context, let key = unsafe key, let value = unsafe value else {
            return
          }
          unsafe context.assumingMemoryBound(to: CollectedTags.self).pointee
            .add(key: String(cString: key), value: String(cString: value))
        }
      }
    }
    self = collected.tags
  }

  /// What `other` knows and this doesn't.
  mutating func fill(from other: Tags) {
    title = title ?? other.title
    artist = artist ?? other.artist
    album = album ?? other.album
    albumArtist = albumArtist ?? other.albumArtist
    disc = disc ?? other.disc
    track = track ?? other.track
    replayGain.track = replayGain.track ?? other.replayGain.track
    replayGain.album = replayGain.album ?? other.replayGain.album
  }
}

/// The tags that TagLib hands over one by one, the best of each kind first.
private struct CollectedTags {
  private var values: [String: String] = [:]

  mutating func add(key: String, value: String) {
    let value = String(value.unicodeScalars.trimming { $0.properties.isWhitespace })
    if !value.isEmpty, values[key] == nil { values[key] = value }
  }

  var tags: Tags {
    Tags(
      title: values["TITLE"], artist: values["ARTIST"], album: values["ALBUM"],
      albumArtist: values["ALBUMARTIST"] ?? values["ALBUM ARTIST"] ?? values["ALBUM_ARTIST"],
      disc: number("DISCNUMBER") ?? number("DISC"), track: number("TRACKNUMBER") ?? number("TRACK"),
      replayGain: ReplayGain(track: gain("TRACK"), album: gain("ALBUM")))
  }

  /// The first of "3/12".
  private func number(_ key: String) -> Int? {
    let number = values[key].flatMap { Int($0.prefix { ("0"..."9").contains($0) }) } ?? 0
    return number > 0 ? number : nil
  }

  private func gain(_ kind: String) -> ReplayGain.Adjustment? {
    ReplayGain.Adjustment(
      opus: values["R128_\(kind)_GAIN"], gain: values["REPLAYGAIN_\(kind)_GAIN"],
      peak: values["REPLAYGAIN_\(kind)_PEAK"])
  }
}

extension Container {
  fileprivate var tagFormat: ctaglib_format? {
    switch self {
    case .mpeg: CTAGLIB_MPEG
    case .flac: CTAGLIB_FLAC
    case .oggFLAC: CTAGLIB_OGG_FLAC
    case .vorbis: CTAGLIB_OGG_VORBIS
    case .opus: CTAGLIB_OGG_OPUS
    case .speex: CTAGLIB_OGG_SPEEX
    case .mp4: CTAGLIB_MP4
    case .wav: CTAGLIB_WAV
    case .aiff: CTAGLIB_AIFF
    case .asf: CTAGLIB_ASF
    case .monkeysAudio: CTAGLIB_APE
    case .wavPack: CTAGLIB_WAVPACK
    case .musepack: CTAGLIB_MUSEPACK
    case .trueAudio: CTAGLIB_TRUE_AUDIO
    case .other: nil
    }
  }
}
