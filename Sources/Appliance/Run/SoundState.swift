internal import Jukebox

/// What stands between the brains' words and the deck's.
struct SoundState {
  /// An item as the deck knows it: by a name that no other load or follower ever has, so that what the
  /// deck reports of an older one can be told.
  struct Card: Equatable {
    var name: UInt32
    var item: Jukebox.Item
    var hasStarted = false
    /// As found when it was opened.
    var tags: Jukebox.Tags?

    /// The tags that the library has by now, with the length that was found; nil if they are known.
    func renewed(by place: Place) -> Jukebox.Tags? {
      guard item.track.id == place.track, let old = tags, old != place.tags else { return nil }
      var tags = place.tags
      tags.length = old.length
      return tags == old ? nil : tags
    }
  }

  struct Load {
    var item: Jukebox.Item
    var place: Interval
  }

  /// Of the last load; reports carry it to the brains.
  var generation = Generation(0)
  var loaded: Card?
  /// What plays after it without a gap, as the deck was told.
  var follower: Card?

  /// What the brains have asked for and the deck was not told yet, since the library must say first
  /// where the track is.
  var load: Load?
  var follow: Jukebox.Item??
  var prepare: Jukebox.Item?
  var isPaused = false
  /// Once the amplifier is ready.
  var isToResume = false

  /// What is known of tracks without asking: the last few that were asked about.
  var places: [TrackID: Place] = [:]
  var asked: Set<TrackID> = []

  var gain = Decibels.unity
  /// The card's own volume (dB), as it was asked for and then told; nil if it has none or was not told yet.
  var onCard: Double?
  var askedOfCard: Double?
  var fader = Fader()
  /// The first sound after the power came back rises slowly, unless a hand has asked for it.
  var isToRise = false
  var isQueueUnsaved = false
  /// What is in use, as people read it; nil without a card.
  var output: String?
  var hasCard = true
  /// The PCM that is in use, or looked for.
  var device = ""
  var gaps = 0

  private var names: UInt32 = 0

  mutating func card(_ item: Jukebox.Item) -> Card {
    names &+= 1
    return Card(name: names, item: item)
  }

  /// Keeps what may be needed soon, and not much more.
  mutating func remember(_ new: [Place]) {
    if places.count > 500 {
      let kept =
        [loaded, follower].compactMap { $0?.item.track.id }
        + [load?.item.track.id].compactMap { $0 }
      places = places.filter { kept.contains($0.key) }
    }
    for place in new { places[place.track] = place }
  }
}
