internal import Jukebox

/// Holds shuffle to its promise, by every way in which what was seen can be read.
///
/// Not all is seen: whether a new round has begun shows only later. So there are several readings, and
/// the promise is broken when none is left.
struct Shuffling {
  private var readings: [Round] = []
  private var mode = ShuffleMode.off
  private var current: Item?
  /// The readings when the state was written last.
  private var written: [Round] = []
  /// Until when a press may still turn out to mean going back.
  private var mayGoBack: Instant?
  private var hasStarted = false
  /// Albums were passed over or gone back to: what is left of this round is not known.
  private var isBrowsed = false

  mutating func pressMayGoBack(until time: Instant) { mayGoBack = time }

  /// A press from before the board was suspended means something only after that.
  mutating func suspended(for time: Interval) { mayGoBack = mayGoBack.map { $0 + time } }

  /// The round goes on after a restart; after a power cut it does with what was written.
  mutating func restart(afterCut isCut: Bool) {
    hasStarted = false
    if isCut { readings = written } else { written = readings }
    for index in readings.indices { readings[index].mended() }
  }

  /// Whether the item is still to have its turn, by every reading.
  func isOwed(_ item: Item) -> Bool { !isBrowsed && readings.allSatisfy { $0.isOwed(item) } }

  mutating func after(
    _ event: Event, _ effects: [Effect], _ player: Player, among media: Set<MediumID>,
    at now: Instant
  ) -> String? {
    guard hasStarted else {
      guard case .started = event else { return nil }
      hasStarted = true
      mode = player.lineup.options.shuffle
      current = player.lineup.current.flatMap { item($0, player) }
      if readings.isEmpty || mode == .off { begin(player) }
      return nil
    }
    let before = readings
    defer {
      let isWritten = effects.contains { if case .saveState = $0 { true } else { false } }
      if isWritten { written = before + readings.filter { !before.contains($0) } }
    }
    if let kind = disturbance(of: event) {
      for index in readings.indices { kind(&readings[index]) }
    }
    let options = player.lineup.options
    guard options.shuffle == mode, options.shuffle != .off, !replaces(event) else {
      begin(player)
      return nil
    }
    guard let id = player.lineup.current, let new = item(id, player) else {
      begin(player)
      return nil
    }
    switch event {
    case .pressed(.nextAlbum), .pressed(.previousAlbum): isBrowsed = true
    default: break
    }
    guard !isBrowsed else { return nil }
    let moves = id != current?.id
    let chosen = chosen(event, player)
    let isPassedOver = chosen.map { !media.contains($0.track.medium) } ?? false
    guard moves || isPassedOver || !effects.isEmpty else { return nil }
    let here = player.lineup.queue.items(0..<player.lineup.queue.count).filter {
      media.contains($0.track.medium)
    }
    var found: [Round] = []
    for item in [current, chosen].compactMap({ $0 })
    where moves && !media.contains(item.track.medium) {
      readings += readings.map { $0.postponing(item.id) }
    }
    for round in readings {
      // By way of a chosen item that is away, it may come back to where it was.
      var next = moves ? [] : round.readings(alone: id, among: here)
      for move in self.moves(event, to: id, at: now) where moves || isPassedOver {
        next += round.readings(after: move, from: current, to: new, among: here, mode: mode)
      }
      for reading in next where !found.contains(reading) { found.append(reading) }
    }
    let owed = here.first { item in readings.contains { $0.isOwed(item) } }
    readings = found
    current = new
    guard found.isEmpty else { return nil }
    return "shuffle repeats item \(id.number) before \(owed?.id.number ?? 0) had its turn"
  }

  private mutating func begin(_ player: Player) {
    isBrowsed = false
    mode = player.lineup.options.shuffle
    current = player.lineup.current.flatMap { item($0, player) }
    readings = mode == .off ? [] : [Round(startingWith: current?.id)]
  }

  private func item(_ id: ItemID, _ player: Player) -> Item? {
    player.lineup.queue.index(of: id).map { player.lineup.queue[$0] }
  }

  private func chosen(_ event: Event, _ player: Player) -> Item? {
    if case .pressed(.select(let id)) = event { item(id, player) } else { nil }
  }

  private func moves(_ event: Event, to id: ItemID, at now: Instant) -> [Round.Move] {
    switch event {
    case .pressed(.previous): return [.back]
    case .pressed(.select(id)): return [.chosen]
    case .edge, .level, .timerFired:
      return mayGoBack.map { now <= $0 } ?? false ? [.forward, .back] : [.forward]
    default: return [.forward]
    }
  }

  private func replaces(_ event: Event) -> Bool {
    switch event {
    case .pressed(.replace), .pressed(.clear): true
    case .found(let tracks, .replace): !tracks.isEmpty
    default: false
    }
  }

  private func disturbance(of event: Event) -> ((inout Round) -> Void)? {
    switch event {
    case .failed(let item, _, let fault) where fault != .mediumGone: { $0.fails(item) }
    case .mediumAdded, .scanFinished: { $0.mended() }
    case .mediumRemoved, .pressed(.append), .pressed(.insertNext), .pressed(.insert):
      { $0.touched() }
    default: nil
    }
  }
}
