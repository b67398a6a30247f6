internal import Jukebox

/// How an item is left: what starts when it is removed, and where it goes on another time.
struct Leaving {
  private enum Heir {
    case none
    /// The first that plays; those that have failed may be passed over.
    case one(of: [ItemID])
    /// One of all, as shuffle draws.
    case some
    /// Whether there is one, the world can't tell.
    case unknown
  }

  private var heir: Heir?
  private var old: Item?
  private var state = PlaybackState.stopped
  private var position = Interval.zero
  private var point: Interval?
  private var goesOn = false
  private var isChosen = false
  /// The items whose words were told, so that it is known whether they are books.
  private var opened: Set<ItemID> = []
  private var failed: Set<ItemID> = []

  mutating func before(
    _ event: Event, _ player: Player, _ deck: ModelDeck, _ shuffling: Shuffling,
    among media: Set<MediumID>, at now: Instant
  ) {
    let lineup = player.lineup
    old = lineup.current.flatMap { id in lineup.queue.index(of: id).map { lineup.queue[$0] } }
    state = player.state
    position = player.position(at: now)
    point = old.flatMap { player.points.position(of: $0.track.id) }
    heir = nil
    goesOn = false
    isChosen = false
    switch event {
    case .pressed(.remove(let id)) where id == old?.id:
      heir = heir(of: id, lineup, shuffling, among: media)
      goesOn = true
    case .pressed(.next), .pressed(.previous), .pressed(.nextAlbum), .pressed(.previousAlbum):
      goesOn = true
    case .pressed(.select(let id)):
      isChosen = true
      let track = lineup.queue.track(id)
      goesOn = track.map { media.contains($0.medium) } ?? false
    case .opened(let item, _, _): opened.insert(item)
    case .failed(let item, _, _): failed.insert(item)
    case .ended: opened = []
    default: break
    }
  }

  private func heir(
    of id: ItemID, _ lineup: Lineup, _ shuffling: Shuffling, among media: Set<MediumID>
  ) -> Heir {
    let items = lineup.queue.items(0..<lineup.queue.count)
    let place = items.firstIndex { $0.id == id } ?? 0
    let repeats = lineup.options.repeats != .none
    let isShuffled = lineup.options.shuffle != .off
    let next = items[(place + 1)...] + (repeats || isShuffled ? items[..<place] : [])
    let here = next.filter { media.contains($0.track.medium) }
    guard let sure = here.firstIndex(where: { !failed.contains($0.id) }) else {
      return here.isEmpty ? .none : .unknown
    }
    guard isShuffled else { return .one(of: here[...sure].map { $0.id }) }
    let isOwed = here.contains { shuffling.isOwed($0) && !failed.contains($0.id) }
    return repeats || isOwed ? .some : .unknown
  }

  /// - Returns: the rule that is broken, if one is.
  mutating func after(_ effects: [Effect], _ player: Player, _ deck: ModelDeck) -> String? {
    let current = player.lineup.current
    if let heir, let broken = check(heir, effects, player, deck) { return broken }
    for case .finished(let item, let finish) in effects where item.id == old?.id {
      if let broken = check(item, finish, player) { return broken }
      let isAgain = effects.contains {
        if case .load(let next, _, _) = $0 { next.id == item.id } else { false }
      }
      if isAgain { opened = [] }
    }
    for case .load(let item, let from, _) in effects where goesOn && item.id != old?.id {
      let point = player.points.position(of: item.track.id)
      let expected = point.map { max($0 - .seconds(5), .zero) } ?? .zero
      if from != expected { return "an item goes on where it was not left" }
    }
    if current != old?.id { opened = opened.filter { $0 == current } }
    if goesOn || isChosen || effects.contains(.stop) { opened = [] }
    return nil
  }

  private func check(
    _ heir: Heir, _ effects: [Effect], _ player: Player, _ deck: ModelDeck
  ) -> String? {
    let current = player.lineup.current
    switch heir {
    case .unknown: return nil
    case .none:
      // What is left is away, or none of it is to be played.
      return deck.isRunning ? "something plays after the last item was removed" : nil
    case .one(let some):
      guard some.contains(where: { $0 == current }) else {
        return "the item after the removed one is not the next"
      }
    case .some: break
    }
    switch state {
    case .playing:
      let loads = effects.contains {
        if case .load(let item, _, _) = $0 { item.id == current } else { false }
      }
      return loads && deck.isRunning ? nil : "the playing item was removed and none starts"
    case .paused:
      return player.state == .paused ? nil : "the paused item was removed and it isn't paused"
    case .stopped, .interrupted, .seekingForward, .seekingBackward: return nil
    }
  }

  /// A book is remembered where it was left, and forgotten when it was heard to its end.
  private func check(_ item: Item, _ finish: Finish, _ player: Player) -> String? {
    let point = player.points.position(of: item.track.id)
    switch finish {
    case .ended, .failed: return point == nil ? nil : "an item that has ended is remembered"
    case .mediumRemoved: return point == position ? nil : "an item that went away is forgotten"
    case .skipped:
      let isBook = ModelDeck.tags(item.track.id).genre == "audiobook"
      guard isBook else { return point == self.point ? nil : "what is no book is remembered" }
      guard opened.contains(item.id) else { return nil }
      return point == position ? nil : "a book is not remembered where it was left"
    }
  }
}
