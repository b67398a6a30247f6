internal import Testing

@testable internal import Jukebox

struct QueueTests {
  private struct Card: Keyed, Equatable {
    var id: ItemID
  }

  @Test func `the list agrees with a plain array over random edits`() {
    var random = Random(seed: 5)
    var list = IndexedList<Card>()
    var plain: [Card] = []
    var next: UInt32 = 0
    var wrong = 0
    for round in 0..<4_000 {
      switch random.below(round < 2_000 ? 5 : 8) {
      case 0, 1:
        let count = random.below(20) == 0 ? random.below(1_500) : 1 + random.below(3)
        let made = (0..<count).map { _ in
          next += 1
          return Card(id: ItemID(next))
        }
        let place = random.below(plain.count + 1)
        list.insert(made, at: place)
        plain.insert(contentsOf: made, at: place)
      case 2 where !plain.isEmpty:
        let from = random.below(plain.count)
        let to = random.below(plain.count)
        list.move(from: from, to: to)
        plain.insert(plain.remove(at: from), at: to)
      case 3... where !plain.isEmpty:
        for _ in 0..<min(random.below(40), plain.count) {
          let place = random.below(plain.count)
          if list.remove(at: place) != plain.remove(at: place) { wrong += 1 }
        }
      default: break
      }
      if list.count != plain.count { wrong += 1 }
      guard !plain.isEmpty else { continue }
      let place = random.below(plain.count)
      if list[place] != plain[place] || list.index(of: plain[place].id) != place { wrong += 1 }
    }
    #expect(wrong == 0)
    #expect(list.elements(0..<list.count) == plain)
    #expect(plain.count > 1_000)
    let odd = { (card: Card) in card.id.number % 97 == 0 }
    #expect(
      list.firstIndex(from: 700, to: plain.count, where: odd)
        == plain[700...].firstIndex(where: odd))
    #expect(list.lastIndex(before: 900, where: odd) == plain[..<900].lastIndex(where: odd))
    #expect(list.index(of: ItemID(0)) == nil)
  }

  @Test func `ids are given once, and the version counts each edit`() {
    var queue = Queue()
    let first = queue.insert([track(1), track(2)], at: 0)
    #expect(queue.version == 1)
    queue.remove(first[0].id)
    let second = queue.insert([track(3)], at: 0)
    #expect(second[0].id != first[0].id)
    #expect(second[0].id != first[1].id)
    queue.move(second[0].id, to: 1)
    #expect(queue.version == 4)
    #expect(queue.items(0..<2).map { $0.track.id.number } == [2, 3])
  }

  @Test func `an edit that changes nothing is none`() {
    var queue = Queue()
    let items = queue.insert([track(1)], at: 0)
    queue.move(items[0].id, to: 0)
    queue.move(items[0].id, to: 9)
    queue.remove(ItemID(99))
    #expect(queue.version == 1)
  }

  @Test func `a remote's copy follows by the changes since its version`() {
    var random = Random(seed: 9)
    var queue = Queue()
    _ = queue.insert((0..<40).map { track($0) }, at: 0)
    var copy = queue.items(0..<queue.count).map { $0.id }
    var version = queue.version
    for _ in 0..<200 {
      for _ in 0..<random.below(5) {
        let place = random.below(queue.count)
        switch random.below(3) {
        case 0: _ = queue.insert([track(7), track(8)], at: place)
        case 1: queue.move(queue[place].id, to: random.below(queue.count))
        default: if queue.count > 5 { queue.remove(queue[place].id) }
        }
      }
      guard case .edits(let edits) = queue.changes(since: version) else {
        Issue.record("too many changes to say")
        return
      }
      for edit in edits {
        switch edit {
        case .inserted(let place, let count):
          copy.insert(contentsOf: Array(repeating: ItemID(0), count: count), at: place)
        case .removed(let place, let count): copy.removeSubrange(place..<(place + count))
        case .moved(let from, let to): copy.insert(copy.remove(at: from), at: to)
        }
      }
      let real = queue.items(0..<queue.count).map { $0.id }
      #expect(copy.count == real.count)
      let isSame = copy.indices.allSatisfy { copy[$0] == ItemID(0) || copy[$0] == real[$0] }
      #expect(isSame)
      copy = real
      version = queue.version
    }
  }

  @Test func `changes too long ago are told as everything`() {
    var queue = Queue()
    let items = queue.insert([track(1), track(2)], at: 0)
    let old = queue.version
    for round in 0..<300 { queue.move(items[0].id, to: (round + 1) % 2) }
    #expect(queue.changes(since: old) == .everything)
    #expect(queue.changes(since: queue.version) == .edits([]))
  }
}
