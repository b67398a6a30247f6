internal import Testing

@testable internal import Jukebox

struct LineupTests {
  private let here = Media()

  private func lineup(_ numbers: [Int64], _ change: (inout Options) -> Void = { _ in }) -> Lineup {
    var lineup = Lineup(seed: 3)
    lineup.replace(with: numbers.map { track($0) })
    var options = Options()
    change(&options)
    lineup.set(options)
    return lineup
  }

  private func number(_ lineup: Lineup, _ item: ItemID?) -> Int64? {
    item.flatMap { lineup.queue.track($0)?.id.number }
  }

  @Test func `what follows at the end depends on the modes`() {
    let table: [(RepeatMode, single: Bool, at: Int, follows: Int64?, next: Int64?)] = [
      (.none, false, 0, 2, 2), (.none, false, 2, nil, nil),
      (.one, false, 0, 1, 2), (.one, false, 2, 3, 1),
      (.all, false, 0, 2, 2), (.all, false, 2, 1, 1),
      (.none, true, 0, nil, 2), (.none, true, 2, nil, nil),
      (.one, true, 0, 1, 2), (.one, true, 2, 3, 1),
      (.all, true, 0, nil, 2), (.all, true, 2, nil, 1),
    ]
    for row in table {
      var lineup = lineup([1, 2, 3]) {
        $0.repeats = row.0
        $0.single = row.single
      }
      lineup.select(lineup.queue[row.at].id)
      #expect(number(lineup, lineup.following(here)) == row.follows, "\(row)")
      #expect(number(lineup, lineup.successor(here)) == row.next, "\(row)")
    }
  }

  @Test func `previous goes back and wraps at the start`() {
    var lineup = lineup([1, 2, 3])
    lineup.select(lineup.queue[1].id)
    lineup.goBack(here)
    #expect(lineup.currentNumber == 1)
    lineup.goBack(here)
    #expect(lineup.currentNumber == 3)
  }

  @Test func `items that are away keep their places and are passed over`() {
    var lineup = Lineup(seed: 3)
    lineup.replace(with: [track(1), track(2, medium: 5), track(3, medium: 5), track(4)])
    #expect(number(lineup, lineup.following(here)) == 4)
    lineup.select(lineup.queue[3].id)
    lineup.goBack(here)
    #expect(lineup.currentNumber == 1)
    var media = here
    media.handle(.added(MediumID(5)))
    #expect(number(lineup, lineup.following(media)) == 2)
    #expect(lineup.tracks == [1, 2, 3, 4])
  }

  @Test func `edits leave the current item where it is`() {
    var lineup = lineup([1, 2, 3])
    lineup.select(lineup.queue[1].id)
    lineup.insert([track(4)], at: 0)
    lineup.insertNext([track(5), track(6)])
    lineup.insert([track(7)], at: 99)
    #expect(lineup.tracks == [4, 1, 2, 5, 6, 3, 7])
    lineup.move(lineup.queue[0].id, to: 6)
    lineup.remove(lineup.queue[0].id, here)
    #expect(lineup.tracks == [2, 5, 6, 3, 7, 4])
    #expect(lineup.currentNumber == 2)
  }

  @Test func `removing the current item makes the next one current`() {
    var lineup = lineup([1, 2, 3])
    lineup.select(lineup.queue[1].id)
    lineup.remove(lineup.queue[1].id, here)
    #expect(lineup.currentNumber == 3)
    lineup.remove(lineup.queue[1].id, here)
    #expect(lineup.currentNumber == 1)
    lineup.remove(lineup.queue[0].id, here)
    #expect(lineup.current == nil)
  }

  @Test func `an album ends where another one follows`() {
    var lineup = Lineup(seed: 3)
    lineup.replace(with: [track(1, album: 1), track(2, album: 1), track(3, album: 2)])
    #expect(!lineup.isLastOfAlbum(here))
    lineup.select(lineup.queue[1].id)
    #expect(lineup.isLastOfAlbum(here))
    #expect(!lineup.isLastOfRound(here))
    lineup.select(lineup.queue[2].id)
    #expect(lineup.isLastOfRound(here))
  }

  @Test func `albums are browsed to where they begin, and back to where this one does`() {
    // Two of album 1, one of none, two of album 2 of which the first is away, one of album 3.
    let list = [
      track(1, album: 1), track(2, album: 1), track(3), track(4, medium: 7, album: 2),
      track(5, album: 2), track(6, album: 3),
    ]
    var lineup = Lineup(seed: 3)
    lineup.replace(with: list)
    func go(_ step: Int) -> Int64? {
      guard let item = lineup.albumStart(step, here) else { return nil }
      lineup.go(to: item)
      return lineup.currentNumber
    }
    #expect([1, 1, 1, 1].map { go($0) } == [3, 5, 6, nil])
    #expect([-1, -1, -1, -1].map { go($0) } == [5, 3, 1, nil])
    lineup.select(lineup.queue[1].id)
    #expect(go(-1) == 1)
  }

  @Test func `with albums shuffled, browsing goes through each of a round once`() {
    var list: [Track] = []
    for album: Int64 in 0..<10 {
      for place: Int64 in 1...3 {
        list.append(track(album * 3 + place, album: UInt32(album) + 1, place: UInt16(place)))
      }
    }
    var lineup = Lineup(seed: 3)
    lineup.replace(with: list)
    var options = Options()
    options.shuffle = .albums
    lineup.set(options)
    var albums = [lineup.currentTrack?.album]
    while let item = lineup.albumStart(1, here) {
      lineup.go(to: item)
      albums.append(lineup.currentTrack?.album)
      #expect((lineup.currentNumber ?? 0) % 3 == 1)
    }
    #expect(albums.count == 10)
    #expect(Set(albums).count == 10)
  }
}
