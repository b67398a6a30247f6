internal import Testing

@testable internal import Jukebox

struct SavedStateTests {
  private let full: SavedState = {
    var saved = SavedState()
    saved.intent = .play
    saved.current = ItemID(1_203)
    saved.position = Interval(nanoseconds: 123_456_789_012)
    saved.options.repeats = .all
    saved.options.shuffle = .songs
    saved.options.consume = true
    saved.level = 42
    saved.isMuted = true
    saved.points.set(TrackID(-5), to: .seconds(90))
    saved.points.set(TrackID(1 << 40), to: .seconds(3))
    saved.random = Random(seed: .max - 3)
    saved.queueVersion = 77
    saved.nextID = 2_000
    for number in 0..<1_300 {
      let track = track(
        Int64(number) * 7_000_000 - 40, medium: Int32(number % 3) - 1,
        artist: UInt32(number) &* 40_503, album: UInt32(number / 12), place: UInt16(number % 12))
      saved.items.append(Item(id: ItemID(UInt32(number + 3)), track: track))
    }
    saved.order = Array((0..<1_300).reversed())
    return saved
  }()

  @Test func `what was saved is restored`() {
    let (restored, lost) = SavedState.salvaged(state: full.stateBytes, queue: full.queueBytes)
    #expect(restored == full)
    #expect(lost == 0)
    #expect(SavedState.salvaged(state: [], queue: []) == (SavedState(), 0))
  }

  @Test func `the check sum is that of ISO 3309`() {
    #expect(checkSum(Array("123456789".utf8)[...]) == 0xCBF4_3926)
  }

  @Test func `any byte damaged loses one section at most, and says so`() {
    let state = full.stateBytes
    let queue = full.queueBytes
    for place in state.indices {
      var damaged = state
      damaged[place] ^= 0x41
      let (restored, lost) = SavedState.salvaged(state: damaged, queue: queue)
      #expect(lost == 1, "byte \(place)")
      #expect(restored.items == full.items)
      let kept = [
        restored.position == full.position, restored.level == full.level,
        restored.points == full.points, restored.random == full.random,
        restored.options == full.options,
      ].count { $0 }
      #expect(kept >= 4, "byte \(place)")
    }
  }

  @Test func `a damaged queue keeps the items of its whole sections`() {
    let state = full.stateBytes
    let queue = full.queueBytes
    var random = Random(seed: 1)
    for _ in 0..<40 {
      var damaged = queue
      damaged[random.below(queue.count)] ^= UInt8(1 + random.below(255))
      let (restored, lost) = SavedState.salvaged(state: state, queue: damaged)
      #expect(restored.items.count >= 1_300 - SavedState.itemsASection)
      #expect(restored.order.sorted() == Array(restored.items.indices))
      #expect(restored.current.map { id in restored.items.contains { $0.id == id } } ?? false)
      #expect(lost <= 1)
    }
  }

  @Test func `bytes cut off anywhere lose only what is missing`() {
    let state = full.stateBytes
    let queue = full.queueBytes
    for length in state.indices {
      let (restored, lost) = SavedState.salvaged(state: Array(state[..<length]), queue: queue)
      #expect(restored.items == full.items)
      #expect(length == 0 ? lost == 0 : lost > 0)
    }
    for length in stride(from: 0, to: queue.count, by: 97) {
      let (restored, _) = SavedState.salvaged(state: state, queue: Array(queue[..<length]))
      #expect(restored.items == Array(full.items.prefix(restored.items.count)))
    }
  }

  @Test func `noise is never a crash`() {
    var random = Random(seed: 2)
    for _ in 0..<500 {
      let noise = (0..<random.below(400)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let (restored, lost) = SavedState.salvaged(state: noise, queue: noise)
      #expect(restored.items.isEmpty)
      #expect(noise.isEmpty || lost > 0)
    }
  }

  @Test func `sections of a later version are passed over`() {
    var writer = ByteWriter()
    writer.section(200) { $0.put(UInt64(99)) }
    let (restored, lost) = SavedState.salvaged(
      state: writer.bytes + full.stateBytes + writer.bytes, queue: writer.bytes + full.queueBytes)
    #expect(restored == full)
    #expect(lost == 0)
  }

  @Test func `a shuffled round goes on after a restart where it was`() {
    for mode in [ShuffleMode.songs, .albums] {
      var player = Player.playing((1...30).map { track($0, album: UInt32($0 % 4)) })
      _ = player.handle(.pressed(.setRepeat(.all)), at: ms(0))
      _ = player.handle(.pressed(.setShuffle(mode)), at: ms(0))
      var twin = player
      for step in 1...100 as ClosedRange<Int64> {
        _ = player.handle(.pressed(.next), at: ms(step))
        _ = twin.handle(.pressed(.next), at: ms(step))
        if step % 7 == 0 {
          let saved = player.savedState(at: ms(step))
          player = Player()
          _ = player.handle(
            .started(state: saved.stateBytes, queue: saved.queueBytes, seed: 99), at: ms(step))
        }
        #expect(player.number == twin.number, "\(mode) \(step)")
      }
    }
  }

  @Test func `after a restart it plays if it was meant to, whatever was in the way`() {
    var player = Player.playing([track(1), track(2)])
    _ = player.handle(.interruptionBegan(.recording), at: ms(20_000))
    let saved = player.savedState(at: ms(30_000))
    let table: [(Autoplay, PlaybackState)] = [
      (.asBefore, .playing), (.always, .playing), (.never, .paused),
    ]
    for (autoplay, state) in table {
      var settings = Settings()
      settings.autoplay = autoplay
      var restarted = Player()
      _ = restarted.handle(.configured(settings), at: ms(0))
      let effects = restarted.handle(
        .started(state: saved.stateBytes, queue: saved.queueBytes, seed: 0), at: ms(0))
      #expect(restarted.state == state)
      let item = Item(id: ItemID(1), track: track(1))
      let load = Effect.load(item, from: .seconds(20), Generation(1))
      #expect(effects.contains(load) == (state == .playing))
    }
  }

  @Test func `a start waits a while for the medium, then passes over it`() {
    let player = Player.playing([track(1, medium: 1), track(2)])
    let saved = player.savedState(at: ms(8_000))
    for isBack in [true, false] {
      var restarted = Player()
      let start = restarted.handle(
        .started(state: saved.stateBytes, queue: saved.queueBytes, seed: 0), at: ms(0))
      #expect(!start.contains { $0.isForDeck })
      #expect(restarted.state == .interrupted)
      if isBack {
        let back = restarted.deck(.mediumAdded(MediumID(1)), at: ms(4_000))
        let item = Item(id: ItemID(1), track: track(1, medium: 1))
        #expect(back == [.load(item, from: .seconds(8), Generation(1))])
      } else {
        _ = restarted.handle(.timerFired, at: ms(15_000))
        #expect(restarted.number == 2)
        #expect(restarted.state == .playing)
      }
    }
  }

  @Test func `the number of an item that is gone is not given again after a restart`() {
    var player = Player.playing([track(1), track(2)])
    _ = player.handle(.pressed(.remove(ItemID(2))), at: ms(1))
    let saved = player.savedState(at: ms(2))
    var restarted = Player()
    _ = restarted.handle(
      .started(state: saved.stateBytes, queue: saved.queueBytes, seed: 0), at: ms(0))
    _ = restarted.handle(.pressed(.append([track(3)])), at: ms(1))
    #expect(restarted.lineup.queue[1].id == ItemID(3))
  }

  @Test func `a position set while paused, and a new shuffle, are written`() {
    var player = Player.playing([track(1), track(2), track(3)])
    _ = player.handle(.pressed(.setShuffle(.albums)), at: ms(1))
    _ = player.handle(.pressed(.pause), at: ms(2))
    _ = player.handle(.timerFired, at: ms(5_000))
    let writes = { (effects: [Effect]) in
      effects.compactMap {
        switch $0 {
        case .saveState: "state"
        case .saveQueue: "queue"
        default: nil
        }
      }
    }
    _ = player.handle(.pressed(.seek(to: .seconds(50))), at: ms(6_000))
    #expect(writes(player.handle(.timerFired, at: ms(7_000))) == ["state"])
    _ = player.handle(.pressed(.setShuffle(.songs)), at: ms(8_000))
    #expect(writes(player.handle(.timerFired, at: ms(9_000))) == ["queue", "state"])
  }
}
