/// The number of a place in the queue; given once and never again.
public struct ItemID: Hashable, Sendable {
  public var number: UInt32

  public init(_ number: UInt32) {
    self.number = number
  }
}

protocol Keyed {
  var id: ItemID { get }
}

/// A long list in short chunks, edited in place, that knows where each id stands.
///
/// With n elements in chunks of at most c, an edit or a look-up by id costs O(c + n / c), a look-up
/// by index O(log n).
struct IndexedList<Element: Keyed> {
  private struct Chunk {
    var key: Int32
    var elements: [Element]
  }

  private static var most: Int { 512 }
  private static var usual: Int { 384 }
  private static var least: Int { 96 }

  private(set) var count = 0
  private var chunks: [Chunk] = []
  /// The index of the first element of each chunk.
  private var starts: [Int] = []
  /// Where the chunk with a given key stands.
  private var places: [Int] = []
  private var freeKeys: [Int32] = []
  /// The key of the chunk that holds an id.
  private var homes: [ItemID: Int32] = [:]

  init() {}

  init(_ elements: [Element]) {
    insert(elements, at: 0)
  }

  subscript(index: Int) -> Element {
    let chunk = chunk(holding: index)
    return chunks[chunk].elements[index - starts[chunk]]
  }

  func index(of id: ItemID) -> Int? {
    guard let key = homes[id] else { return nil }
    let chunk = places[Int(key)]
    for offset in chunks[chunk].elements.indices where chunks[chunk].elements[offset].id == id {
      return starts[chunk] + offset
    }
    return nil
  }

  func element(_ id: ItemID) -> Element? {
    index(of: id).map { self[$0] }
  }

  func contains(_ id: ItemID) -> Bool {
    homes[id] != nil
  }

  /// The first index from `start` on, before `end`, whose element passes.
  func firstIndex(from start: Int, to end: Int, where passes: (Element) -> Bool) -> Int? {
    guard start < end else { return nil }
    var chunk = chunk(holding: start)
    var offset = start - starts[chunk]
    while chunk < chunks.count, starts[chunk] < end {
      let stop = min(chunks[chunk].elements.count, end - starts[chunk])
      while offset < stop {
        if passes(chunks[chunk].elements[offset]) { return starts[chunk] + offset }
        offset += 1
      }
      chunk += 1
      offset = 0
    }
    return nil
  }

  /// The last index before `end` whose element passes.
  func lastIndex(before end: Int, where passes: (Element) -> Bool) -> Int? {
    var index = end
    while index > 0 {
      let chunk = chunk(holding: index - 1)
      while index > starts[chunk] {
        index -= 1
        if passes(chunks[chunk].elements[index - starts[chunk]]) { return index }
      }
    }
    return nil
  }

  func elements(_ range: Range<Int>) -> [Element] {
    var found: [Element] = []
    found.reserveCapacity(range.count)
    _ = firstIndex(from: range.lowerBound, to: range.upperBound) {
      found.append($0)
      return false
    }
    return found
  }

  mutating func insert(_ element: Element, at index: Int) {
    guard !chunks.isEmpty else { return insert([element], at: 0) }
    let chunk = index == count ? chunks.count - 1 : chunk(holding: index)
    chunks[chunk].elements.insert(element, at: index - starts[chunk])
    homes[element.id] = chunks[chunk].key
    shift(after: chunk, by: 1)
    if chunks[chunk].elements.count > Self.most { split(chunk) }
  }

  mutating func insert(_ elements: [Element], at index: Int) {
    guard elements.count != 1 || chunks.isEmpty else { return insert(elements[0], at: index) }
    guard !elements.isEmpty else { return }
    var place = chunks.count
    if index < count {
      place = chunk(holding: index)
      let offset = index - starts[place]
      if offset > 0 {
        cut(place, at: offset)
        place += 1
      }
    }
    var made: [Chunk] = []
    var next = 0
    while next < elements.count {
      let end = min(next + Self.usual, elements.count)
      made.append(Chunk(key: newKey(), elements: Array(elements[next..<end])))
      next = end
    }
    homes.reserveCapacity(count + elements.count)
    for chunk in made {
      for element in chunk.elements { homes[element.id] = chunk.key }
    }
    chunks.insert(contentsOf: made, at: place)
    recount()
  }

  @discardableResult
  mutating func remove(at index: Int) -> Element {
    let chunk = chunk(holding: index)
    let element = chunks[chunk].elements.remove(at: index - starts[chunk])
    homes[element.id] = nil
    shift(after: chunk, by: -1)
    if chunks[chunk].elements.count < Self.least { join(chunk) }
    return element
  }

  /// Takes the element out and puts it where it then stands at `target`.
  mutating func move(from index: Int, to target: Int) {
    let element = remove(at: index)
    insert(element, at: target)
  }

  // MARK: - Chunks

  private func chunk(holding index: Int) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= index { low = middle } else { high = middle }
    }
    return low
  }

  private mutating func newKey() -> Int32 {
    if let key = freeKeys.popLast() { return key }
    places.append(0)
    return Int32(places.count - 1)
  }

  private mutating func shift(after chunk: Int, by change: Int) {
    count += change
    for later in (chunk + 1)..<max(starts.count, chunk + 1) { starts[later] += change }
  }

  private mutating func split(_ chunk: Int) {
    cut(chunk, at: chunks[chunk].elements.count / 2)
    recount()
  }

  private mutating func cut(_ chunk: Int, at offset: Int) {
    let key = newKey()
    let tail = Array(chunks[chunk].elements[offset...])
    chunks[chunk].elements.removeSubrange(offset...)
    for element in tail { homes[element.id] = key }
    chunks.insert(Chunk(key: key, elements: tail), at: chunk + 1)
  }

  /// Lets a small chunk go into a neighbour that has room, and drops an empty one.
  private mutating func join(_ chunk: Int) {
    if chunks[chunk].elements.isEmpty {
      freeKeys.append(chunks.remove(at: chunk).key)
      return recount()
    }
    let left = chunk > 0 ? chunk - 1 : chunk
    guard left + 1 < chunks.count,
      chunks[left].elements.count + chunks[left + 1].elements.count <= Self.usual
    else { return }
    let moved = chunks.remove(at: left + 1)
    freeKeys.append(moved.key)
    for element in moved.elements { homes[element.id] = chunks[left].key }
    chunks[left].elements.append(contentsOf: moved.elements)
    recount()
  }

  private mutating func recount() {
    starts.removeAll(keepingCapacity: true)
    count = 0
    for chunk in chunks.indices {
      places[Int(chunks[chunk].key)] = chunk
      starts.append(count)
      count += chunks[chunk].elements.count
    }
  }
}
