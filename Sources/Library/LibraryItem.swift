public import Jukebox

/// A track as the library has it.
public struct LibraryItem: Equatable, Sendable {
  public var id: TrackID
  public var medium: MediumID
  /// Whether its medium is here.
  public var isPresent: Bool
  public var path: Path
  /// Where in the file it starts, and ends if that is not the file's end.
  public var start = Duration.zero
  public var end: Duration?
  /// With gains that were measured where no tag tells them.
  public var tags: Tags
  /// The album artist that it is listed under, whether or not a tag says so.
  public var albumArtist: String?
  public var sound: Sound?
  public var length: Duration
  public var size: Int
  /// Seconds since 1970.
  public var modified: Int64
  public var added: Int64
  public var usage: Usage
  /// Why it could not be read; it may play all the same.
  public var reason: String?
}

/// What people have done with a track.
public struct Usage: Equatable, Sendable {
  /// From 0 to 100.
  public var rating: Int?
  public var plays = 0
  public var skips = 0
  /// When it was last played to its end; seconds since 1970.
  public var played: Int64?
  public var resume: Duration?

  public init() {}
}

/// Tracks that have something in common.
public struct LibraryCollection: Equatable, Sendable {
  public var number: Int64
  public var title: String
  /// The album artist of an album; else empty.
  public var detail: String
  public var year: Int?
  public var count: Int
  public var length: Duration
  /// One of the tracks, such as for its picture.
  public var representative: TrackID?
}

extension Catalogue {
  /// The tracks of these numbers, in their order; those unknown are left out.
  public func items(_ tracks: [TrackID]) throws(SQLiteError) -> [LibraryItem] {
    var items: [LibraryItem] = []
    items.reserveCapacity(tracks.count)
    for track in tracks {
      if let item = try item(track) { items.append(item) }
    }
    return items
  }

  public func item(_ track: TrackID) throws(SQLiteError) -> LibraryItem? {
    let genres = try database.row("SELECT genres FROM track WHERE id = ?", .integer(track.number)) {
      $0.text(0).split(separator: ",").compactMap { Int64($0) }
    }
    var names: [String] = []
    for genre in genres ?? [] {
      names += try database.rows("SELECT text FROM name WHERE id = ?", .integer(genre)) {
        $0.text(0)
      }
    }
    return try database.row(Self.itemSQL, .integer(track.number)) { Self.item($0, genres: names) }
  }

  private static let itemSQL = """
    SELECT t.id, t.medium, m.isPresent, m.root, f.path, t.file, t.start, t.stop,
      t.title, r.text, a.title, b.text, c.text, t.date, t.disc, t.discs, t.number, t.total,
      t.isCompilation, t.comment, t.hasLyrics, t.bpm, t.kind, t.hasPicture,
      t.trackGain, t.trackPeak, t.albumGain, t.albumPeak,
      t.codec, t.length, t.frames, t.rate, t.channels, t.bits, t.bitrate, t.delay, t.padding,
      t.size, t.modified, t.added, t.reason, u.rating, u.plays, u.skips, u.played, u.resume,
      l.loudness, l.peak, l.albumLoudness, l.albumPeak
    FROM track t JOIN medium m ON m.id = t.medium JOIN folder f ON f.id = t.folder
      LEFT JOIN name r ON r.id = t.artist LEFT JOIN album a ON a.id = t.album
      LEFT JOIN name b ON b.id = t.albumArtist LEFT JOIN name c ON c.id = t.composer
      LEFT JOIN usage u ON u.track = t.id
      LEFT \(measured)
    WHERE t.id = ?
    """

  /// As tags say it; and the peak in the next column.
  private static func gain(_ row: Statement, _ column: Int32) -> ReplayGain.Adjustment? {
    row.optionalReal(column).map {
      ReplayGain.Adjustment(gain: $0, peak: row.optionalReal(column + 1))
    }
  }

  /// By what was measured; and the peak in the next column.
  private static func measuredGain(_ row: Statement, _ column: Int32) -> ReplayGain.Adjustment? {
    guard let loudness = row.optionalReal(column) else { return nil }
    return ReplayGain.Adjustment(loudness: loudness, peak: row.real(column + 1))
  }

  private static func item(_ row: Statement, genres: [String]) -> LibraryItem {
    var tags = Tags(
      title: row.text(8), artist: row.optionalText(9), album: row.optionalText(10),
      albumArtist: row.optionalText(11), disc: row.optionalInt(14), track: row.optionalInt(16))
    tags.composer = row.optionalText(12)
    tags.genres = genres
    tags.date = row.optionalText(13)
    tags.discTotal = row.optionalInt(15)
    tags.trackTotal = row.optionalInt(17)
    tags.isCompilation = row.int(18) == 1
    tags.comment = row.optionalText(19)
    tags.hasLyrics = row.int(20) == 1
    tags.beatsPerMinute = row.optionalInt(21)
    tags.kind = Tags.Kind(rawValue: row.int(22)) ?? .music
    tags.hasPicture = row.int(23) == 1
    tags.replayGain.track = gain(row, 24) ?? measuredGain(row, 46)
    tags.replayGain.album = gain(row, 26) ?? measuredGain(row, 48)
    let sound = row.optionalText(28).map { codec in
      Sound(
        codec: codec, milliseconds: row.int(29), frames: row.optionalInt(30),
        rate: row.optionalInt(31), channels: row.optionalInt(32), bits: row.optionalInt(33),
        bitrate: row.optionalInt(34), delay: row.optionalInt(35), padding: row.optionalInt(36))
    }
    var usage = Usage()
    usage.rating = row.optionalInt(41)
    usage.plays = row.int(42)
    usage.skips = row.int(43)
    usage.played = row.optionalInt(44).map(Int64.init)
    usage.resume = row.optionalInt(45).map { .milliseconds($0) }
    let root = Path(row.bytes(3))
    let folder = Path(row.bytes(4))
    let inner = folder.bytes.isEmpty ? root : root.appending(folder)
    return LibraryItem(
      id: TrackID(row.integer(0)), medium: MediumID(Int32(row.int(1))),
      isPresent: row.int(2) == 1, path: inner.appending(Path(row.bytes(5))),
      start: row.int(6) > 0 ? CueSheet.duration(frames: row.int(6)) : .zero,
      end: row.optionalInt(7).map { CueSheet.duration(frames: $0) }, tags: tags,
      albumArtist: row.optionalText(11), sound: sound, length: .milliseconds(row.int(29)),
      size: row.int(37), modified: Int64(row.int(38)) / 1_000_000_000,
      added: Int64(row.int(39)), usage: usage, reason: row.optionalText(40))
  }
}
