extension Player {
  /// Says what is to change so that what sounds and shows is what should.
  mutating func settle(at now: Instant) {
    passOver(at: now)
    let verdict = interruptions.verdict(onQueue: settings.rules, category: category)
    let isAudible = mayPlay(verdict)
    _ = sleep.isPlaying == isAudible ? .none : sleep.handle(.playing(isAudible), at: now)
    foresee(isAudible, at: now)
    if isAudible { setGain(verdict, at: now) }
    tellDeck(isAudible, at: now)
    tellFollow()
    tellSources(isAudible)
    notify(at: now)
    saving.playing(isAudible, every: settings.saveEvery, at: now)
    effects += closing
    closing = []
  }

  /// What the state is called.
  public var state: PlaybackState {
    guard lineup.current != nil else { return .stopped }
    switch intent {
    case .stop: return .stopped
    case .pause, .play:
      let isAudible = deck.map { !$0.isPaused } ?? false
      if let seeking, isAudible {
        return seeking.direction == .forward ? .seekingForward : .seekingBackward
      }
      if intent == .pause { return .paused }
      return isAudible ? .playing : .interrupted
    }
  }

  private var holdsCurrent: Bool {
    deck != nil && deck?.item.id == lineup.current && !needsLoad
  }

  /// Goes past items that can't be played, or waits for a medium when nothing else is here.
  private mutating func passOver(at now: Instant) {
    var waits = false
    if intent == .play, !holdsCurrent, let current = lineup.current,
      !lineup.isHere(current, media)
    {
      let isAway = lineup.currentTrack.map { !media.has($0.medium) } ?? false
      if patience == nil, let next = lineup.successor(media) {
        go(to: next)
        if isAway { lineup.postpone(current) }
        begin(resuming: false, at: now)
      } else if isAway {
        waits = true
      } else {
        endRound()
        begin(resuming: true, at: now)
      }
    }
    guard waits != interruptions.isActive(.mediumGone) else { return }
    interrupt(waits ? .began(.mediumGone) : .ended(.mediumGone, resumes: nil))
  }

  private func mayPlay(_ verdict: Interruptions.Verdict) -> Bool {
    guard intent == .play || intent == .pause && seeking != nil, let current = lineup.current,
      !verdict.pauses, category.allowsQueue, !power.isSilent
    else { return false }
    return holdsCurrent || lineup.isHere(current, media)
  }

  private mutating func foresee(_ isAudible: Bool, at now: Instant) {
    switch sleep.setting {
    case .after?, nil: return
    case .endOfTrack?, .endOfAlbum?, .endOfQueue?: break
    }
    var end: Instant?
    if isAudible, let movingSince, let length = tags?.length, sleep.stops(lineup, media) {
      end = movingSince + (length - position)
    }
    if end != sleep.end { _ = sleep.handle(.endForeseen(end), at: now) }
  }

  private mutating func setGain(_ verdict: Interruptions.Verdict, at now: Instant) {
    let sum = volume.gain + verdict.duck + sleep.gain(at: now) + power.gain(at: now)
    let gain = verdict.mutes ? .silence : sum
    guard gain != told.gain else { return }
    told.gain = gain
    effects.append(.setGain(gain))
  }

  private mutating func tellDeck(_ isAudible: Bool, at now: Instant) {
    if isAudible, !holdsCurrent {
      guard let item = lineup.current.flatMap({ lineup.queue.items.element($0) }) else { return }
      generation.number &+= 1
      effects.append(.load(item, from: position, generation))
      told.isFollowTold = false
      deck = Deck(item: item, generation: generation, additions: media.additions)
      needsLoad = false
      patience = nil
      isFollowStale = true
    } else if isAudible, deck?.isPaused == true {
      effects.append(.resume)
      deck?.isPaused = false
      if deck?.hasStarted == true { movingSince = now }
    } else if !isAudible, intent == .stop || !holdsCurrent {
      guard deck != nil else { return }
      effects.append(.stop)
      deck = nil
      needsLoad = true
      told.isFollowTold = false
      isFollowStale = true
    } else if !isAudible, deck?.isPaused == false {
      position = position(at: now)
      movingSince = nil
      effects.append(.pause)
      deck?.isPaused = true
    }
  }

  private mutating func tellFollow() {
    guard isFollowStale else { return }
    isFollowStale = false
    var next: ItemID?
    if deck == nil {
      next = lineup.current.flatMap { lineup.isHere($0, media) ? $0 : nil }
    } else if !sleep.stops(lineup, media) {
      next = lineup.following(media)
    }
    guard next != told.follow || !told.isFollowTold else { return }
    told.follow = next
    told.isFollowTold = true
    let item = next.flatMap { lineup.queue.items.element($0) }
    effects.append(deck == nil ? .prepare(item) : .follow(item))
  }

  private mutating func tellSources(_ isAudible: Bool) {
    let others = isAudible ? category.towardsOthers : .mix
    for source in Source.heard {
      let gain = interruptions.gain(of: source, rules: settings.rules, others: others)
      guard gain != told.sourceGains[source] ?? .silence else { continue }
      told.sourceGains[source] = gain
      effects.append(.setSourceGain(source, gain))
    }
  }

  private mutating func notify(at now: Instant) {
    if state != told.state {
      told.state = state
      effects.append(.notify(.stateChanged(state)))
      saving.stateChanged(at: now)
    }
    if lineup.current != told.item || areTagsNews {
      told.item = lineup.current
      areTagsNews = false
      effects.append(.notify(.nowPlayingChanged(lineup.current)))
      saving.stateChanged(at: now)
    }
    if volume.level != told.level || volume.isMuted != told.isMuted {
      told.level = volume.level
      told.isMuted = volume.isMuted
      effects.append(.notify(.volumeChanged(level: volume.level, isMuted: volume.isMuted)))
      saving.stateChanged(at: now)
    }
    if lineup.options != told.options {
      if lineup.options.shuffle != told.options.shuffle { saving.queueChanged(at: now) }
      told.options = lineup.options
      effects.append(.notify(.optionsChanged(lineup.options)))
      saving.stateChanged(at: now)
    }
    if lineup.queue.version != told.queueVersion {
      told.queueVersion = lineup.queue.version
      effects.append(.notify(.queueChanged(version: lineup.queue.version)))
      saving.queueChanged(at: now)
    }
    if lineup.shuffle?.version != told.shuffleVersion {
      told.shuffleVersion = lineup.shuffle?.version
      saving.queueChanged(at: now)
    }
    let light = self.light
    if light != told.light {
      told.light = light
      effects.append(.light(light))
    }
  }

  private var light: Light {
    if power.isSilent { return .off }
    switch state {
    case .stopped: return .dim
    case .playing, .seekingForward, .seekingBackward: return .steady
    case .paused: return .breathing
    case .interrupted: return .blinking
    }
  }

  /// The item that plays when the current one ends by itself.
  public var following: ItemID? { lineup.following(media) }

  public func nowPlaying(at now: Instant) -> NowPlaying? {
    guard let current = lineup.current, let index = lineup.queue.index(of: current) else {
      return nil
    }
    let rate: Int
    switch state {
    case .stopped, .paused, .interrupted: rate = 0
    case .playing: rate = 1
    case .seekingForward: rate = seeking?.speed(at: now) ?? 1
    case .seekingBackward: rate = -(seeking?.speed(at: now) ?? 1)
    }
    return NowPlaying(
      item: current, track: lineup.queue[index].track, tags: tags ?? Tags(),
      position: position(at: now), rate: rate, state: state, queueIndex: index,
      queueCount: lineup.queue.count)
  }
}
