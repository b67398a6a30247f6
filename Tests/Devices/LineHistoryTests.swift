import Jukebox
import Testing

@testable import Devices

struct LineHistoryTests {
  private var history = LineHistory(queue: 16)

  private func edges(_ levels: [Int], numbered numbers: [UInt64] = []) -> [LineHistory.Edge] {
    levels.enumerated().map { index, level in
      LineHistory.Edge(
        time: Instant(nanoseconds: Int64(index)), isHigh: level == 1,
        sequence: numbers.isEmpty ? 0 : numbers[index])
    }
  }

  @Test mutating func `edges that take turns leave no doubt`() {
    history.take(level: false)
    history.take(edges([1, 0, 1]))
    history.take(edges([0, 1]))
    #expect(history.missed == 0)
    #expect(!history.isDoubtful)
  }

  @Test mutating func `two the same way say that one is missing`() {
    history.take(level: false)
    history.take(edges([1, 1]))
    #expect(history.missed == 1)
    #expect(history.isDoubtful)
    history.take(level: true)
    #expect(!history.isDoubtful)
    history.take(edges([0]))
    #expect(history.missed == 1)
  }

  @Test mutating func `the first edge may contradict the level that was read`() {
    history.take(level: true)
    history.take(edges([1]))
    #expect(history.missed == 1)
  }

  @Test mutating func `a queue that was full may have lost some`() {
    history.take(level: false)
    history.take(edges((1...16).map { $0 % 2 }))
    #expect(history.isDoubtful)
    history.take(level: false)
    #expect(history.missed == 1)
  }

  @Test mutating func `numbers tell how many are missing, from the first on`() {
    history.take(level: false)
    history.take(edges([1, 0], numbered: [3, 4]))
    #expect(history.missed == 2)
    history.take(level: false)
    history.take(edges([1, 0], numbered: [5, 9]))
    #expect(history.missed == 5)
  }

  @Test mutating func `numbers in a row are believed, whatever way the edges go`() {
    history.take(level: false)
    history.take(edges([1, 1], numbered: [1, 2]))
    #expect(history.missed == 0)
    #expect(!history.isDoubtful)
  }
}
