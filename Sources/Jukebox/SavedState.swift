/// All that outlives a restart.
///
/// It is kept as two byte strings: a short one, written often, and the queue's, written when that
/// changes. Both are rows of sections, each with its kind, length and check sum, so that what is whole
/// can be told from what is not, and kinds of a later version are passed over.
public struct SavedState: Equatable, Sendable {
  /// What the user wanted, whatever was in the way of it.
  public enum Intent: UInt8, Sendable {
    case stop
    case pause
    case play
  }

  public var intent = Intent.stop
  public var current: ItemID?
  public var position = Interval.zero
  public var options = Options()
  public var level = 60
  public var isMuted = false
  public var points = ResumePoints()
  public var random = Random(seed: 0)
  public var items: [Item] = []
  public var queueVersion: UInt32 = 0
  /// The number of the next item to be added; those of items long gone are not given again.
  public var nextID: UInt32 = 1
  /// The shuffled round, as indices into `items`; empty where shuffle is off.
  public var order: [Int] = []

  static let itemsASection = 512

  private enum Kind: UInt8 {
    case playing = 1
    case options = 2
    case volume = 3
    case points = 4
    case random = 5
    case queue = 16
    case items = 17
    case order = 18
  }

  public init() {}

  // MARK: - Writing

  public var stateBytes: [UInt8] {
    var writer = ByteWriter()
    writer.section(Kind.playing.rawValue) {
      $0.put(UInt64(intent.rawValue))
      $0.put(UInt64(current?.number ?? 0))
      $0.put(signed: position.nanoseconds)
    }
    writer.section(Kind.options.rawValue) {
      $0.put(UInt64(options.repeats.rawValue))
      $0.put(UInt64(options.shuffle.rawValue))
      $0.put(options.single)
      $0.put(options.consume)
    }
    writer.section(Kind.volume.rawValue) {
      $0.put(UInt64(level))
      $0.put(isMuted)
    }
    writer.section(Kind.points.rawValue) {
      for point in points.points {
        $0.put(signed: point.track.number)
        $0.put(signed: point.position.nanoseconds)
      }
    }
    writer.section(Kind.random.rawValue) { $0.put(random.state) }
    return writer.bytes
  }

  public var queueBytes: [UInt8] {
    var writer = ByteWriter()
    writer.section(Kind.queue.rawValue) {
      $0.put(UInt64(queueVersion))
      $0.put(UInt64((items.count + Self.itemsASection - 1) / Self.itemsASection))
      $0.put(UInt64(nextID))
    }
    var start = 0
    while start < items.count {
      let end = min(start + Self.itemsASection, items.count)
      writer.section(Kind.items.rawValue) { section in
        for item in items[start..<end] { Self.put(item, into: &section) }
      }
      start = end
    }
    if !order.isEmpty {
      writer.section(Kind.order.rawValue) { section in
        for index in order { section.put(UInt64(items[index].id.number)) }
      }
    }
    return writer.bytes
  }

  private static func put(_ item: Item, into writer: inout ByteWriter) {
    writer.put(UInt64(item.id.number))
    writer.put(signed: item.track.id.number)
    writer.put(signed: Int64(item.track.medium.number))
    writer.put(UInt64(item.track.artist))
    writer.put(UInt64(item.track.album))
    writer.put(UInt64(item.track.disc))
    writer.put(UInt64(item.track.number))
  }

  // MARK: - Reading

  /// Takes what is whole in both byte strings.
  ///
  /// - Returns: the state, and how many sections that should be there are lost.
  public static func salvaged(state: [UInt8], queue: [UInt8]) -> (SavedState, lost: Int) {
    var saved = SavedState()
    var missing: [Kind] = state.isEmpty ? [] : [.playing, .options, .volume, .points, .random]
    var reader = ByteReader(state[...])
    while var section = reader.section(isKnown: { Kind(rawValue: $0) != nil }) {
      guard let kind = Kind(rawValue: section.kind), saved.read(kind, from: &section.content)
      else { continue }
      missing.removeAll { $0 == kind }
    }
    let lost = missing.count + saved.readQueue(queue)
    saved.mend()
    return (saved, lost)
  }

  /// - Returns: how many sections are lost.
  private mutating func readQueue(_ bytes: [UInt8]) -> Int {
    guard !bytes.isEmpty else { return 0 }
    var places: [ItemID: Int] = [:]
    var sections: Int?
    var found = 0
    var reader = ByteReader(bytes[...])
    while var section = reader.section(isKnown: { Kind(rawValue: $0) != nil }) {
      switch Kind(rawValue: section.kind) {
      case .queue?:
        queueVersion = section.content.number(UInt32.self) ?? 0
        sections = section.content.number(Int32.self).map { Int($0) }
        nextID = max(section.content.number(UInt32.self) ?? 1, 1)
      case .items?:
        found += 1
        while let item = Self.item(from: &section.content) {
          guard places[item.id] == nil else { continue }
          places[item.id] = items.count
          items.append(item)
        }
      case .order?: readOrder(from: &section.content, places: places)
      case .playing?, .options?, .volume?, .points?, .random?, nil: break
      }
    }
    return sections.map { max($0 - found, 0) } ?? 1
  }

  private mutating func read(_ kind: Kind, from reader: inout ByteReader) -> Bool {
    switch kind {
    case .playing:
      guard let intent = reader.number(UInt8.self).flatMap({ Intent(rawValue: $0) }),
        let item = reader.number(UInt32.self),
        let nanoseconds = reader.signed()
      else { return false }
      self.intent = intent
      current = item == 0 ? nil : ItemID(item)
      position = max(Interval(nanoseconds: nanoseconds), .zero)
    case .options:
      guard let repeats = reader.number(UInt8.self).flatMap({ RepeatMode(rawValue: $0) }),
        let shuffle = reader.number(UInt8.self).flatMap({ ShuffleMode(rawValue: $0) }),
        let single = reader.flag(), let consume = reader.flag()
      else { return false }
      options.repeats = repeats
      options.shuffle = shuffle
      options.single = single
      options.consume = consume
    case .volume:
      guard let level = reader.number(UInt8.self), let isMuted = reader.flag() else { return false }
      self.level = min(Int(level), 100)
      self.isMuted = isMuted
    case .points:
      var found: [ResumePoints.Point] = []
      while let track = reader.signed(), let position = reader.signed() {
        found.append(
          .init(track: TrackID(track), position: Interval(nanoseconds: max(position, 0))))
      }
      points = ResumePoints(found)
    case .random:
      guard let state = reader.number() else { return false }
      random = Random(seed: state)
    case .queue, .items, .order: return false
    }
    return true
  }

  private static func item(from reader: inout ByteReader) -> Item? {
    guard let id = reader.number(UInt32.self), let track = reader.signed(),
      let medium = reader.signed().flatMap({ Int32(exactly: $0) }),
      let artist = reader.number(UInt32.self), let album = reader.number(UInt32.self),
      let disc = reader.number(UInt16.self), let number = reader.number(UInt16.self)
    else { return nil }
    return Item(
      id: ItemID(id),
      track: Track(
        id: TrackID(track), medium: MediumID(medium), artist: artist, album: album, disc: disc,
        number: number))
  }

  private mutating func readOrder(from reader: inout ByteReader, places: [ItemID: Int]) {
    while let id = reader.number(UInt32.self) {
      if let place = places[ItemID(id)] { order.append(place) }
    }
  }

  /// Makes the parts fit one another again: each item once in the order, and the current item there.
  private mutating func mend() {
    for item in items { nextID = max(nextID, item.id.number &+ 1) }
    if let id = current, !items.contains(where: { $0.id == id }) {
      current = items.first?.id
      position = .zero
    } else if current == nil {
      current = items.first?.id
    }
    guard options.shuffle != .off else {
      order = []
      return
    }
    var isOrdered = [Bool](repeating: false, count: items.count)
    order = order.filter { place in
      defer { isOrdered[place] = true }
      return !isOrdered[place]
    }
    for place in items.indices where !isOrdered[place] { order.append(place) }
  }
}
