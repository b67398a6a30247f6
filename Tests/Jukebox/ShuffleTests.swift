internal import Testing

@testable internal import Jukebox

struct ShuffleTests {
  private let here = Media()

  private func lineup(
    _ tracks: [Track], _ mode: ShuffleMode = .songs, seed: UInt64 = 1
  ) -> Lineup {
    var lineup = Lineup(seed: seed)
    lineup.replace(with: tracks)
    var options = Options()
    options.repeats = .all
    options.shuffle = mode
    lineup.set(options)
    return lineup
  }

  /// Goes on by itself `count` times; the track numbers from the current one on.
  private func played(_ lineup: inout Lineup, _ count: Int) -> [Int64] {
    (0..<count).compactMap { _ in
      let number = lineup.currentNumber
      lineup.following(here).map { _ = lineup.advance(to: $0) }
      return number
    }
  }

  @Test func `every round plays everything once`() {
    for seed in 1...40 as ClosedRange<UInt64> {
      var lineup = lineup((0..<50).map { track($0, artist: UInt32($0 % 7)) }, seed: seed)
      var last: Int64?
      for _ in 0..<5 {
        let round = played(&lineup, 50)
        #expect(round.sorted() == Array(0..<50))
        #expect(round != Array(0..<50))
        #expect(round.first != last)
        last = round.last
      }
    }
  }

  @Test func `rounds differ from one another and by seed`() {
    let tracks = (0..<30).map { track($0) }
    var one = lineup(tracks, seed: 1)
    var same = lineup(tracks, seed: 1)
    var other = lineup(tracks, seed: 2)
    let first = played(&one, 30)
    #expect(first == played(&same, 30))
    #expect(first != played(&other, 30))
    #expect(first != played(&one, 30))
  }

  @Test func `every order is about as likely as any other`() {
    var counts: [[Int64]: Int] = [:]
    for seed in 0..<6_000 as Range<UInt64> {
      var lineup = lineup((0..<5).map { track($0) }, seed: seed &* 0x5851_F42D_4C95_7F2D)
      counts[Array(played(&lineup, 5).dropFirst()), default: 0] += 1
    }
    #expect(counts.count == 24)
    // 250 each is expected; six standard deviations of a binomial are 93.
    #expect(counts.values.allSatisfy { (157...343).contains($0) })
  }

  @Test func `no artist twice in a row where that can be had`() {
    var random = Random(seed: 8)
    for seed in 0..<300 as Range<UInt64> {
      let count = 2 + random.below(60)
      let most = (count + 1) / 2
      var artists: [UInt32] = []
      let dominant = random.below(3) == 0 ? most : random.below(most + 1)
      artists += Array(repeating: 1, count: dominant)
      while artists.count < count {
        artists += Array(
          repeating: UInt32(artists.count + 2),
          count: min(1 + random.below(max(most / 2, 1)), count - artists.count))
      }
      let tracks = artists.enumerated().map { track(Int64($0), artist: $1) }
      var lineup = Lineup(seed: seed)
      lineup.insert(tracks, at: 0)
      // The round starts with an artist that is not the dominant one's neighbour's worst case.
      lineup.select(lineup.queue[0].id)
      var options = Options()
      options.repeats = .all
      options.shuffle = .songs
      lineup.set(options)
      let round = played(&lineup, count).map { artists[Int($0)] }
      let clashes = zip(round, round.dropFirst()).count { $0 == $1 }
      #expect(clashes == 0, "seed \(seed): \(round)")
    }
  }

  @Test func `albums come in random order, each in its own`() {
    let tracks = (0..<60).map { number in
      track(
        number, album: UInt32(number % 6 + 1), place: UInt16(number / 6 + 1))
    }
    var lineup = lineup(tracks.reversed(), .albums, seed: 4)
    _ = played(&lineup, 60)
    var orders: Set<[UInt32]> = []
    for _ in 0..<4 {
      let round = played(&lineup, 60).map { tracks[Int($0)] }
      // A round starts wherever the opening fell, so its first album may begin in the middle.
      let whole = round.split { $0.album == round[0].album }.flatMap { $0 }
      #expect(Set(round.map { $0.id.number }).count == 60)
      for start in stride(from: 0, to: whole.count, by: 10) where start + 10 <= whole.count {
        let album = whole[start..<(start + 10)]
        #expect(Set(album.map { $0.album }).count == 1)
        #expect(album.map { $0.number } == Array(1...10))
      }
      orders.insert(whole.map { $0.album })
    }
    #expect(orders.count > 1)
  }

  @Test func `turning it off stays on the current item`() {
    var lineup = lineup((0..<20).map { track($0) })
    _ = played(&lineup, 7)
    let current = lineup.current
    let number = lineup.currentNumber ?? 0
    lineup.set(Options())
    #expect(lineup.current == current)
    let next = lineup.following(here).flatMap { lineup.queue.track($0)?.id.number }
    #expect(next == (number < 19 ? number + 1 : nil))
  }

  @Test func `edits in mid round keep the promise`() {
    var random = Random(seed: 12)
    for seed in 0..<60 as Range<UInt64> {
      var lineup = lineup(
        (0..<30).map { track($0, artist: UInt32($0 % 5), album: UInt32($0 % 4 + 1)) },
        seed % 2 == 0 ? .songs : .albums, seed: seed)
      _ = played(&lineup, 30)
      var expected = Set((0..<30 as Range<Int64>))
      var heard: [Int64] = []
      for step in 0..<15 as Range<Int64> {
        heard += played(&lineup, 1)
        if step == 4 {
          lineup.insert(
            [track(100, album: 2), track(101, artist: 2)], at: random.below(30))
          expected.formUnion([100, 101])
        }
        if step == 6 {
          lineup.insertNext([track(102)])
          expected.insert(102)
          #expect(
            lineup.following(here).flatMap { lineup.queue.track($0)?.id.number } == 102)
        }
        if step == 9 {
          let gone = (0..<lineup.queue.count).map { lineup.queue[$0] }.first {
            $0.id != lineup.current && !heard.contains($0.track.id.number)
          }
          if let gone {
            expected.remove(gone.track.id.number)
            lineup.remove(gone.id, here)
          }
        }
      }
      heard += played(&lineup, expected.count - 15)
      #expect(Set(heard) == expected, "seed \(seed)")
      #expect(heard.count == expected.count)
    }
  }

  @Test func `an item chosen out of turn leaves the rest of the round to be played`() {
    var lineup = lineup((0..<20).map { track($0) })
    var heard = played(&lineup, 5)
    let chosen = (0..<20).map { lineup.queue[$0] }.last {
      !heard.contains($0.track.id.number) && $0.id != lineup.current
    }
    let left = lineup.currentNumber
    if let chosen { lineup.select(chosen.id) }
    heard += played(&lineup, 14)
    #expect(Set(heard).count == 19)
    #expect(!heard.contains(left ?? -1))
  }

  @Test func `previous goes back through what was played`() {
    var lineup = lineup((0..<20).map { track($0) })
    let heard = played(&lineup, 6)
    for number in heard.dropFirst().reversed() {
      lineup.goBack(here)
      #expect(lineup.currentNumber == number)
    }
    lineup.goBack(here)
    lineup.goBack(here)
    #expect(lineup.shuffle?.order.count == 20)
  }

  @Test(arguments: [ShuffleMode.songs, .albums])
  func `what is away comes up in the same round when it is back`(mode: ShuffleMode) {
    for seed in 1...20 as ClosedRange<UInt64> {
      var lineup = Lineup(seed: seed)
      var media = Media()
      lineup.insert(
        (0..<30).map { track($0, medium: Int32($0 % 3), album: UInt32($0 % 5 + 1)) }, at: 0)
      var options = Options()
      options.repeats = .all
      options.shuffle = mode
      lineup.set(options)
      var heard = [lineup.currentNumber]
      for step in 1..<30 {
        if step == 8 { media.handle(.added(MediumID(1))) }
        if step == 16 { media.handle(.added(MediumID(2))) }
        lineup.following(media).map { _ = lineup.advance(to: $0) }
        heard.append(lineup.currentNumber)
      }
      #expect(Set(heard).count == 30, "seed \(seed)")
    }
  }
}
