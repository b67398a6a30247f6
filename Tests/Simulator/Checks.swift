internal import Jukebox

/// The rules that hold whatever happens.
struct Checks {
  static let mostEffects = 40

  var category = SessionCategory.playback
  private var active: [Source] = []
  private var isPowerTouched = false
  private var generation = Generation(0)
  private var state = PlaybackState.stopped
  private var volume: (level: Int, isMuted: Bool)?
  private var options: Options?
  private var queueVersion: UInt32?
  private var before: (item: ItemID?, state: PlaybackState, position: Interval)?
  private var events = 0
  /// Until all that is plugged in at the start has been told.
  var isBooting = true

  mutating func restart() {
    self = Checks()
  }

  mutating func touchedPower() { isPowerTouched = true }

  mutating func lineIn(_ isOn: Bool) { source(.lineIn, begins: isOn) }

  mutating func source(_ source: Source, begins: Bool) {
    active.removeAll { $0 == source }
    if begins { active.append(source) }
  }

  mutating func before(_ event: Event, _ player: Player, _ deck: ModelDeck, at now: Instant) {
    let playing = deck.playing != nil ? player.lineup.current : nil
    before =
      isPlainEdit(event, current: player.lineup.current) && playing != nil
      ? (player.lineup.current, player.state, player.position(at: now)) : nil
  }

  /// Whether the event edits the queue and leaves the current item in it.
  private func isPlainEdit(_ event: Event, current: ItemID?) -> Bool {
    guard case .pressed(let command) = event else { return false }
    switch command {
    case .append, .insertNext, .insert, .move: return true
    case .remove(let item): return item != current
    case .play, .pause, .stop, .togglePlayPause, .next, .previous, .skipToBeginning,
      .beginSeekingForward, .beginSeekingBackward, .endSeeking, .seek, .seekBy, .select,
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
    if effects.count > Self.mostEffects { return "\(effects.count) effects of one event" }
    for effect in effects {
      if let broken = check(effect) { return broken }
    }
    if let before {
      for effect in effects {
        switch effect {
        case .load, .pause, .resume, .stop, .finished: return "an edit disturbed what plays"
        default: break
        }
      }
      if before != (player.lineup.current, player.state, player.position(at: now)) {
        return "an edit changed what plays"
      }
    }
    if deck.isRunning, isPaused { return "plays though \(active) in \(category) pauses it" }
    if let broken = checkState(player, deck) { return broken }
    if let broken = checkQueue(player) { return broken }
    let limits = player.settings.volume
    if player.volume.level < limits.minimum || player.volume.level > limits.maximum {
      return isBooting ? nil : "volume out of its limits"
    }
    return nil
  }

  private mutating func check(_ effect: Effect) -> String? {
    switch effect {
    case .load(_, _, let generation):
      if generation <= self.generation { return "generation did not grow" }
      self.generation = generation
    case .dismiss(let source): active.removeAll { $0 == source }
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
      .find,
      .scan, .saveState, .saveQueue, .wake, .light, .releaseMedia, .sleep, .stayOff, .shutDown,
      .notify(.nowPlayingChanged):
      break
    }
    return nil
  }

  /// Whether a source known to the world pauses the queue, by the table of the session categories.
  private var isPaused: Bool {
    if category == .record || category == .processing { return true }
    let mixes = category == .ambient || category == .multiRoute
    return active.contains { source in
      switch source {
      case .outputGone: true
      case .lineIn, .alarm, .contact: !mixes
      case .recording: !mixes && category != .playAndRecord
      case .announcement: category == .soloAmbient
      case .mediumGone, .powerLow: false
      }
    }
  }

  private func checkState(_ player: Player, _ deck: ModelDeck) -> String? {
    if player.state != state { return "state changed without a notification" }
    let sounds = [PlaybackState.playing, .seekingForward, .seekingBackward].contains(state)
    if sounds != deck.isRunning { return "state \(state), but deck running: \(deck.isRunning)" }
    if state == .interrupted, !isPaused, !isPowerTouched, let track = player.lineup.currentTrack,
      !deck.missing.contains(track.medium)
    {
      return isBooting ? nil : "interrupted by nothing"
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
    let saved = player.savedState(at: Instant(nanoseconds: 0))
    if saved.options.shuffle != .off, saved.order.sorted() != Array(0..<queue.count) {
      return "the shuffled round is not the queue in another order"
    }
    return nil
  }

  /// What was restored must be what was saved, but for the few seconds that a book goes back.
  func restored(_ saved: SavedState, _ restored: SavedState) -> String? {
    var expected = saved
    if restored.position < saved.position {
      guard saved.position - restored.position <= .seconds(5) else { return "position lost" }
      expected.position = restored.position
      expected.points = restored.points
    }
    if saved.items.isEmpty { expected.random = restored.random }
    return expected == restored ? nil : "restored state differs from the saved one"
  }
}
