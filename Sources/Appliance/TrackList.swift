internal import Audio
internal import Devices
internal import Library

/// The tracks to play, in order, found as they are needed; each goes by its place in the list.
struct TrackList {
  private(set) var entries: [Entry] = []
  /// What was passed over since this was last emptied.
  var skipped: [Skipped] = []
  /// Whether all that the paths lead to has been found.
  private(set) var isComplete = false

  private var walk: Walk
  private let loudness: PlayOptions.Loudness

  init(_ paths: [Path], loudness: PlayOptions.Loudness) {
    walk = Walk(paths)
    self.loudness = loudness
  }

  /// The track at a place, looked for if need be; nil past the last.
  mutating func entry(at place: Int) -> Entry? {
    while place >= entries.count, !isComplete { look() }
    return place < entries.count ? entries[place] : nil
  }

  /// Looks a little further: at one file or one folder.
  mutating func look() {
    switch walk.step() {
    case .found(.entry(let entry)): entries.append(entry)
    case .found(.skipped(let skipped)): self.skipped.append(skipped)
    case .nothingYet: break
    case .end: isComplete = true
    }
  }

  /// The track at a place that is known, as the sound machine wants it.
  func item(at place: Int) -> Item {
    let entry = entries[place]
    return Item(
      id: UInt32(place),
      source: Source(
        path: entry.path.bytes, start: entry.start, end: entry.end,
        gain: entry.tags.replayGain.decibels(for: loudness)))
  }
}

extension ReplayGain {
  /// The change of level in decibels; an album's falls back on the track's and the other way round.
  func decibels(for loudness: PlayOptions.Loudness) -> Double {
    switch loudness {
    case .off: 0
    case .track: (track ?? album)?.limited ?? 0
    case .album: (album ?? track)?.limited ?? 0
    }
  }
}
