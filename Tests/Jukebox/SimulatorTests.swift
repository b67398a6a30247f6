internal import Simulator
internal import Testing

@testable internal import Jukebox

struct SimulatorTests {
  @Test func `no rule is broken in many random worlds`() {
    var simulation = Simulation()
    let failure = simulation.run(events: 40_000, seed: 77)
    #expect(failure == nil, "\(failure?.violation ?? "") \(failure?.steps ?? [])")
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
    let record = (1...20 as ClosedRange<UInt64>).flatMap {
      Simulation.lived(Simulation.steps($0), keepsRecord: true).record
    }
    let replayed = FlightRecord.replay(record).lines
    for effect in [
      "load", "follow", "pause", "resume", "stop", "gain", "source-gain", "dismiss", "finished",
      "scan", "save-state", "save-queue", "light", "release-media", "sleep", "stay-off",
      "shut-down", "report",
    ] {
      #expect(replayed.contains { $0.hasPrefix("  " + effect) }, "no \(effect) in any world")
    }
  }
}
