@testable internal import Simulator
internal import Testing

@testable internal import Jukebox

struct SimulatorTests {
  @Test func `no rule is broken in many random worlds`() {
    var simulation = Simulation()
    let failure = simulation.run(events: 15_000, seed: 77)
    #expect(failure == nil, "\(failure?.violation ?? "") \(failure?.steps ?? [])")
  }

  @Test func `worlds that once broke a rule break none`() {
    for (name, steps) in foundWorlds {
      let world = Simulation.lived(steps)
      #expect(world.violation == nil, "in a world that \(name)")
    }
  }

  @Test func `what breaks a rule is made as short as can be`() {
    let wanted = { (steps: [Step]) -> Bool in
      let isOn = steps.firstIndex { $0 == .output(isThere: false) }
      let restart = steps.lastIndex { $0 == .restart }
      return isOn.flatMap { on in restart.map { on < $0 } } ?? false
    }
    let long = (1...50 as ClosedRange<UInt64>).map { Simulation.steps($0) }.first { wanted($0) }
    let few = shrunk(long ?? [], breaks: wanted)
    #expect(few == [.output(isThere: false), .restart])
  }

  @Test func `a world plays, pauses, fails and is interrupted`() {
    var missing = [
      "load", "follow", "pause", "resume", "stop", "gain", "source-gain", "dismiss", "finished",
      "scan", "save-state", "save-queue", "light", "release-media", "sleep", "stay-off",
      "shut-down", "report",
    ]
    var seed: UInt64 = 1
    while !missing.isEmpty, seed <= 20 {
      let record = Simulation.lived(Simulation.steps(seed), keepsRecord: true).record
      let replayed = FlightRecord.replay(record).lines
      missing.removeAll { effect in replayed.contains { $0.hasPrefix("  " + effect) } }
      seed += 1
    }
    #expect(missing.isEmpty, "in no world")
  }

  @Test func `wake-ups without end are found, at one moment or creeping`() {
    var wakes = Wakes()
    let late = (0..<20).compactMap { _ in wakes.asked(for: ms(5), at: ms(5)) }
    #expect(!late.isEmpty)
    wakes.stepBegan(at: ms(6))
    let past = (0..<20 as Range<Int64>).compactMap { _ in wakes.asked(for: ms(1), at: ms(6)) }
    #expect(!past.isEmpty)
    for isRunning in [true, false] {
      wakes.stepBegan(at: ms(10))
      let creeping = (0..<400 as Range<Int64>).compactMap {
        wakes.fired(at: ms(10) + Interval(nanoseconds: $0), isRunning: isRunning)
      }
      #expect(!creeping.isEmpty)
    }
    wakes.stepBegan(at: ms(0))
    let saving = (0..<1_000 as Range<Int64>).compactMap {
      wakes.fired(at: ms($0 * 5_000), isRunning: true)
    }
    #expect(saving.isEmpty)
  }

  @Test func `a round owes what had no turn, and nothing twice`() {
    let items = (1...4).map { Item(id: ItemID($0), track: track(Int64($0))) }
    let moves = { (round: Round, move: Round.Move, old: Int, new: Int) in
      round.readings(
        after: move, from: items[old], to: items[new], among: items, mode: .songs)
    }
    var round = Round(startingWith: items[0].id)
    #expect(moves(round, .forward, 0, 0).isEmpty)
    round = moves(round, .forward, 0, 1)[0]
    #expect(moves(round, .forward, 1, 0).isEmpty)
    #expect(moves(round, .chosen, 1, 0).count == 1)
    let back = moves(round, .back, 1, 0)[0]
    #expect(moves(back, .forward, 0, 1).count == 1)
    #expect(moves(moves(back, .forward, 0, 1)[0], .forward, 1, 0).isEmpty)
    round = moves(moves(round, .forward, 1, 2)[0], .forward, 2, 3)[0]
    #expect(moves(round, .forward, 3, 0) == [Round(startingWith: items[0].id)])
    round.fails(items[0].id)
    #expect(!round.isOwed(items[0]))
  }

  @Test func `going back from the first item, all but the last may be heard again`() {
    let items = (1...4).map { Item(id: ItemID($0), track: track(Int64($0))) }
    let moves = { (round: Round, move: Round.Move, old: Int, new: Int) in
      round.readings(
        after: move, from: items[old], to: items[new], among: items, mode: .songs)
    }
    var round = moves(Round(startingWith: items[0].id), .forward, 0, 1)[0]
    round = moves(moves(round, .back, 1, 0)[0], .back, 0, 2)[0]
    round = moves(round, .forward, 2, 1)[0]
    #expect(moves(round, .forward, 1, 2).isEmpty)
    round = moves(round, .back, 1, 2)[0]
    round = moves(moves(round, .forward, 2, 0)[0], .forward, 0, 1)[0]
    #expect(moves(round, .forward, 1, 0).isEmpty)
  }

  @Test func `an album is left whole`() {
    let items = (1...4).map {
      Item(id: ItemID($0), track: track(Int64($0), album: $0 < 4 ? 1 : 2, place: UInt16($0)))
    }
    let round = Round(startingWith: items[0].id)
    let next = { (new: Int) in
      round.readings(
        after: .forward, from: items[0], to: items[new], among: items, mode: .albums
      ).count
    }
    #expect([1, 2, 3].map(next) == [1, 0, 0])
  }
}
