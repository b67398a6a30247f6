import Jukebox
import Testing

struct NaturalOrderTests {
  /// Each list stands in the order wanted, and every pair of it is asked both ways.
  @Test(arguments: [
    ["track 2", "Track 10", "track 100"],
    ["1", "2", "3", "10", "11", "20", "100"],
    ["CD 1", "cd 2", "CD 10"],
    ["", "1", "a", "a1", "a2", "a10", "aa"],
    ["Apple", "banana", "Cherry"],
    ["Eda", "Édith", "Edom", "Zoe"],
    ["a 2 b 3", "a 2 b 20", "a 10 b 1"],
    ["Жара", "жаренный", "яблоко"],
    ["9", "99999999999999999999999999999999999998", "99999999999999999999999999999999999999"],
    ["a.b", "a2", "ab"],
  ])
  func `names stand in the order people give them`(_ names: [String]) {
    for i in names.indices {
      for j in names.indices {
        #expect(NaturalOrder.precedes(names[i], names[j]) == (i < j), "\(names[i]), \(names[j])")
      }
    }
  }

  @Test(arguments: [
    ("01", "1"), ("a", "A"), ("Édith", "Edith"), ("e\u{301}", "\u{E9}"), ("x007", "x7"),
    ("Ł", "l"),
  ])
  func `what people take for the same is told apart by its bytes`(_ first: String, _ second: String)
  {
    #expect(NaturalOrder.compare(first, second) == 0)
    #expect(
      NaturalOrder.precedes(first, second) != NaturalOrder.precedes(second, first))
    #expect(
      NaturalOrder.precedes(first, second) == first.utf8.lexicographicallyPrecedes(second.utf8))
  }

  @Test func `any names at all have one order, however they are shuffled`() {
    var random = SplitMix(state: 7)
    let letters = ["a", "A", "0", "00", "1", "12", "é", "e\u{301}", " ", "-", ".", "ß", "日", "🎵"]
    let names = Set(
      (0..<300).map { _ in
        (0..<Int.random(in: 0...5, using: &random))
          .map { _ in letters.randomElement(using: &random) ?? "" }.joined()
      }
    ).map(Array.init).map { String($0) }
    let sorted = names.sorted(by: NaturalOrder.precedes)
    for _ in 0..<20 {
      let again = names.shuffled(using: &random).sorted(by: NaturalOrder.precedes)
      #expect(again.elementsEqual(sorted) { $0.utf8.elementsEqual($1.utf8) })
    }
    for i in sorted.indices {
      for j in sorted.indices where i < j {
        #expect(!NaturalOrder.precedes(sorted[j], sorted[i]))
      }
    }
  }
}

/// A small generator with a fixed seed, so that each run is the same (Steele and others, 2014).
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
