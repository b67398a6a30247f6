/// What a music file says of itself; what it doesn't say is nil.
public struct Tags: Equatable, Sendable {
  /// What it is to a listener.
  public enum Kind: Int, Sendable {
    case music, podcast, audiobook
  }

  /// Names as they are to be sorted, where that differs.
  public struct SortNames: Equatable, Sendable {
    public var title: String?
    public var artist: String?
    public var album: String?
    public var albumArtist: String?
    public var composer: String?

    public init() {}
  }

  public var title: String?
  public var artist: String?
  public var album: String?
  public var albumArtist: String?
  public var composer: String?
  public var genres: [String] = []
  /// As it is told, such as "1999-05-17".
  public var date: String?
  public var disc: Int?
  public var discTotal: Int?
  public var track: Int?
  public var trackTotal: Int?
  public var isCompilation = false
  public var comment: String?
  public var hasLyrics = false
  public var beatsPerMinute: Int?
  public var kind = Kind.music
  public var sortNames = SortNames()
  /// Whether there is a picture in the file.
  public var hasPicture = false
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
    self = (try? Reading(of: path))?.tags ?? Tags()
  }

  /// The first four digits in a row of the date.
  public var year: Int? {
    guard let date else { return nil }
    var (digits, year) = (0, 0)
    for byte in date.utf8 {
      let isDigit = (0x30...0x39).contains(byte)
      (digits, year) = isDigit ? (digits + 1, year * 10 + Int(byte & 15)) : (0, 0)
      if digits == 4 { return year > 0 ? year : nil }
    }
    return nil
  }

  /// Whether it tells what the music is called.
  var isSilent: Bool { title == nil && artist == nil && album == nil }

  /// What `other` knows and this doesn't.
  mutating func fill(from other: Tags) {
    title = title ?? other.title
    artist = artist ?? other.artist
    album = album ?? other.album
    albumArtist = albumArtist ?? other.albumArtist
    composer = composer ?? other.composer
    genres = genres.isEmpty ? other.genres : genres
    date = date ?? other.date
    disc = disc ?? other.disc
    discTotal = discTotal ?? other.discTotal
    track = track ?? other.track
    trackTotal = trackTotal ?? other.trackTotal
    isCompilation = isCompilation || other.isCompilation
    comment = comment ?? other.comment
    hasLyrics = hasLyrics || other.hasLyrics
    beatsPerMinute = beatsPerMinute ?? other.beatsPerMinute
    kind = kind == .music ? other.kind : kind
    hasPicture = hasPicture || other.hasPicture
    replayGain.track = replayGain.track ?? other.replayGain.track
    replayGain.album = replayGain.album ?? other.replayGain.album
  }
}
