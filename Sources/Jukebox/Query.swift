/// What of the library is wanted: tracks, or what tracks have in common.
public struct Query: Equatable, Sendable {
  /// Something that is known of a track.
  public enum Property: UInt8, CaseIterable, Sendable {
    case title, artist, album, albumArtist, composer, genre, year, kind, compilation, comment
    case folder, file, medium, playlist, codec, length, rating, plays, skips, played, added
  }

  public enum Comparison: UInt8, CaseIterable, Sendable {
    case equals
    case contains
    case beginsWith
    case atLeast
    case atMost
  }

  /// A track passes if its property compares so; texts whatever their case and accents.
  public struct Predicate: Equatable, Sendable {
    public var property: Property
    public var comparison: Comparison
    public var value: String

    public init(_ property: Property, _ comparison: Comparison, _ value: String) {
      self.property = property
      self.comparison = comparison
      self.value = value
    }
  }

  /// What the tracks are gathered by; titles are the tracks themselves.
  public enum Grouping: UInt8, CaseIterable, Sendable {
    case title, album, artist, albumArtist, composer, genre, playlist, podcast, folder, year
  }

  public struct Order: Equatable, Sendable {
    public var property: Property
    public var isDescending: Bool

    public init(_ property: Property, isDescending: Bool = false) {
      self.property = property
      self.isDescending = isDescending
    }
  }

  /// All must hold.
  public var predicates: [Predicate]
  public var grouping: Grouping
  /// Empty for the natural order: titles of an album by disc and number, collections by name.
  public var order: [Order]
  /// How many to give at most; nil for all.
  public var limit: Int?
  /// How many to leave out at the start.
  public var offset: Int
  /// Whether tracks of media that are not here are given too.
  public var includesAway: Bool

  public init(
    _ grouping: Grouping = .title, where predicates: [Predicate] = [], order: [Order] = [],
    limit: Int? = nil, offset: Int = 0, includesAway: Bool = false
  ) {
    self.grouping = grouping
    self.predicates = predicates
    self.order = order
    self.limit = limit
    self.offset = offset
    self.includesAway = includesAway
  }
}

extension Query {
  private static let music = Predicate(.kind, .equals, "music")

  public static let songs = Query(.title, where: [music])
  public static let albums = Query(.album, where: [music])
  public static let artists = Query(.artist, where: [music])
  public static let albumArtists = Query(.albumArtist, where: [music])
  public static let composers = Query(.composer, where: [music])
  public static let genres = Query(.genre, where: [music])
  public static let compilations = Query(
    .album, where: [music, Predicate(.compilation, .equals, "yes")])
  public static let playlists = Query(.playlist)
  public static let podcasts = Query(.podcast)
  public static let audiobooks = Query(.album, where: [Predicate(.kind, .equals, "audiobook")])
  public static let recentlyAdded = Query(
    .title, order: [Order(.added, isDescending: true)], limit: 100)
  public static let mostPlayed = Query(
    .title, where: [Predicate(.plays, .atLeast, "1")],
    order: [Order(.plays, isDescending: true)], limit: 100)
  /// The longest ago first, those never played before all.
  public static let notPlayedForLong = Query(
    .title, where: [music], order: [Order(.played)], limit: 100)
}

extension Query.Property {
  public var name: String {
    switch self {
    case .title: "title"
    case .artist: "artist"
    case .album: "album"
    case .albumArtist: "albumartist"
    case .composer: "composer"
    case .genre: "genre"
    case .year: "year"
    case .kind: "kind"
    case .compilation: "compilation"
    case .comment: "comment"
    case .folder: "folder"
    case .file: "file"
    case .medium: "medium"
    case .playlist: "playlist"
    case .codec: "codec"
    case .length: "length"
    case .rating: "rating"
    case .plays: "plays"
    case .skips: "skips"
    case .played: "played"
    case .added: "added"
    }
  }

  /// Whole numbers: years, seconds of length, seconds since 1970 of `played` and `added`.
  public var isNumber: Bool {
    switch self {
    case .year, .medium, .length, .rating, .plays, .skips, .played, .added: true
    default: false
    }
  }

  /// How tracks can be filtered by it.
  public var comparisons: [Query.Comparison] {
    switch self {
    case .kind, .compilation: [.equals]
    default: isNumber ? [.equals, .atLeast, .atMost] : [.equals, .contains, .beginsWith]
    }
  }

  /// Whether tracks can be put in order by it.
  public var canOrder: Bool {
    switch self {
    case .comment, .playlist, .genre, .kind, .compilation, .medium: false
    default: true
    }
  }

  /// What its values are, where they are words of a few; empty where they are not.
  public var values: [String] {
    switch self {
    case .kind: ["music", "podcast", "audiobook"]
    case .compilation: ["no", "yes"]
    default: []
    }
  }
}

extension Query.Grouping {
  public var name: String {
    switch self {
    case .title: "title"
    case .album: "album"
    case .artist: "artist"
    case .albumArtist: "albumartist"
    case .composer: "composer"
    case .genre: "genre"
    case .playlist: "playlist"
    case .podcast: "podcast"
    case .folder: "folder"
    case .year: "year"
    }
  }
}
