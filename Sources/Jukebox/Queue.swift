/// A track's place in the queue.
public struct Item: Keyed, Equatable, Sendable {
  public var id: ItemID
  public var track: Track
}

/// One change of the queue, for remotes that keep a copy.
public enum QueueEdit: Equatable, Sendable {
  case inserted(at: Int, count: Int)
  case removed(at: Int, count: Int)
  case moved(from: Int, to: Int)
}

/// What happened since a version: the edits in order, or too much to say.
public enum QueueChanges: Equatable, Sendable {
  case edits([QueueEdit])
  case everything
}

/// The tracks to play, in the order in which they were put there.
public struct Queue {
  private static let remembered = 256

  var items = IndexedList<Item>()
  /// Counts up by one with each edit.
  public private(set) var version: UInt32 = 0
  private var edits: [QueueEdit] = []
  private(set) var nextID: UInt32 = 1

  public init() {}

  init(items: [Item], version: UInt32, nextID: UInt32) {
    self.items = IndexedList(items)
    self.version = version
    self.nextID = nextID
  }

  public var count: Int { items.count }

  public subscript(index: Int) -> Item { items[index] }

  public func items(_ range: Range<Int>) -> [Item] { items.elements(range) }

  public func index(of id: ItemID) -> Int? { items.index(of: id) }

  public func track(_ id: ItemID) -> Track? { items.element(id)?.track }

  public func changes(since old: UInt32) -> QueueChanges {
    let missed = Int(version &- old)
    guard missed <= edits.count else { return .everything }
    return .edits(Array(edits.suffix(missed)))
  }

  /// - Returns: the new items, which stand from `index` on.
  mutating func insert(_ tracks: [Track], at index: Int) -> [Item] {
    var made: [Item] = []
    made.reserveCapacity(tracks.count)
    for track in tracks {
      made.append(Item(id: ItemID(nextID), track: track))
      nextID &+= 1
    }
    items.insert(made, at: index)
    note(.inserted(at: index, count: tracks.count))
    return made
  }

  mutating func remove(_ id: ItemID) {
    guard let index = items.index(of: id) else { return }
    items.remove(at: index)
    note(.removed(at: index, count: 1))
  }

  mutating func move(_ id: ItemID, to target: Int) {
    guard let index = items.index(of: id), target >= 0, target < count, target != index else {
      return
    }
    items.move(from: index, to: target)
    note(.moved(from: index, to: target))
  }

  mutating func removeAll() {
    guard count > 0 else { return }
    let gone = count
    items = IndexedList()
    note(.removed(at: 0, count: gone))
  }

  private mutating func note(_ edit: QueueEdit) {
    version &+= 1
    if edits.count == Self.remembered { edits.removeFirst(Self.remembered / 2) }
    edits.append(edit)
  }
}
