internal import Audio
internal import Jukebox
internal import Library

/// All that is needed to play a track and to tell of it, without asking the library.
struct Place: Equatable, Sendable {
  var track: TrackID
  var medium: MediumID
  /// Seen from the medium's root.
  var path: Path
  var start: Duration = .zero
  var end: Duration?
  /// Decibels.
  var gain: Double = 0
  var tags = Jukebox.Tags()

  /// What the deck plays, where the medium is here at `root`.
  func source(at root: Path) -> Audio.Source {
    Audio.Source(path: root.appending(path).bytes, start: start, end: end, gain: gain)
  }

  /// `root` is where the library believes the item's medium to be.
  init(_ item: LibraryItem, root: Path, loudness: PlayOptions.Loudness) {
    track = item.id
    medium = item.medium
    path = item.path.seen(from: root) ?? item.path
    start = item.start
    end = item.end
    gain = item.tags.replayGain.decibels(for: loudness)
    tags.title = item.tags.title ?? ""
    tags.artist = item.tags.artist ?? ""
    tags.album = item.tags.album ?? ""
    tags.albumArtist = item.albumArtist ?? ""
    tags.composer = item.tags.composer ?? ""
    tags.genre = item.tags.genres.first ?? ""
    tags.disc = item.tags.disc ?? 0
    tags.number = item.tags.track ?? 0
    tags.year = item.tags.year ?? 0
    tags.path = path.description
    tags.length = item.length > .zero ? Interval(item.length) : nil
  }
}

/// A medium as the library numbers it, and where it is or was.
struct KnownMedium: Equatable, Sendable {
  var id: MediumID
  var identity: MediumIdentity
}

extension Interval {
  init(_ duration: Duration) {
    self.init(nanoseconds: Int64((duration / .nanoseconds(1)).rounded()))
  }
}

extension Duration {
  init(_ interval: Interval) { self = .nanoseconds(interval.nanoseconds) }
}
