internal import Testing

@testable internal import Jukebox

/// Media, outputs, other sources, sleep and power, as the player as a whole meets them.
struct PlayerTroubleTests {
  private func item(_ number: UInt32, medium: Int32 = 0) -> Item {
    Item(id: ItemID(number), track: track(Int64(number), medium: medium))
  }

  @Test func `an interruption pauses at the frame and plays on at it`() {
    var player = Player.playing([track(1), track(2)])
    #expect(player.deck(.interruptionBegan(.contact), at: ms(10_000)) == [.pause])
    #expect(player.state == .interrupted)
    #expect(player.deck(.interruptionBegan(.recording), at: ms(11_000)) == [])
    #expect(player.deck(.interruptionEnded(.contact, resumes: nil), at: ms(12_000)) == [])
    #expect(
      player.deck(.interruptionEnded(.recording, resumes: nil), at: ms(20_000)) == [.resume])
    #expect(player.position(at: ms(21_000)) == .seconds(11))
  }

  @Test func `it stays paused when the user paused meanwhile, or the source says so`() {
    var player = Player.playing([track(1)])
    _ = player.handle(.interruptionBegan(.recording), at: ms(1))
    _ = player.handle(.pressed(.pause), at: ms(2))
    #expect(player.deck(.interruptionEnded(.recording, resumes: nil), at: ms(3)) == [])
    #expect(player.state == .paused)
    player = Player.playing([track(1)])
    _ = player.handle(.interruptionBegan(.recording), at: ms(1))
    #expect(player.deck(.interruptionEnded(.recording, resumes: false), at: ms(3)) == [])
    #expect(player.state == .paused)
  }

  @Test func `an announcement lowers the queue and is heard above it`() {
    var player = Player.playing([track(1)])
    let began = player.handle(.interruptionBegan(.announcement), at: ms(1))
    #expect(began.contains(.setGain(Volume.gain(of: 60) + .decibels(-15))))
    #expect(began.contains(.setSourceGain(.announcement, .unity)))
    #expect(player.state == .playing)
    let ended = player.handle(.interruptionEnded(.announcement, resumes: nil), at: ms(2))
    #expect(ended.contains(.setGain(Volume.gain(of: 60))))
    #expect(ended.contains(.setSourceGain(.announcement, .silence)))
  }

  @Test func `a lost output pauses, and its return plays on`() {
    var player = Player.playing([track(1)])
    #expect(player.deck(.outputLost, at: ms(3_000)) == [.pause])
    #expect(player.state == .interrupted)
    #expect(player.deck(.outputReady, at: ms(9_000)) == [.resume])
    #expect(player.position(at: ms(9_000)) == .seconds(3))
  }

  @Test func `a stick pulled plays out of memory, then the next track that is here follows`() {
    var player = Player.playing([track(1, medium: 1), track(2, medium: 1), track(3)])
    let pulled = player.handle(.mediumRemoved(MediumID(1)), at: ms(3_000))
    #expect(pulled.filter { !$0.isHousekeeping } == [.follow(item(3))])
    #expect(player.handle(.failed(ItemID(1), Generation(1), .mediumGone), at: ms(3_010)) == [])
    #expect(player.state == .playing)
    let next = player.handle(.trackStarted(ItemID(3), Generation(1)), at: ms(6_000))
    #expect(next.contains(.finished(item(1, medium: 1), .mediumRemoved)))
    #expect(player.number == 3)
    #expect(player.lineup.tracks == [1, 2, 3])
  }

  @Test func `with nothing else here it waits for the stick and goes on at the frame`() {
    var player = Player.playing([track(1, medium: 1), track(2, medium: 1)])
    _ = player.handle(.mediumRemoved(MediumID(1)), at: ms(3_000))
    _ = player.handle(.failed(ItemID(1), Generation(1), .mediumGone), at: ms(3_010))
    _ = player.handle(
      .progressed(ItemID(1), Generation(1), .milliseconds(6_123)), at: ms(6_200))
    _ = player.handle(.ended(Generation(1)), at: ms(6_200))
    #expect(player.state == .interrupted)
    #expect(player.number == 1)
    let back = player.handle(.mediumAdded(MediumID(1)), at: ms(90_000))
    #expect(back.contains(.scan(MediumID(1))))
    #expect(back.contains(.load(item(1, medium: 1), from: .milliseconds(6_123), Generation(2))))
    #expect(player.state == .playing)
  }

  @Test func `a stick pulled and put back before its memory ran out goes on where it is`() {
    var player = Player.playing([track(1, medium: 1), track(2)])
    _ = player.handle(.mediumRemoved(MediumID(1)), at: ms(3_000))
    _ = player.handle(.mediumAdded(MediumID(1)), at: ms(4_000))
    #expect(
      player.deck(.failed(ItemID(1), Generation(1), .mediumGone), at: ms(6_000))
        == [.load(item(1, medium: 1), from: .seconds(6), Generation(2))])
  }

  @Test func `a book goes on a few seconds before where it was left`() {
    var player = Player.playing([track(1), track(2)])
    _ = player.handle(
      .opened(ItemID(1), Generation(1), tags(3_600, genre: "Audiobook")), at: ms(0))
    _ = player.handle(.pressed(.next), at: ms(100_000))
    #expect(
      player.deck(.pressed(.select(ItemID(1))), at: ms(200_000)) == [
        .load(item(1), from: .seconds(95), Generation(3))
      ])
    _ = player.handle(.pressed(.select(ItemID(2))), at: ms(200_001))
    _ = player.handle(.trackStarted(ItemID(2), Generation(4)), at: ms(200_002))
    _ = player.handle(.opened(ItemID(2), Generation(4), tags(200)), at: ms(200_002))
    _ = player.handle(.pressed(.select(ItemID(1))), at: ms(260_000))
    #expect(
      player.deck(.pressed(.select(ItemID(2))), at: ms(270_000)) == [
        .load(item(2), from: .zero, Generation(6))
      ])
  }

  @Test func `the sleep timer fades the music and pauses it`() {
    var player = Player.playing([track(1)])
    _ = player.handle(.pressed(.sleep(.after(.minutes(1)))), at: ms(0))
    var gains: [Decibels] = []
    var effects: [Effect] = []
    for second in 1...60 as ClosedRange<Int64> {
      effects = player.handle(.timerFired, at: ms(second * 1_000))
      for case .setGain(let gain) in effects { gains.append(gain) }
    }
    #expect(gains.count == 29)
    #expect(gains == gains.sorted().reversed())
    #expect(effects.contains(.pause))
    #expect(player.state == .paused)
    let resumed = player.handle(.pressed(.play), at: ms(70_000))
    #expect(resumed.contains(.setGain(Volume.gain(of: 60))))
  }

  @Test func `sleep at the end of the track lets nothing follow`() {
    var player = Player.playing([track(1, album: 1), track(2, album: 1), track(3, album: 2)])
    #expect(player.handle(.pressed(.sleep(.endOfTrack)), at: ms(1_000)).contains(.follow(nil)))
    _ = player.handle(.ended(Generation(1)), at: ms(100_000))
    #expect(player.state == .stopped)
    #expect(player.number == 2)
    #expect(player.sleep.setting == nil)
  }

  @Test func `sleep at the end of the album lets its tracks follow`() {
    var player = Player.playing([track(1, album: 1), track(2, album: 1), track(3, album: 2)])
    #expect(!player.handle(.pressed(.sleep(.endOfAlbum)), at: ms(1_000)).contains(.follow(nil)))
    let second = player.handle(.trackStarted(ItemID(2), Generation(1)), at: ms(100_000))
    #expect(second.contains(.follow(nil)))
  }

  @Test func `sleep at the end of the queue ends a queue that repeats`() {
    var player = Player.playing([track(1), track(2)])
    _ = player.handle(.pressed(.setRepeat(.all)), at: ms(1))
    _ = player.handle(.pressed(.sleep(.endOfQueue)), at: ms(1_000))
    let second = player.handle(.trackStarted(ItemID(2), Generation(1)), at: ms(100_000))
    #expect(second.contains(.follow(nil)))
    _ = player.handle(.ended(Generation(1)), at: ms(200_000))
    #expect(player.state == .stopped)
    #expect(player.number == 1)
  }

  @Test func `failing power saves first of all and without a fade`() {
    var player = Player.playing([track(1)])
    let effects = player.handle(.power(.failing), at: ms(4_000))
    guard case .saveQueue = effects.first, case .saveState = effects.dropFirst().first else {
      Issue.record("\(effects)")
      return
    }
    #expect(effects.contains(.pause))
    #expect(effects.contains(.light(.off)))
    #expect(effects.last { !$0.isWake } == .releaseMedia)
    #expect(!effects.contains { if case .setGain = $0 { true } else { false } })
    #expect(player.deck(.power(.onMains), at: ms(5_000)) == [.resume])
  }

  @Test func `a shutdown fades, saves, stops and stays off`() {
    var player = Player.playing([track(1)])
    _ = player.handle(.power(.shutdownRequested), at: ms(1_000))
    let half = player.handle(.timerFired, at: ms(1_500))
    #expect(half.contains(.setGain(Volume.gain(of: 60) + Decibels(hundredths: -2_500))))
    let end = player.handle(.timerFired, at: ms(2_000)).filter { !$0.isWake }
    #expect(end.suffix(3) == [.releaseMedia, .stayOff, .shutDown])
    #expect(end.contains(.pause))
    #expect(player.deck(.pressed(.play), at: ms(3_000)) == [])
  }

  @Test func `a shutdown of a nearly empty battery makes no sound again`() {
    for event in [PowerEvent.shutdownRequested, .sleepRequested] {
      var player = Player.playing([track(1)])
      #expect(player.deck(.power(.lowBattery), at: ms(1_000)) == [.pause])
      #expect(player.deck(.power(event), at: ms(2_000)) == [])
    }
  }

  @Test func `a paused item that starts over is written as such`() {
    for command in [Command.previous, .next] {
      var player = Player.playing([track(1)])
      _ = player.handle(.pressed(.setRepeat(.all)), at: ms(0))
      _ = player.handle(.pressed(.pause), at: ms(2_000))
      _ = player.handle(.timerFired, at: ms(60_000))
      _ = player.handle(.pressed(command), at: ms(61_000))
      let written = player.handle(.timerFired, at: ms(62_000)).compactMap {
        if case .saveState(let bytes) = $0 { bytes } else { nil }
      }
      #expect(written.map { SavedState.salvaged(state: $0, queue: []).0.position } == [.zero])
    }
  }

  @Test func `a round that begins by a removal tries what failed again`() {
    var player = Player.playing([track(1), track(2), track(3)])
    _ = player.handle(.pressed(.setRepeat(.all)), at: ms(0))
    _ = player.handle(.failed(ItemID(2), Generation(1), .damaged), at: ms(10))
    _ = player.handle(.pressed(.next), at: ms(20))
    #expect(player.number == 3)
    _ = player.handle(.pressed(.remove(ItemID(3))), at: ms(30))
    #expect(player.number == 1)
    #expect(player.following == ItemID(2))
  }

  @Test func `quiet hours told before the start hold from the start`() {
    var settings = Settings()
    settings.volume.start = 80
    settings.volume.quiet = QuietHours(from: 22 * 60, to: 7 * 60, maximum: 30)
    var saved = SavedState()
    saved.items = [item(1)]
    saved.intent = .play
    // The second life is that of a replay, in which the player has lived before.
    var player = Player()
    for _ in 1...2 {
      _ = player.handle(.configured(settings), at: ms(0))
      _ = player.handle(.clockSet(minute: 23 * 60), at: ms(0))
      let start = player.handle(
        .started(state: saved.stateBytes, queue: saved.queueBytes, seed: 1), at: ms(0))
      #expect(player.volume.level == 30)
      #expect(start.contains(.setGain(Volume.gain(of: 30))))
    }
  }

  @Test func `quiet hours begin by the clock`() {
    var settings = Settings()
    settings.volume.quiet = QuietHours(from: 22 * 60, to: 7 * 60, maximum: 30)
    var player = Player.playing([track(1)], settings: settings)
    let effects = player.handle(.clockSet(minute: 21 * 60 + 59), at: ms(1_000))
    #expect(player.volume.level == 60)
    #expect(!effects.contains { if case .setGain = $0 { true } else { false } })
    let later = player.handle(.timerFired, at: ms(61_000))
    #expect(later.contains(.notify(.volumeChanged(level: 30, isMuted: false))))
    _ = player.handle(.pressed(.stepVolume(10)), at: ms(62_000))
    #expect(player.volume.level == 30)
  }

  @Test func `a turning knob writes nothing until it rests`() {
    var player = Player.playing([track(1)])
    _ = player.handle(.pressed(.pause), at: ms(0))
    _ = player.handle(.timerFired, at: ms(1_500))
    var writes = 0
    for step in 0..<40 as Range<Int64> {
      let effects =
        player.handle(.pressed(.stepVolume(step % 2 == 0 ? 1 : -1)), at: ms(2_000 + step * 50))
      writes += effects.count { if case .saveState = $0 { true } else { false } }
    }
    #expect(writes == 0)
    let rest = player.handle(.timerFired, at: ms(5_000))
    #expect(rest.count { if case .saveState = $0 { true } else { false } } == 1)
  }
}
