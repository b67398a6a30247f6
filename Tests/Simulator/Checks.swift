internal import Jukebox

/// The rules that hold whatever happens; each is told from the world, not from the core.
struct Checks {
  static let mostEffects = 40

  var silence = Silence()
  var loudness = Loudness()
  var shuffling = Shuffling()
  var wakes = Wakes()
  private var media: Set<MediumID> = [.builtIn]
  private var generation = Generation(0)
  private var state = PlaybackState.stopped
  private var volume: (level: Int, isMuted: Bool)?
  private var options: Options?
  private var queueVersion: UInt32?
  private var edit: (item: ItemID?, state: PlaybackState, position: Interval)?
  private var leaving = Leaving()
  private var position = Interval.zero
  private var events = 0
  /// When something happened last that must be written.
  private(set) var quietSince: Instant?

  /// A new life: the generation counts from 1 again, and nothing has been told.
  mutating func restart(_ settings: Settings, afterCut isCut: Bool) {
    let shuffling = shuffling
    self = Checks()
    self.shuffling = shuffling
    self.shuffling.restart(afterCut: isCut)
    loudness.limits = settings.volume
    silence.rules = settings.rules
    silence.category = settings.category
  }

  mutating func before(_ event: Event, _ player: Player, _ deck: ModelDeck, at now: Instant) {
    switch event {
    case .mediumAdded(let medium): media.insert(medium)
    case .mediumRemoved(let medium): media.remove(medium)
    case .power(let event): silence.power(event, at: now)
    case .clockSet(let minute): loudness.clockSet(minute, at: now)
    default: break
    }
    let playing = deck.playing != nil ? player.lineup.current : nil
    edit =
      isPlainEdit(event, current: player.lineup.current) && playing != nil
      ? (player.lineup.current, player.state, player.position(at: now)) : nil
    position = player.position(at: now)
    leaving.before(event, player, deck, shuffling, among: media, at: now)
  }

  /// Whether the event edits the queue and leaves the current item in it.
  private func isPlainEdit(_ event: Event, current: ItemID?) -> Bool {
    guard case .pressed(let command) = event else { return false }
    switch command {
    case .append, .insertNext, .insert, .move: return true
    case .remove(let item): return item != current
    case .play, .pause, .stop, .togglePlayPause, .next, .previous, .nextAlbum, .previousAlbum,
      .skipToBeginning, .beginSeekingForward, .beginSeekingBackward, .endSeeking, .seek, .seekBy,
      .select,
      .stepVolume, .setVolume, .mute, .toggleMute, .replace, .clear, .enqueue, .setRepeat,
      .setShuffle, .toggleShuffle, .setSingle, .setConsume, .sleep, .setCategory, .lineIn,
      .shutDown:
      return false
    }
  }

  /// - Returns: the rule that is broken, if one is.
  mutating func after(
    _ event: Event, _ effects: [Effect], _ player: Player, _ deck: ModelDeck, at now: Instant
  ) -> String? {
    events += 1
    switch event {
    case .timerFired, .edge, .level:
      // A seek in what is not heard shows in the position alone.
      let isSought = player.position(at: now) != position
      if isSought || !effects.allSatisfy({ $0.isRoutine }) { quietSince = now }
    default: quietSince = now
    }
    if effects.count > Self.mostEffects { return "\(effects.count) effects of one event" }
    for effect in effects {
      if let broken = check(effect, at: now) { return broken }
    }
    if let edit {
      for effect in effects {
        switch effect {
        case .load, .pause, .resume, .stop, .finished: return "an edit disturbed what plays"
        default: break
        }
      }
      if edit != (player.lineup.current, player.state, player.position(at: now)) {
        return "an edit changed what plays"
      }
    }
    if deck.isRunning, silence.isDue(at: now) {
      return "plays though \(silence.sources) in \(silence.category) or the power forbid it"
    }
    if let broken = checkState(player, deck, at: now) { return broken }
    if let broken = checkQueue(player) { return broken }
    if let broken = leaving.after(effects, player, deck) { return broken }
    if let broken = shuffling.after(event, effects, player, among: media, at: now) {
      return broken
    }
    return loudness.after(effects, player, isRunning: deck.isRunning, at: now)
  }

  private mutating func check(_ effect: Effect, at now: Instant) -> String? {
    switch effect {
    case .load(_, _, let generation):
      self.generation.number += 1
      if generation != self.generation { return "generation did not grow by one" }
    case .dismiss(let source): silence.source(source, begins: false)
    case .wake(let time): return wakes.asked(for: time, at: now)
    case .notify(.stateChanged(let state)):
      if state == self.state { return "state notified without a change" }
      self.state = state
    case .notify(.volumeChanged(let level, let isMuted)):
      if let volume, volume == (level, isMuted) { return "volume notified without a change" }
      volume = (level, isMuted)
    case .notify(.optionsChanged(let options)):
      if options == self.options { return "options notified without a change" }
      self.options = options
    case .notify(.queueChanged(let version)):
      if let queueVersion, version <= queueVersion { return "queue version did not grow" }
      queueVersion = version
    case .follow, .prepare, .pause, .resume, .stop, .setGain, .setSourceGain, .finished, .report,
      .find, .scan, .saveState, .saveQueue, .light, .releaseMedia, .sleep, .stayOff, .shutDown,
      .notify(.nowPlayingChanged):
      break
    }
    return nil
  }

  private func checkState(_ player: Player, _ deck: ModelDeck, at now: Instant) -> String? {
    if player.state != state { return "state changed without a notification" }
    let sounds = [PlaybackState.playing, .seekingForward, .seekingBackward].contains(state)
    if sounds != deck.isRunning { return "state \(state), but deck running: \(deck.isRunning)" }
    if state == .interrupted, !silence.isDue(at: now), let track = player.lineup.currentTrack,
      media.contains(track.medium)
    {
      return "interrupted by nothing"
    }
    if let volume, volume != (player.volume.level, player.volume.isMuted) {
      return "volume changed without a notification"
    }
    if let options, options != player.lineup.options {
      return "options changed without a notification"
    }
    return nil
  }

  private mutating func checkQueue(_ player: Player) -> String? {
    let queue = player.lineup.queue
    guard let current = player.lineup.current else {
      return queue.count == 0 ? nil : "no current item in a queue of \(queue.count)"
    }
    guard let index = queue.index(of: current), index < queue.count, queue[index].id == current
    else { return "the current item is not where the queue says" }
    guard events % 64 == 0 else { return nil }
    for place in 0..<queue.count where queue.index(of: queue[place].id) != place {
      return "an item is not where the queue says"
    }
    return nil
  }
}

extension Effect {
  /// Whether it changes nothing that outlives a restart but the position.
  fileprivate var isRoutine: Bool {
    switch self {
    case .wake, .saveState, .saveQueue, .setGain, .light: true
    default: false
    }
  }
}
