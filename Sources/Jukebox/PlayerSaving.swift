extension Player {
  /// What would be written now.
  public func savedState(at now: Instant) -> SavedState {
    savedState(at: now, withQueue: true)
  }

  /// The same, without the queue where only the short of the two byte strings is wanted.
  public func savedState(at now: Instant, withQueue: Bool) -> SavedState {
    var saved = SavedState()
    saved.intent = intent
    saved.current = lineup.current
    saved.position = position(at: now)
    saved.options = lineup.options
    saved.level = volume.level
    saved.isMuted = volume.isMuted
    saved.points = points
    if let track = lineup.currentTrack,
      points.position(of: track.id) != nil || tags.map({ settings.resume.covers($0) }) == true
    {
      saved.points.set(track.id, to: saved.position)
    }
    saved.random = lineup.seed
    guard withQueue else { return saved }
    saved.queueVersion = lineup.queue.version
    saved.nextID = lineup.queue.nextID
    saved.items = lineup.queue.items(0..<lineup.queue.count)
    if let order = lineup.shuffle?.order {
      var places: [ItemID: Int] = [:]
      for (place, item) in saved.items.enumerated() { places[item.id] = place }
      saved.order = order.elements(0..<order.count).compactMap { places[$0.id] }
    }
    return saved
  }

  mutating func save(all: Bool, at now: Instant) {
    let due = saving.take(at: now, all: all)
    guard due.state || due.queue else { return }
    let saved = savedState(at: now, withQueue: due.queue)
    if due.queue { effects.append(.saveQueue(saved.queueBytes)) }
    effects.append(.saveState(saved.stateBytes))
  }

  /// Begins a new life: all but the settings and the clock is as new, or as saved.
  mutating func start(_ state: [UInt8], _ queue: [UInt8], seed: UInt64, at now: Instant) {
    if lineup.queue.count > 0 || generation > Generation(0) {
      let (settings, clock) = (self.settings, self.clock)
      self = Player()
      self.clock = clock
      configure(settings)
    }
    let (saved, lost) = SavedState.salvaged(state: state, queue: queue)
    if lost > 0 { effects.append(.report(.salvaged(lostSections: lost))) }
    let random = state.isEmpty ? Random(seed: seed) : saved.random
    var shuffle: Shuffle?
    if saved.options.shuffle != .off {
      shuffle = Shuffle(
        mode: saved.options.shuffle, random: random, order: saved.order.map { saved.items[$0] })
    }
    lineup = Lineup(
      queue: Queue(items: saved.items, version: saved.queueVersion, nextID: saved.nextID),
      options: saved.options, current: saved.current, shuffle: shuffle, random: random)
    points = saved.points
    volume.handle(.set(settings.volume.start ?? saved.level))
    volume.handle(.muted(saved.isMuted))
    let isBook = lineup.currentTrack.map { points.position(of: $0.id) != nil } ?? false
    position = isBook ? max(saved.position - settings.resume.rewind, .zero) : saved.position
    switch settings.autoplay {
    case .asBefore: intent = saved.intent
    case .always: intent = .play
    case .never: intent = .pause
    }
    if lineup.current == nil { intent = .stop }
    patience = now + settings.mediumWait
    told.queueVersion = lineup.queue.version
    told.shuffleVersion = lineup.shuffle?.version
    told.options = lineup.options
  }
}
