@testable internal import Jukebox

/// A moment, in milliseconds.
func ms(_ milliseconds: Int64) -> Instant {
  Instant(nanoseconds: milliseconds * 1_000_000)
}

/// A track whose number tells its artist and album where they are not given.
func track(
  _ number: Int64, medium: Int32 = 0, artist: UInt32 = 0, album: UInt32 = 0, place: UInt16 = 0
) -> Track {
  Track(
    id: TrackID(number), medium: MediumID(medium), artist: artist, album: album, disc: 1,
    number: place)
}

func tags(_ seconds: Int64, genre: String = "") -> Tags {
  var tags = Tags()
  tags.genre = genre
  tags.length = .seconds(seconds)
  return tags
}

extension Lineup {
  /// The track numbers of the queue, in its order.
  var tracks: [Int64] {
    queue.items(0..<queue.count).map { $0.track.id.number }
  }

  var currentNumber: Int64? { currentTrack?.id.number }
}

extension Player {
  /// A player that has been started, with these tracks in its queue, playing the first.
  static func playing(_ list: [Track], settings: Settings = Settings()) -> Player {
    var player = Player()
    _ = player.handle(.configured(settings), at: ms(0))
    _ = player.handle(.started(state: [], queue: [], seed: 1), at: ms(0))
    for number in Set(list.map { $0.medium.number }).sorted() where number != 0 {
      _ = player.handle(.mediumAdded(MediumID(number)), at: ms(0))
    }
    _ = player.handle(.pressed(.replace(list)), at: ms(0))
    _ = player.handle(.opened(ItemID(1), Generation(1), hundredSeconds), at: ms(0))
    _ = player.handle(.trackStarted(ItemID(1), Generation(1)), at: ms(0))
    return player
  }

  /// The effects on the deck alone.
  mutating func deck(_ event: Event, at now: Instant) -> [Effect] {
    handle(event, at: now).filter { $0.isForDeck }
  }

  var number: Int64? { lineup.currentNumber }
}

extension Effect {
  var isForDeck: Bool {
    switch self {
    case .load, .pause, .resume, .stop: true
    case .follow, .prepare, .setGain, .setSourceGain, .dismiss, .finished, .notify, .report, .find,
      .scan,
      .saveState, .saveQueue, .wake, .light, .releaseMedia, .sleep, .stayOff, .shutDown:
      false
    }
  }
}

private let hundredSeconds = tags(100)
