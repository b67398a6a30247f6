internal import Jukebox

/// A shuffled round as a listener follows it: what had its turn, and nothing of the order of the core.
///
/// In a round every item has its turn once. What was gone back over may be heard again, and what the user
/// chooses may be heard at any time. Items added have their turn in the round. What is away or has
/// failed need not be heard, but has its turn once it is back.
struct Round: Equatable {
  enum Move {
    case forward
    case back
    case chosen
  }

  private var heard: Set<ItemID>
  /// What was heard, in the order in which one goes back through it.
  private var past: [ItemID]
  /// What was gone back over.
  private var again: Set<ItemID> = []
  private var failed: Set<ItemID> = []
  /// Whether nothing but playing has happened, so that albums must come whole.
  private var isUntouched = true

  init(startingWith item: ItemID?) {
    past = item.map { [$0] } ?? []
    heard = Set(past)
  }

  mutating func fails(_ item: ItemID) {
    failed.insert(item)
    isUntouched = false
  }

  /// The items that failed may be tried again.
  mutating func mended() {
    failed = []
    isUntouched = false
  }

  /// What was to play but is away may still be to come.
  func postponing(_ item: ItemID) -> Round {
    var round = self
    round.heard.remove(item)
    round.past.removeAll { $0 == item }
    return round
  }

  mutating func touched() { isUntouched = false }

  /// What the round may be after a move; nothing when no rule allows the move.
  func readings(
    after move: Move, from old: Item?, to new: Item, among here: [Item], mode: ShuffleMode
  ) -> [Round] {
    var next = self
    switch move {
    case .chosen:
      next.isUntouched = false
      next.hears(new.id, after: old?.id)
      return [next]
    case .back:
      next.isUntouched = false
      next.goesBack(from: old?.id, to: new.id)
      return [next]
    case .forward:
      let owed = here.filter { isOwed($0) }
      var readings: [Round] = []
      if !heard.contains(new.id) || again.contains(new.id) {
        guard mode != .albums || !isUntouched || leavesAlbumWhole(old, new, owed) else { return [] }
        next.hears(new.id, after: old?.id)
        readings = [next]
      }
      if owed.isEmpty { readings.append(Round(startingWith: new.id)) }
      return readings
    }
  }

  /// What the round may be when the item that plays is all that could be next.
  func readings(alone item: ItemID, among here: [Item]) -> [Round] {
    let others = here.contains { $0.id != item && !failed.contains($0.id) }
    return others ? [self] : [self, Round(startingWith: item)]
  }

  private mutating func hears(_ item: ItemID, after old: ItemID?) {
    heard.insert(item)
    again.remove(item)
    past.removeAll { $0 == item }
    let place = old.flatMap { past.firstIndex(of: $0) } ?? past.count - 1
    past.insert(item, at: place + 1)
  }

  /// From the first it goes round to the last, which then stands before the first.
  private mutating func goesBack(from old: ItemID?, to new: ItemID) {
    let from = old.flatMap { past.firstIndex(of: $0) } ?? past.count
    if let to = past.firstIndex(of: new), to < from {
      again.formUnion(past[(to + 1)...])
    } else {
      past.removeAll { $0 == new }
      again.formUnion(past)
      past.insert(new, at: 0)
    }
    heard.insert(new)
    again.remove(new)
  }

  func isOwed(_ item: Item) -> Bool {
    !heard.contains(item.id) && !failed.contains(item.id)
  }

  /// Whether no later track of the album is left behind.
  private func leavesAlbumWhole(_ old: Item?, _ new: Item, _ owed: [Item]) -> Bool {
    guard let old = old?.track, old.album != 0 else { return true }
    let place = { (track: Track) in (track.disc, track.number) }
    let later = owed.filter { $0.track.album == old.album && place($0.track) > place(old) }
    guard new.track.album == old.album, place(new.track) >= place(old) else {
      return later.isEmpty
    }
    return !later.contains { place($0.track) < place(new.track) }
  }
}
