internal import Jukebox

/// A deck without sound: it takes the effects that are meant for a deck and reports as one would.
///
/// What a track is comes of its number: how long it is, and whether and where it fails.
struct ModelDeck {
  struct Playing {
    var item: Item
    var generation: Generation
    var from: Interval
    var position: Interval
    var hasStarted = false
    /// Where the sound in memory ends, once the medium is gone.
    var limit: Interval?
    /// Whether it was said that the item fails.
    var isFailed = false
    /// The place told last, as it must be before the end is.
    var toldPlace: Interval?
  }

  private(set) var playing: Playing?
  private(set) var isPaused = false
  private(set) var follow: Item?
  /// Whether it was told what follows; a deck can't end before that.
  private(set) var isFollowKnown = false
  private(set) var missing: Set<MediumID> = []
  /// How much of a track is in memory when its medium goes.
  static let ahead = Interval.seconds(3)

  static func length(_ track: TrackID) -> Interval {
    .milliseconds(400 + (track.number &* 7_919) % 90_000)
  }

  /// Where the track fails; nil for most.
  static func flaw(_ track: TrackID) -> Interval? {
    switch track.number % 13 {
    case 5: .zero
    case 7: .milliseconds(2_000)
    default: nil
    }
  }

  var isRunning: Bool { playing != nil && !isPaused }

  /// - Returns: what is wrong with the effect at this point, or nil.
  mutating func take(_ effect: Effect) -> String? {
    switch effect {
    case .load(let item, let position, let generation):
      if let last = playing?.generation, generation <= last { return "generation did not grow" }
      if missing.contains(item.track.medium) { return "load of a track that is away" }
      follow = nil
      isFollowKnown = false
      playing = Playing(item: item, generation: generation, from: position, position: position)
      isPaused = false
    case .follow(let item):
      guard playing != nil else { return "something follows nothing" }
      follow = item
      isFollowKnown = true
    case .prepare:
      guard playing == nil else { return "something is prepared while another plays" }
    case .pause:
      guard playing != nil, !isPaused else { return "pause of what does not play" }
      isPaused = true
    case .resume:
      guard playing != nil, isPaused else { return "resume of what is not paused" }
      isPaused = false
    case .stop:
      guard playing != nil else { return "stop of nothing" }
      playing = nil
      isPaused = false
    case .setGain, .setSourceGain, .dismiss, .finished, .notify, .report, .find, .scan, .saveState,
      .saveQueue, .wake, .light, .releaseMedia, .sleep, .stayOff, .shutDown:
      break
    }
    return nil
  }

  /// How long until the next report.
  var untilReport: Interval? {
    guard let playing, !isPaused else { return nil }
    guard playing.hasStarted else { return playing.isFailed ? .zero : .milliseconds(4) }
    let next = failurePoint(of: playing) ?? end(of: playing)
    return max(next - playing.position, .zero)
  }

  /// Where it is told that the item fails, a while before what is in memory ends.
  private func failurePoint(of playing: Playing) -> Interval? {
    guard !playing.isFailed else { return nil }
    let isFlawed = Self.flaw(playing.item.track.id) != nil
    let isCut = playing.limit.map { $0 < Self.length(playing.item.track.id) } ?? false
    return isFlawed || isCut ? max(end(of: playing) - Self.ahead, playing.from) : nil
  }

  private func end(of playing: Playing) -> Interval {
    let track = playing.item.track.id
    var end = Self.length(track)
    if let flaw = Self.flaw(track) { end = min(end, max(flaw, playing.from)) }
    if let limit = playing.limit { end = min(end, limit) }
    return end
  }

  mutating func plug(_ medium: MediumID, isThere: Bool) {
    guard !isThere else {
      missing.remove(medium)
      return
    }
    missing.insert(medium)
    if let current = playing, current.item.track.medium == medium, current.limit == nil {
      playing?.limit = current.position + Self.ahead
    }
  }

  mutating func run(for time: Interval) {
    guard isRunning, var current = playing, current.hasStarted else { return }
    current.position = current.position + time
    playing = current
  }

  /// The report that is due.
  mutating func report() -> [Event] {
    guard var current = playing, !isPaused else { return [] }
    let item = current.item
    if !current.hasStarted {
      if current.isFailed { return goOn(current) }
      let isAway = missing.contains(item.track.medium)
      current.isFailed = isAway || Self.flaw(item.track.id) == .zero
      current.hasStarted = !current.isFailed
      playing = current
      guard current.hasStarted else {
        return [.failed(item.id, current.generation, isAway ? .mediumGone : .damaged)]
      }
      return [
        .opened(item.id, current.generation, Self.tags(item.track.id)),
        .trackStarted(item.id, current.generation),
      ]
    }
    if failurePoint(of: current) != nil {
      current.isFailed = true
      playing = current
      let isAway = current.limit != nil
      return [.failed(item.id, current.generation, isAway ? .mediumGone : .unreadable)]
    }
    return goOn(current)
  }

  /// What follows starts, or is told to fail; with nothing to follow, it is the end.
  private mutating func goOn(_ current: Playing) -> [Event] {
    guard isFollowKnown else { return [] }
    guard let next = follow else {
      guard current.toldPlace == current.position else {
        playing?.toldPlace = current.position
        return [.progressed(current.item.id, current.generation, current.position)]
      }
      playing = nil
      return [.ended(current.generation)]
    }
    follow = nil
    isFollowKnown = false
    if Self.flaw(next.track.id) == .zero {
      return [.failed(next.id, current.generation, .unsupported)]
    }
    playing = Playing(
      item: next, generation: current.generation, from: .zero, position: .zero, hasStarted: true)
    if missing.contains(next.track.medium) { playing?.limit = Self.ahead }
    return [
      .opened(next.id, current.generation, Self.tags(next.track.id)),
      .trackStarted(next.id, current.generation),
    ]
  }

  static func tags(_ track: TrackID) -> Tags {
    var tags = Tags()
    tags.title = String(track.number)
    tags.genre = track.number % 9 == 0 ? "audiobook" : "Song"
    tags.length = length(track)
    return tags
  }
}
