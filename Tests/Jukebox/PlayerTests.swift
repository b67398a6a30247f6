internal import Testing

@testable internal import Jukebox

struct PlayerTests {
  private let one = Item(id: ItemID(1), track: track(1))
  private let two = Item(id: ItemID(2), track: track(2))
  private let three = Item(id: ItemID(3), track: track(3))

  private func album(_ change: (inout Options) -> Void = { _ in }) -> Player {
    var player = Player.playing([track(1), track(2), track(3)])
    var options = Options()
    change(&options)
    _ = player.handle(.pressed(.setRepeat(options.repeats)), at: ms(1))
    _ = player.handle(.pressed(.setSingle(options.single)), at: ms(1))
    _ = player.handle(.pressed(.setConsume(options.consume)), at: ms(1))
    return player
  }

  @Test func `a collection is looked for, then it plays, and the next one is opened ahead`() {
    var player = Player()
    _ = player.handle(.started(state: [], queue: [], seed: 1), at: ms(0))
    #expect(
      player.handle(.pressed(.enqueue(.album("A", artist: "B"), .replace)), at: ms(1))
        == [.find(.album("A", artist: "B"), .replace)])
    #expect(
      player.handle(.found([track(1), track(2)], .replace), at: ms(2)) == [
        .setGain(Volume.gain(of: 60)), .load(one, from: .zero, Generation(1)), .follow(two),
        .notify(.stateChanged(.playing)), .notify(.nowPlayingChanged(ItemID(1))),
        .notify(.queueChanged(version: 1)), .light(.steady),
      ])
  }

  @Test func `nothing found leaves the queue as it is`() {
    var player = album()
    #expect(player.handle(.found([], .replace), at: ms(2)) == [])
    #expect(player.lineup.queue.count == 3)
  }

  @Test func `a press of next is one load, with its first edge`() {
    var settings = Settings()
    settings.controls.buttons = [SwitchSettings(Line(1))]
    settings.controls.bindings = [Binding(.press(Line(1)), .next)]
    var player = Player.playing([track(1), track(2), track(3)], settings: settings)
    #expect(
      player.handle(.edge(Line(1), isHigh: false), at: ms(500)).prefix(4) == [
        .finished(one, .skipped), .load(two, from: .zero, Generation(2)), .follow(three),
        .notify(.nowPlayingChanged(ItemID(2))),
      ])
    #expect(player.handle(.edge(Line(1), isHigh: true), at: ms(501)).allSatisfy { $0.isWake })
    #expect(player.handle(.edge(Line(1), isHigh: false), at: ms(502)) == [])
  }

  @Test func `pause and resume keep the position`() {
    var player = album()
    #expect(player.deck(.pressed(.togglePlayPause), at: ms(7_000)) == [.pause])
    #expect(player.state == .paused)
    #expect(player.position(at: ms(60_000)) == .seconds(7))
    #expect(player.deck(.pressed(.togglePlayPause), at: ms(60_000)) == [.resume])
    #expect(player.position(at: ms(61_000)) == .seconds(8))
    #expect(player.deck(.pressed(.play), at: ms(62_000)) == [])
  }

  @Test func `stop goes back to the start of the track`() {
    var player = album()
    #expect(player.deck(.pressed(.stop), at: ms(7_000)) == [.stop])
    #expect(player.state == .stopped)
    #expect(player.deck(.pressed(.stop), at: ms(7_001)) == [])
    #expect(
      player.deck(.pressed(.play), at: ms(8_000)) == [.load(one, from: .zero, Generation(2))])
  }

  @Test func `previous restarts late in a track and goes back early in it`() {
    var player = album()
    #expect(
      player.deck(.pressed(.previous), at: ms(5_000)) == [.load(one, from: .zero, Generation(2))])
    _ = player.handle(.trackStarted(ItemID(1), Generation(2)), at: ms(5_010))
    #expect(
      player.deck(.pressed(.previous), at: ms(9_000)) == [
        .load(three, from: .zero, Generation(3))
      ])
    #expect(player.number == 3)
  }

  @Test func `next wraps at the end where repeat allows, else it stops at the start`() {
    var player = album { $0.repeats = .all }
    for expected in [2, 3, 1] as [Int64] {
      _ = player.handle(.pressed(.next), at: ms(10))
      #expect(player.number == expected)
    }
    #expect(player.state == .playing)
    player = album()
    for _ in 0..<3 { _ = player.handle(.pressed(.next), at: ms(10)) }
    #expect(player.state == .stopped)
    #expect(player.number == 1)
  }

  @Test func `next while paused stays paused, and play starts there`() {
    var player = album()
    _ = player.handle(.pressed(.pause), at: ms(10))
    #expect(player.deck(.pressed(.next), at: ms(20)) == [.stop])
    #expect(player.state == .paused)
    #expect(
      player.deck(.pressed(.play), at: ms(30)) == [.load(two, from: .zero, Generation(2))])
  }

  @Test func `tracks that follow without a gap are told, and what follows them`() {
    var player = album()
    let effects = player.handle(.trackStarted(ItemID(2), Generation(1)), at: ms(100_000))
    #expect(effects.contains(.finished(one, .ended)))
    #expect(effects.contains(.follow(three)))
    #expect(effects.contains(.notify(.nowPlayingChanged(ItemID(2)))))
    #expect(!effects.contains { $0.isForDeck })
    #expect(player.position(at: ms(101_000)) == .seconds(1))
    _ = player.handle(.trackStarted(ItemID(3), Generation(1)), at: ms(200_000))
    let last = player.handle(.ended(Generation(1)), at: ms(300_000))
    #expect(last.contains(.finished(three, .ended)))
    #expect(last.contains(.notify(.stateChanged(.stopped))))
    #expect(player.number == 1)
  }

  @Test func `repeat one plays the same again without a gap`() {
    var player = album { $0.repeats = .one }
    let effects = player.handle(.trackStarted(ItemID(1), Generation(1)), at: ms(100_000))
    #expect(effects.contains(.finished(one, .ended)))
    #expect(effects.contains(.follow(one)))
    #expect(player.position(at: ms(101_000)) == .seconds(1))
  }

  @Test func `single stops, with the next track ready`() {
    var player = album { $0.single = true }
    #expect(player.handle(.ended(Generation(1)), at: ms(100_000)).contains(.prepare(two)))
    #expect(player.state == .stopped)
    #expect(
      player.deck(.pressed(.play), at: ms(200_000)) == [.load(two, from: .zero, Generation(2))])
  }

  @Test func `consume takes what was played or skipped out of the queue`() {
    var player = album { $0.consume = true }
    _ = player.handle(.trackStarted(ItemID(2), Generation(1)), at: ms(100_000))
    #expect(player.lineup.tracks == [2, 3])
    _ = player.handle(.pressed(.next), at: ms(110_000))
    #expect(player.lineup.tracks == [3])
    _ = player.handle(.ended(Generation(2)), at: ms(200_000))
    #expect(player.lineup.tracks == [])
    #expect(player.state == .stopped)
  }

  @Test func `edits of the queue never disturb what plays`() {
    var player = album()
    let edits: [Command] = [
      .append([track(4)]), .insertNext([track(5)]), .insert([track(6)], at: 0),
      .move(ItemID(1), to: 4), .move(ItemID(3), to: 0), .remove(ItemID(2)), .setShuffle(.songs),
      .setShuffle(.off),
    ]
    for edit in edits {
      #expect(player.deck(.pressed(edit), at: ms(5_000)) == [], "\(edit)")
      #expect(player.number == 1)
      #expect(player.position(at: ms(5_000)) == .seconds(5))
    }
    #expect(player.lineup.tracks == [3, 6, 5, 1, 4])
  }

  @Test func `removing the item that plays starts the next one`() {
    var player = album()
    #expect(
      player.deck(.pressed(.remove(ItemID(1))), at: ms(5_000)) == [
        .load(two, from: .zero, Generation(2))
      ])
    #expect(player.deck(.pressed(.clear), at: ms(6_000)) == [.stop])
    #expect(player.state == .stopped)
    #expect(player.nowPlaying(at: ms(6_000)) == nil)
  }

  @Test func `removing the last item stops where nothing repeats`() {
    for repeats in [RepeatMode.none, .all] {
      var player = album { $0.repeats = repeats }
      _ = player.handle(.pressed(.select(ItemID(3))), at: ms(100))
      let effects = player.deck(.pressed(.remove(ItemID(3))), at: ms(5_000))
      #expect(effects == (repeats == .none ? [.stop] : [.load(one, from: .zero, Generation(3))]))
      #expect(player.number == 1)
    }
  }

  @Test func `seeking asks for no wake-up while it is not heard`() {
    var player = album()
    _ = player.handle(.pressed(.beginSeekingForward), at: ms(1_000))
    _ = player.handle(.interruptionBegan(.recording), at: ms(1_100))
    var wakes = 0
    for second in 1...60 as ClosedRange<Int64> {
      wakes += player.handle(.timerFired, at: ms(1_100 + second * 1_000)).count { $0.isWake }
    }
    #expect(wakes < 4)
    #expect(player.position(at: ms(61_000)) == .milliseconds(1_100))
  }

  @Test func `a track that fails gives way to what follows`() {
    var player = album { $0.repeats = .one }
    let failed = player.handle(.failed(ItemID(1), Generation(1), .damaged), at: ms(3_000))
    #expect(failed.filter { !$0.isHousekeeping } == [.follow(two)])
    let effects = player.handle(.trackStarted(ItemID(2), Generation(1)), at: ms(4_000))
    #expect(effects.contains(.finished(one, .failed(.damaged))))
    #expect(player.number == 2)
  }

  @Test func `a track that fails ahead of its turn is replaced as what follows`() {
    var player = album()
    let effects = player.handle(
      .failed(ItemID(2), Generation(1), .unsupported), at: ms(3_000))
    #expect(
      effects.filter { !$0.isHousekeeping } == [
        .finished(two, .failed(.unsupported)), .follow(three),
      ])
  }

  @Test func `when the whole round fails it stops and says so`() {
    for repeats in RepeatMode.allCases {
      var player = album { $0.repeats = repeats }
      var effects: [Effect] = []
      for item in 1...3 as ClosedRange<UInt32> {
        effects += player.handle(.failed(ItemID(item), Generation(1), .unreadable), at: ms(30))
      }
      effects += player.handle(.ended(Generation(1)), at: ms(40))
      #expect(effects.count { if case .finished = $0 { true } else { false } } == 3)
      #expect(effects.count { $0 == .report(.nothingPlays) } == 1)
      #expect(!effects.contains { $0.isForDeck })
      #expect(player.state == .stopped)
    }
  }

  @Test func `reports of an older generation are of the past`() {
    var player = album()
    _ = player.handle(.pressed(.next), at: ms(10))
    #expect(player.handle(.ended(Generation(1)), at: ms(11)) == [])
    #expect(player.handle(.trackStarted(ItemID(1), Generation(1)), at: ms(11)) == [])
    #expect(player.handle(.failed(ItemID(1), Generation(1), .damaged), at: ms(11)) == [])
    #expect(player.number == 2)
  }

  @Test func `seeking is heard in excerpts and goes on playing where it ends`() {
    var player = album()
    _ = player.handle(.pressed(.beginSeekingForward), at: ms(10_000))
    #expect(player.state == .seekingForward)
    #expect(player.nowPlaying(at: ms(10_000))?.rate == 4)
    #expect(
      player.deck(.timerFired, at: ms(10_250)) == [
        .load(one, from: .milliseconds(11_000), Generation(2))
      ])
    _ = player.handle(.trackStarted(ItemID(1), Generation(2)), at: ms(10_260))
    _ = player.handle(.pressed(.endSeeking), at: ms(10_360))
    #expect(player.state == .playing)
    #expect(player.position(at: ms(10_360)) == .milliseconds(11_100))
  }

  @Test func `a position set is a load of the same track there, within its length`() {
    var player = album()
    #expect(
      player.deck(.pressed(.seek(to: .seconds(40))), at: ms(1_000)) == [
        .load(one, from: .seconds(40), Generation(2))
      ])
    #expect(
      player.deck(.pressed(.seekBy(.seconds(500))), at: ms(1_100)) == [
        .load(one, from: .seconds(100), Generation(3))
      ])
    _ = player.handle(.pressed(.pause), at: ms(1_200))
    #expect(player.deck(.pressed(.seek(to: .seconds(9))), at: ms(1_300)) == [.stop])
    #expect(
      player.deck(.pressed(.play), at: ms(1_400)) == [
        .load(one, from: .seconds(9), Generation(4))
      ])
  }

  @Test func `now playing holds what a display shows`() {
    var player = album()
    var words = tags(200, genre: "Jazz")
    words.title = "So"
    let effects = player.handle(.opened(ItemID(1), Generation(1), words), at: ms(1_000))
    #expect(effects.contains(.notify(.nowPlayingChanged(ItemID(1)))))
    #expect(
      player.nowPlaying(at: ms(3_000))
        == NowPlaying(
          item: ItemID(1), track: track(1), tags: words, position: .seconds(3), rate: 1,
          state: .playing, queueIndex: 0, queueCount: 3))
  }

  @Test func `each change is notified once`() {
    var player = album()
    let changes: [(Command, Notification)] = [
      (.setVolume(50), .volumeChanged(level: 50, isMuted: false)),
      (.toggleMute, .volumeChanged(level: 50, isMuted: true)),
      (.pause, .stateChanged(.paused)),
      (.move(ItemID(3), to: 0), .queueChanged(version: 2)),
    ]
    for (command, notification) in changes {
      let effects = player.handle(.pressed(command), at: ms(1_000))
      #expect(effects.filter(\.isNotification) == [.notify(notification)], "\(command)")
    }
    #expect(
      !player.handle(.pressed(.setVolume(50)), at: ms(1_001)).contains {
        $0 == .notify(.stateChanged(.paused))
      })
    #expect(player.handle(.pressed(.pause), at: ms(1_002)).filter(\.isNotification) == [])
  }
}

extension Effect {
  var isWake: Bool {
    if case .wake = self { true } else { false }
  }

  var isHousekeeping: Bool {
    switch self {
    case .wake, .saveState, .saveQueue: true
    default: false
    }
  }

  var isNotification: Bool {
    if case .notify = self { true } else { false }
  }
}
