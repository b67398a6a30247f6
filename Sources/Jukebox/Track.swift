/// The library's number for a track; it stays while the medium and the path stay.
public struct TrackID: Hashable, Sendable {
  public var number: Int64

  public init(_ number: Int64) {
    self.number = number
  }
}

/// The library's number for a medium; 0 is the board's own storage, which is always here.
public struct MediumID: Hashable, Sendable {
  public var number: Int32

  public init(_ number: Int32) {
    self.number = number
  }

  public static let builtIn = MediumID(0)
}

/// What the brains need to know of a track to choose it; the words are in `Tags`.
public struct Track: Equatable, Sendable {
  public var id: TrackID
  public var medium: MediumID
  /// The same number for the same artist, 0 where unknown; the same for `album`.
  public var artist: UInt32
  public var album: UInt32
  public var disc: UInt16
  public var number: UInt16

  public init(
    id: TrackID, medium: MediumID = .builtIn, artist: UInt32 = 0, album: UInt32 = 0,
    disc: UInt16 = 0, number: UInt16 = 0
  ) {
    self.id = id
    self.medium = medium
    self.artist = artist
    self.album = album
    self.disc = disc
    self.number = number
  }
}

/// The words of a track, and its length, as found when it was opened.
public struct Tags: Equatable, Sendable {
  public var title = ""
  public var artist = ""
  public var album = ""
  public var albumArtist = ""
  public var composer = ""
  public var genre = ""
  public var disc = 0
  public var number = 0
  public var year = 0
  /// What the library's pictures are asked by; empty where there is none.
  public var picture = ""
  public var path = ""
  /// Nil for a stream without an end.
  public var length: Interval?

  public init() {}
}

/// A part of the library, to be put into the queue.
public enum Selection: Equatable, Sendable {
  case everything
  case artist(String)
  case album(String, artist: String)
  case genre(String)
  case playlist(String)
  case medium(MediumID)
  /// Words, as typed or spoken.
  case search(String)
}

/// Where new tracks go.
public enum Placement: Equatable, Sendable {
  /// In place of the queue, and play from the first.
  case replace
  case append
  case next
}
