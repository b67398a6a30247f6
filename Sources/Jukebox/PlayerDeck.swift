extension Player {
  // MARK: - What the deck reports

  mutating func opened(_ item: ItemID, _ generation: Generation, _ tags: Tags) {
    guard generation == self.generation else { return }
    if item == lineup.current {
      self.tags = tags
      areTagsNews = true
    } else if item == told.follow {
      nextTags = (item, tags)
    }
  }

  mutating func trackStarted(_ item: ItemID, _ generation: Generation, at now: Instant) {
    guard var playing = deck, generation == playing.generation else { return }
    if item == playing.item.id, !playing.hasStarted {
      playing.hasStarted = true
      deck = playing
      movingSince = playing.isPaused ? nil : now
      return
    }
    guard item != playing.item.id || item == told.follow else { return }
    guard let next = lineup.queue.items.element(item), let old = lineup.current else {
      return cutShort(at: now)
    }
    let oldTags = tags
    leave(playing.failure ?? .ended, at: now)
    go(to: item)
    if item != old { consume(old) }
    begin(resuming: false, at: now)
    if item == old { tags = oldTags }
    playing.item = next
    playing.additions = media.additions
    playing.failure = nil
    playing.hasStarted = true
    deck = playing
    needsLoad = false
    movingSince = playing.isPaused ? nil : now
    told.follow = nil
    told.isFollowTold = false
    isFollowStale = true
    if let nextTags, nextTags.item == item {
      tags = nextTags.tags
      areTagsNews = true
    }
    nextTags = nil
  }

  mutating func progressed(
    _ item: ItemID, _ generation: Generation, _ position: Interval, at now: Instant
  ) {
    guard let deck, generation == deck.generation, item == deck.item.id, !needsLoad else { return }
    self.position = max(position, .zero)
    movingSince = deck.isPaused ? nil : now
  }

  /// Notes the fault: the deck plays what it has of the item, then what follows, and tells so.
  mutating func failed(
    _ item: ItemID, _ generation: Generation, _ fault: Fault, at now: Instant
  ) {
    guard generation == self.generation else { return }
    let isCurrent = item == deck?.item.id
    guard isCurrent || item == told.follow, let failed = lineup.queue.items.element(item) else {
      return
    }
    let medium = failed.track.medium
    let isGone = fault == .mediumGone && medium != .builtIn || !media.has(medium)
    if isCurrent, isGone, media.has(medium), deck?.additions != media.additions {
      // The medium was out, and is back: it goes on where it is now.
      position = position(at: now)
      movingSince = nil
      needsLoad = true
      return
    }
    media.handle(isGone ? .removed(medium) : .broke(item))
    if isCurrent {
      deck?.failure = isGone ? .mediumRemoved : .failed(fault)
    } else {
      told.follow = nil
      told.isFollowTold = false
      isFollowStale = true
      effects.append(.finished(failed, isGone ? .mediumRemoved : .failed(fault)))
    }
  }

  /// The current track has ended, and the deck plays nothing.
  mutating func trackEnded(at now: Instant) {
    guard let old = lineup.current else { return }
    let stops = sleep.stops(lineup, media)
    let next = stops ? nil : lineup.following(media)
    if next == nil, deck?.failure == .mediumRemoved {
      position = position(at: now)
      leave(.mediumRemoved, at: now)
      movingSince = nil
      needsLoad = true
      return
    }
    let failure = deck?.failure
    leave(failure ?? .ended, at: now)
    if let next {
      go(to: next)
    } else {
      if stops { sleep.finish() }
      if failure != nil, lineup.opening(media) == nil { effects.append(.report(.nothingPlays)) }
      if let ready = lineup.successor(media), stops || lineup.options.single {
        go(to: ready)
        intent = .stop
      } else {
        endRound()
      }
    }
    if next != old { consume(old) }
    begin(resuming: false, at: now)
  }

  /// The current track has come to its end though the deck plays on.
  mutating func cutShort(at now: Instant) {
    let playing = deck
    trackEnded(at: now)
    deck = playing
  }

  // MARK: - From item to item

  /// Ends the current item, before another one becomes current.
  mutating func leave(_ finish: Finish, at now: Instant) {
    defer {
      if finish != .skipped {
        deck = nil
        told.isFollowTold = false
      }
      seeking = nil
    }
    guard let current = lineup.current, let deck, deck.item.id == current else { return }
    effects.append(.finished(deck.item, finish))
    switch finish {
    case .ended, .failed: points.set(deck.item.track.id, to: nil)
    case .mediumRemoved: points.set(deck.item.track.id, to: position(at: now))
    case .skipped:
      guard let tags, settings.resume.covers(tags) else { return }
      points.set(deck.item.track.id, to: position(at: now))
    }
  }

  /// Sets out with what is now the current item, from where it was left if `resuming`.
  mutating func begin(resuming: Bool, at now: Instant) {
    position = .zero
    if resuming, let point = lineup.currentTrack.flatMap({ points.position(of: $0.id) }) {
      position = max(point - settings.resume.rewind, .zero)
    }
    movingSince = nil
    needsLoad = true
    tags = nil
    saving.stateChanged(at: now)
  }

  mutating func go(to item: ItemID) {
    if lineup.advance(to: item) { media.handle(.roundBegan) }
  }

  mutating func remove(_ item: ItemID) {
    if lineup.remove(item, media) { media.handle(.roundBegan) }
  }

  mutating func endRound() {
    intent = .stop
    media.handle(.roundBegan)
    lineup.rewind(media)
  }

  mutating func consume(_ item: ItemID) {
    guard lineup.options.consume else { return }
    remove(item)
    if lineup.current == nil { intent = .stop }
  }

  // MARK: - Position

  public func position(at now: Instant) -> Interval {
    guard let movingSince else { return position }
    let moved = position + max(now - movingSince, .zero)
    return tags?.length.map { min(moved, $0) } ?? moved
  }
}
