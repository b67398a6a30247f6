/// What happens at the end of the queue, or of a track.
public enum RepeatMode: UInt8, CaseIterable, Equatable, Sendable {
  case none
  case one
  case all
}

/// The modes of playing, as remotes show them.
public struct Options: Equatable, Sendable {
  public var repeats = RepeatMode.none
  public var shuffle = ShuffleMode.off
  /// Stop after each track; the next one stands ready.
  public var single = false
  /// Take a track out of the queue once it was played or skipped forward.
  public var consume = false

  public init() {}
}

/// The queue, the item it has reached, and what comes before and after that.
public struct Lineup {
  public private(set) var queue = Queue()
  public private(set) var options = Options()
  public private(set) var current: ItemID?
  private(set) var shuffle: Shuffle?
  private var random: Random

  init(seed: UInt64) {
    random = Random(seed: seed)
  }

  init(queue: Queue, options: Options, current: ItemID?, shuffle: Shuffle?, random: Random) {
    self.queue = queue
    self.options = options
    self.current = current
    self.shuffle = shuffle
    self.random = random
  }

  public var currentTrack: Track? { current.flatMap { queue.track($0) } }

  /// The generator's state, to go on from after a restart.
  var seed: Random { shuffle?.random ?? random }

  // MARK: - What comes next

  /// The item that plays when the current one ends by itself.
  func following(_ media: Media) -> ItemID? {
    if options.repeats == .one, let current, isHere(current, media) { return current }
    if options.single { return nil }
    let next = successor(media)
    return options.consume && next == current ? nil : next
  }

  /// The item that a press of next goes to.
  func successor(_ media: Media) -> ItemID? {
    later(media) ?? (options.repeats == .none ? nil : opening(media))
  }

  /// The next item of this round.
  private func later(_ media: Media) -> ItemID? {
    if let shuffle {
      let start = current.flatMap { shuffle.order.index(of: $0) }.map { $0 + 1 } ?? 0
      let isHere = { (card: Shuffle.Card) in self.isHere(card.id, media) }
      return shuffle.order.firstIndex(from: start, to: shuffle.order.count, where: isHere)
        .map { shuffle.order[$0].id }
    }
    let start = current.flatMap { queue.index(of: $0) }.map { $0 + 1 } ?? 0
    let isHere = { (item: Item) in media.has(item) }
    return queue.items.firstIndex(from: start, to: queue.count, where: isHere)
      .map { queue[$0].id }
  }

  /// Whether nothing of this round is left after the current item.
  func isLastOfRound(_ media: Media) -> Bool { later(media) == nil }

  /// The item to start with when the whole queue starts anew.
  func opening(_ media: Media) -> ItemID? {
    if let shuffle {
      return shuffle.opening(after: current) { self.isHere($0, media) }
    }
    let isHere = { (item: Item) in media.has(item) }
    return queue.items.firstIndex(from: 0, to: queue.count, where: isHere).map { queue[$0].id }
  }

  func isHere(_ id: ItemID, _ media: Media) -> Bool {
    queue.items.element(id).map { media.has($0) } ?? false
  }

  /// Whether the item after the current one is of another album.
  func isLastOfAlbum(_ media: Media) -> Bool {
    guard let next = following(media), next != current, let album = currentTrack?.album else {
      return true
    }
    return album == 0 || queue.track(next)?.album != album
  }

  /// Where the next album begins in the order of playing or, for a negative step, this one and, from
  /// there, the one before; nil where there is none. A track of no album is one by itself.
  func albumStart(_ step: Int, _ media: Media) -> ItemID? {
    guard let current, let place = place(of: current) else { return nil }
    if step > 0 {
      return (place + 1..<queue.count).first { index in
        isHere(id(at: index), media) && !isSameAlbum(index, place)
      }.map { id(at: $0) }
    }
    let start = albumStart(of: place, media)
    if start < place { return id(at: start) }
    return (0..<place).last { isHere(id(at: $0), media) }
      .map { id(at: albumStart(of: $0, media)) }
  }

  private func albumStart(of place: Int, _ media: Media) -> Int {
    var start = place
    while start > 0, isSameAlbum(start - 1, place), isHere(id(at: start - 1), media) { start -= 1 }
    return start
  }

  private func isSameAlbum(_ one: Int, _ other: Int) -> Bool {
    let (one, other) = (queue.track(id(at: one))?.album, queue.track(id(at: other))?.album)
    return one == other && one != 0
  }

  /// The item at a place in the order of playing.
  private func id(at place: Int) -> ItemID { shuffle.map { $0.order[place].id } ?? queue[place].id }

  // MARK: - Going there

  /// Makes `id` the current item, and passes over what lies between in the order of playing.
  mutating func go(to id: ItemID) {
    if place(of: id) != nil { current = id }
  }

  /// Makes `id` the current item, as the one that comes next in the order of playing.
  ///
  /// What a shuffled round passes over, being away, is still to come in it.
  ///
  /// - Returns: whether a new round of the queue begins with it.
  @discardableResult
  mutating func advance(to id: ItemID) -> Bool {
    guard let place = place(of: id) else { return false }
    let reached = current.flatMap { self.place(of: $0) } ?? -1
    let wraps = place < reached || place == reached && options.repeats != .one
    if wraps {
      shuffle?.startRound(queue, first: id)
    } else {
      shuffle?.bring(id, after: current)
    }
    current = id
    return wraps
  }

  /// Lets an item that was passed over, being away, come up in this round yet.
  mutating func postpone(_ id: ItemID) {
    shuffle?.bring(id, after: current)
  }

  /// Where an item stands in the order of playing.
  private func place(of id: ItemID) -> Int? {
    shuffle.map { $0.order.index(of: id) } ?? queue.index(of: id)
  }

  /// Makes `id` the current item out of turn; the rest of the round stays to be played.
  mutating func select(_ id: ItemID) {
    guard queue.index(of: id) != nil else { return }
    shuffle?.bring(id, after: current)
    current = id
  }

  /// Puts the current item back to where the queue starts, for the next press of play.
  mutating func rewind(_ media: Media) {
    let first = opening(media)
    if let first { shuffle?.startRound(queue, first: first) }
    current = first ?? current
  }

  /// Goes to the item before, and from the first one to the last.
  mutating func goBack(_ media: Media) {
    if let shuffle {
      let isHere = { (card: Shuffle.Card) in self.isHere(card.id, media) }
      let end = current.flatMap { shuffle.order.index(of: $0) } ?? 0
      if let index = shuffle.order.lastIndex(before: end, where: isHere) {
        current = shuffle.order[index].id
      } else if let last = shuffle.order.lastIndex(before: shuffle.order.count, where: isHere) {
        let id = shuffle.order[last].id
        self.shuffle?.wrapBack(to: id)
        current = id
      }
      return
    }
    let isHere = { (item: Item) in media.has(item) }
    let end = current.flatMap { queue.index(of: $0) } ?? 0
    let index =
      queue.items.lastIndex(before: end, where: isHere)
      ?? queue.items.lastIndex(before: queue.count, where: isHere)
    current = index.map { queue[$0].id } ?? current
  }

  // MARK: - Edits

  mutating func replace(with tracks: [Track]) {
    queue.removeAll()
    let items = queue.insert(tracks, at: 0)
    current = items.first?.id
    if options.shuffle != .off, let seed = shuffle?.random {
      var draw = seed
      current = items.isEmpty ? nil : items[draw.below(items.count)].id
      shuffle = Shuffle(mode: options.shuffle, random: draw, queue: queue, first: current)
    }
  }

  mutating func insert(_ tracks: [Track], at index: Int) {
    add(tracks, at: min(max(index, 0), queue.count), asNext: false)
  }

  mutating func insertNext(_ tracks: [Track]) {
    add(tracks, at: current.flatMap { queue.index(of: $0) }.map { $0 + 1 } ?? 0, asNext: true)
  }

  private mutating func add(_ tracks: [Track], at index: Int, asNext: Bool) {
    guard !tracks.isEmpty else { return }
    let items = queue.insert(tracks, at: index)
    shuffle?.insert(items, asNext: asNext, current: current, queue: queue)
    if current == nil { current = asNext ? items.first?.id : first }
  }

  private var first: ItemID? {
    if let shuffle { return shuffle.order.count > 0 ? shuffle.order[0].id : nil }
    return queue.count > 0 ? queue[0].id : nil
  }

  mutating func move(_ id: ItemID, to index: Int) {
    queue.move(id, to: index)
  }

  /// Removes an item; when it is the current one, the one after it takes its place.
  ///
  /// - Returns: whether a new round of the queue begins with that one.
  @discardableResult
  mutating func remove(_ id: ItemID, _ media: Media) -> Bool {
    guard queue.index(of: id) != nil else { return false }
    var heir = current
    var wraps = false
    if id == current {
      heir = successor(media) ?? neighbour(of: id)
      if heir == id { heir = neighbour(of: id) }
      if let heir { wraps = advance(to: heir) }
    }
    queue.remove(id)
    shuffle?.remove(id, current: heir)
    current = heir
    return wraps
  }

  private func neighbour(of id: ItemID) -> ItemID? {
    guard queue.count > 1, let index = queue.index(of: id) else { return nil }
    return queue[index + 1 < queue.count ? index + 1 : 0].id
  }

  mutating func clear() {
    queue.removeAll()
    if let random = shuffle?.random {
      shuffle = Shuffle(mode: options.shuffle, random: random, queue: queue, first: nil)
    }
    current = nil
  }

  mutating func set(_ options: Options) {
    let old = self.options.shuffle
    self.options = options
    guard options.shuffle != old else { return }
    random = seed
    shuffle = nil
    if options.shuffle != .off {
      shuffle = Shuffle(mode: options.shuffle, random: random, queue: queue, first: current)
      random = seed
    }
  }
}
