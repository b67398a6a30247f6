extension Player {
  /// Whether a press is meant to start or to stop the queue, as `PressRule` tells them apart.
  private enum Press {
    case start
    case stop
  }

  mutating func perform(_ command: Command, at now: Instant) {
    guard power.phase != .off else { return }
    _ = sleep.handle(.pressed, at: now)
    switch command {
    case .play:
      guard admits(.start) else { return }
      play()
    case .pause:
      guard admits(.stop) else { return }
      if intent == .play { intent = .pause }
    case .stop:
      guard admits(.stop) else { return }
      stop(at: now)
    case .togglePlayPause: toggle()
    case .next:
      guard admits(.start) else { return }
      skipToNext(at: now)
    case .previous:
      guard admits(.start) else { return }
      skipToPrevious(at: now)
    case .nextAlbum: skipToAlbum(1, at: now)
    case .previousAlbum: skipToAlbum(-1, at: now)
    case .skipToBeginning: seek(to: .zero, at: now)
    case .beginSeekingForward: beginSeeking(.forward, at: now)
    case .beginSeekingBackward: beginSeeking(.backward, at: now)
    case .endSeeking: seeking = nil
    case .seek(let position): seek(to: position, at: now)
    case .seekBy(let interval): seek(to: position(at: now) + interval, at: now)
    case .select(let item):
      guard lineup.queue.index(of: item) != nil, admits(.start) else { return }
      leave(.skipped, at: now)
      media.handle(.mended(item))
      lineup.select(item)
      begin(resuming: true, at: now)
      play()
    case .stepVolume(let steps): volume.handle(.stepped(steps))
    case .setVolume(let level): volume.handle(.set(level))
    case .mute(let isMuted): volume.handle(.muted(isMuted))
    case .toggleMute: volume.handle(.muteToggled)
    case .replace, .append, .insertNext, .insert, .move, .remove, .clear: edit(command, at: now)
    case .enqueue(let selection, let placement): effects.append(.find(selection, placement))
    case .setRepeat(let mode): setOptions { $0.repeats = mode }
    case .setShuffle(let mode): setOptions { $0.shuffle = mode }
    case .toggleShuffle: setOptions { $0.shuffle = $0.shuffle == .off ? .songs : .off }
    case .setSingle(let single): setOptions { $0.single = single }
    case .setConsume(let consume): setOptions { $0.consume = consume }
    case .sleep(let setting): _ = sleep.handle(.set(setting), at: now)
    case .setCategory(let category): self.category = category
    case .lineIn(let isOn):
      interrupt(isOn ? .began(.lineIn) : .ended(.lineIn, resumes: nil))
    case .shutDown: carryOut(power.handle(.shutdownRequested, at: now), at: now)
    }
  }

  /// Lets the source in the way of the queue have its say; false when the press is used up by it.
  private mutating func admits(_ press: Press) -> Bool {
    guard
      let source = interruptions.addressee(rules: settings.rules, category: category)
    else { return true }
    switch (rule(of: source).press, press) {
    case (.waits, .start), (.waits, .stop), (.givesWay, .stop): return true
    case (.givesWay, .start):
      interrupt(.silenced(source))
      effects.append(.dismiss(source))
      if lineup.current != nil { intent = .play }
      return true
    case (.dismissed, .start), (.dismissed, .stop):
      interrupt(.silenced(source))
      effects.append(.dismiss(source))
      return false
    }
  }

  private mutating func toggle() {
    let source = interruptions.addressee(rules: settings.rules, category: category)
    let givesWay = source.map { rule(of: $0).press == .givesWay } ?? false
    guard admits(intent == .play && !givesWay ? .stop : .start) else { return }
    if intent == .play, !givesWay { intent = .pause } else { play() }
  }

  private mutating func play() {
    guard let current = lineup.current else { return }
    media.handle(.mended(current))
    patience = nil
    intent = .play
  }

  private mutating func stop(at now: Instant) {
    guard intent != .stop else { return }
    leave(.skipped, at: now)
    begin(resuming: true, at: now)
    intent = .stop
  }

  private mutating func skipToNext(at now: Instant) {
    guard let old = lineup.current, lineup.opening(media) != nil else { return }
    leave(.skipped, at: now)
    if let next = lineup.successor(media) {
      go(to: next)
    } else {
      endRound()
    }
    consume(old)
    begin(resuming: true, at: now)
  }

  private mutating func skipToPrevious(at now: Instant) {
    guard lineup.current != nil else { return }
    guard position(at: now) < settings.restartAfter || intent == .stop else {
      return seek(to: .zero, at: now)
    }
    leave(.skipped, at: now)
    lineup.goBack(media)
    begin(resuming: true, at: now)
  }

  private mutating func skipToAlbum(_ step: Int, at now: Instant) {
    guard admits(.start), let item = lineup.albumStart(step, media) else { return }
    leave(.skipped, at: now)
    lineup.go(to: item)
    begin(resuming: true, at: now)
  }

  private mutating func seek(to target: Interval, at now: Instant) {
    guard lineup.current != nil, intent != .stop else { return }
    seeking = nil
    position = max(target, .zero)
    if let length = tags?.length { position = min(position, length) }
    movingSince = nil
    needsLoad = true
    saving.stateChanged(at: now)
  }

  private mutating func setOptions(_ change: (inout Options) -> Void) {
    var options = lineup.options
    change(&options)
    guard options != lineup.options else { return }
    if options.shuffle != lineup.options.shuffle { media.handle(.roundBegan) }
    lineup.set(options)
  }

  // MARK: - Edits of the queue

  mutating func edit(_ command: Command, at now: Instant) {
    let before = lineup.current
    switch command {
    case .replace(let tracks):
      leave(.skipped, at: now)
      lineup.replace(with: tracks)
      media.handle(.roundBegan)
      begin(resuming: true, at: now)
      intent = lineup.current == nil ? .stop : .play
      return
    case .append(let tracks): lineup.insert(tracks, at: lineup.queue.count)
    case .insertNext(let tracks): lineup.insertNext(tracks)
    case .insert(let tracks, let index): lineup.insert(tracks, at: index)
    case .move(let item, let index): lineup.move(item, to: index)
    case .remove(let item):
      if item == before {
        leave(.skipped, at: now)
        if lineup.successor(media) == nil { intent = .stop }
      }
      remove(item)
    case .clear:
      leave(.skipped, at: now)
      lineup.clear()
    case .play, .pause, .stop, .togglePlayPause, .next, .previous, .nextAlbum, .previousAlbum,
      .skipToBeginning, .beginSeekingForward, .beginSeekingBackward, .endSeeking, .seek, .seekBy,
      .select,
      .stepVolume, .setVolume, .mute, .toggleMute, .enqueue, .setRepeat, .setShuffle,
      .toggleShuffle, .setSingle, .setConsume, .sleep, .setCategory, .lineIn, .shutDown:
      return
    }
    if lineup.current != before { begin(resuming: true, at: now) }
    if lineup.current == nil { intent = .stop }
  }

  // MARK: - Seeking

  private mutating func beginSeeking(_ direction: Seeking.Direction, at now: Instant) {
    guard lineup.current != nil, intent != .stop else { return }
    seeking = Seeking(
      direction, from: position(at: now), fastAfter: settings.fastAfter, at: now)
  }

  mutating func seekOn(at now: Instant) {
    guard deck?.isPaused == false, let direction = seeking?.direction,
      let target = seeking?.timerFired(at: now)
    else { return }
    if direction == .forward, let length = tags?.length, target >= length {
      return cutShort(at: now)
    }
    position = target
    movingSince = nil
    needsLoad = true
    if direction == .backward, target == .zero { seeking = nil }
  }
}
