/// How the order of playing differs from the queue's.
public enum ShuffleMode: UInt8, CaseIterable, Equatable, Sendable {
  case off
  case songs
  /// Albums in random order, each in its own.
  case albums
}

/// One round in random order, in which each item of the queue stands once.
///
/// What stands before the item now playing has been played in this round, what stands after it is to
/// come. The order is a list of its own, so edits of the queue are edits here, not a new draw.
public struct Shuffle {
  struct Card: Keyed, Equatable {
    var id: ItemID
    var artist: UInt32
    var album: UInt32

    init(_ item: Item) {
      id = item.id
      artist = item.track.artist
      album = item.track.album
    }

    func clashes(with other: Card) -> Bool { artist != 0 && artist == other.artist }
  }

  let mode: ShuffleMode
  private(set) var random: Random
  private(set) var order = IndexedList<Card>()
  /// Counts the changes of the order.
  private(set) var version: UInt32 = 0

  /// A round that starts with `first`.
  init(mode: ShuffleMode, random: Random, queue: Queue, first: ItemID?) {
    self.mode = mode
    self.random = random
    deal(queue, first: first)
  }

  /// A round as it was saved.
  init(mode: ShuffleMode, random: Random, order items: [Item]) {
    self.mode = mode
    self.random = random
    order = IndexedList(items.map { Card($0) })
  }

  /// The item that a next round would start with: not `last`, nor its artist or album, if possible.
  func opening(after last: ItemID?, isHere: (ItemID) -> Bool) -> ItemID? {
    guard order.count > 0 else { return nil }
    let lastCard = last.flatMap { order.element($0) }
    var random = random
    let start = random.below(order.count)
    var second: ItemID?
    var found: ItemID?
    let passes = { (card: Card) -> Bool in
      guard isHere(card.id), card.id != last else { return false }
      second = second ?? card.id
      guard let lastCard else {
        found = card.id
        return true
      }
      let sameAlbum = mode == .albums && card.album != 0 && card.album == lastCard.album
      guard !card.clashes(with: lastCard), !sameAlbum else { return false }
      found = card.id
      return true
    }
    _ = order.firstIndex(from: start, to: order.count, where: passes)
    if found == nil { _ = order.firstIndex(from: 0, to: start, where: passes) }
    return found ?? second ?? last.flatMap { isHere($0) ? $0 : nil }
  }

  mutating func startRound(_ queue: Queue, first: ItemID?) {
    version &+= 1
    _ = random.next()
    deal(queue, first: first)
  }

  // MARK: - Edits of the queue

  /// Puts new items at random places among those to come, or all of them right after `current`.
  mutating func insert(_ items: [Item], asNext: Bool, current: ItemID?, queue: Queue) {
    version &+= 1
    let played = current.flatMap { order.index(of: $0) }.map { $0 + 1 } ?? 0
    if asNext {
      order.insert(items.map { Card($0) }, at: played)
    } else if items.count > 64 {
      redeal(from: played, with: items, queue: queue)
    } else {
      for item in items {
        let place =
          mode == .albums
          ? albumPlace(for: item, from: played, queue: queue) : place(for: Card(item), from: played)
        order.insert(Card(item), at: place)
      }
    }
  }

  mutating func remove(_ id: ItemID, current: ItemID?) {
    version &+= 1
    guard let index = order.index(of: id) else { return }
    order.remove(at: index)
    let played = current.flatMap { order.index(of: $0) }.map { $0 + 1 } ?? 0
    guard mode == .songs, index > 0, index < order.count, index >= played,
      order[index].clashes(with: order[index - 1])
    else { return }
    let card = order.remove(at: index)
    order.insert(card, at: place(for: card, from: max(played, 0)))
  }

  /// Makes `id` the item after `current`; the rest of the round stays to be played.
  mutating func bring(_ id: ItemID, after current: ItemID?) {
    let reached = current.flatMap { order.index(of: $0) } ?? -1
    guard let index = order.index(of: id), index != reached, index != reached + 1 else { return }
    version &+= 1
    order.move(from: index, to: index < reached ? reached : reached + 1)
  }

  /// Takes the last item of the round to its front, as the one before the first.
  mutating func wrapBack(to id: ItemID) {
    version &+= 1
    guard let index = order.index(of: id) else { return }
    order.move(from: index, to: 0)
  }

  // MARK: - Dealing

  private mutating func deal(_ queue: Queue, first: ItemID?) {
    var items = queue.items(0..<queue.count)
    var head: [Item] = []
    if let first, let index = queue.index(of: first) {
      head = [items.remove(at: index)]
      if mode == .albums, head[0].track.album != 0 {
        let album = head[0].track.album
        let rest = items.filter { $0.track.album == album && $0.track.follows(head[0].track) }
        let taken = Set(rest.map { $0.id })
        head += rest.sorted { $1.track.follows($0.track) }
        items.removeAll { taken.contains($0.id) }
      }
    }
    order = IndexedList(head.map { Card($0) } + shuffled(items, after: head.last.map { Card($0) }))
  }

  private mutating func redeal(from start: Int, with items: [Item], queue: Queue) {
    let kept = order.elements(0..<start)
    let rest = order.elements(start..<order.count).compactMap { card in
      queue.items.element(card.id)
    }
    order = IndexedList(kept + shuffled(rest + items, after: kept.last))
  }

  private mutating func shuffled(_ items: [Item], after last: Card?) -> [Card] {
    switch mode {
    case .off: items.map { Card($0) }
    case .songs: spread(items.map { Card($0) }.shuffled(using: &random), after: last)
    case .albums: albums(items)
    }
  }

  private mutating func albums(_ items: [Item]) -> [Card] {
    var albums: [[Item]] = []
    var known: [UInt32: Int] = [:]
    for item in items {
      if item.track.album != 0, let place = known[item.track.album] {
        albums[place].append(item)
      } else {
        known[item.track.album] = albums.count
        albums.append([item])
      }
    }
    albums.shuffle(using: &random)
    var cards: [Card] = []
    cards.reserveCapacity(items.count)
    for album in albums {
      cards += album.sorted { $1.track.follows($0.track) }.map { Card($0) }
    }
    return cards
  }

  /// Keeps the order but for cards whose artist was just played: they wait for another artist's.
  ///
  /// Those that wait are always of one artist. What still waits at the end goes into gaps between
  /// other artists' cards, so no two of an artist are neighbours where that can be had.
  private mutating func spread(_ cards: [Card], after last: Card?) -> [Card] {
    var placed: [Card] = []
    placed.reserveCapacity(cards.count)
    var waiting: [Card] = []
    var last = last
    for card in cards {
      if let before = last, card.clashes(with: before) {
        waiting.append(card)
        continue
      }
      placed.append(card)
      last = card
      if let held = waiting.last, !held.clashes(with: card) {
        waiting.removeLast()
        placed.append(held)
        last = held
      }
    }
    return waiting.isEmpty ? placed : weave(waiting, into: placed)
  }

  private mutating func weave(_ waiting: [Card], into placed: [Card]) -> [Card] {
    var left = waiting
    let isGap = { (index: Int) -> Bool in
      index > 0 && !placed[index].clashes(with: waiting[0])
        && !placed[index - 1].clashes(with: waiting[0])
    }
    var gaps = 0
    for index in placed.indices where isGap(index) { gaps += 1 }
    var woven: [Card] = []
    woven.reserveCapacity(placed.count + waiting.count)
    for index in placed.indices {
      if isGap(index) {
        if random.below(gaps) < left.count, let card = left.popLast() { woven.append(card) }
        gaps -= 1
      }
      woven.append(placed[index])
    }
    return woven + left
  }

  /// A random place from `start` on whose neighbours are of other artists, if a few draws find one.
  private mutating func place(for card: Card, from start: Int) -> Int {
    var place = order.count
    for _ in 0..<16 {
      place = start + random.below(order.count - start + 1)
      let clashes =
        place > 0 && order[place - 1].clashes(with: card)
        || place < order.count && order[place].clashes(with: card)
      if !clashes { break }
    }
    return place
  }

  /// Beside its album if that is to come, else where one album ends and another begins.
  private mutating func albumPlace(for item: Item, from start: Int, queue: Queue) -> Int {
    let album = item.track.album
    let begin = max(start - 1, 0)
    if album != 0 {
      let isLater = { (card: Card) -> Bool in
        card.album == album && (queue.track(card.id)?.follows(item.track) ?? false)
      }
      if let later = order.firstIndex(from: start, to: order.count, where: isLater) {
        return later
      }
      if let last = order.lastIndex(before: order.count, where: { $0.album == album }),
        last >= begin
      {
        return last + 1
      }
    }
    var place = start + random.below(order.count - start + 1)
    while place > 0, place < order.count, order[place].album != 0,
      order[place].album == order[place - 1].album
    {
      place += 1
    }
    return place
  }
}

extension Track {
  /// Whether this track comes after the other one on their album.
  func follows(_ other: Track) -> Bool {
    (disc, number) > (other.disc, other.number)
  }
}
