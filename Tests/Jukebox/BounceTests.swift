internal import Simulator
internal import Testing

@testable internal import Jukebox

/// Contacts as measured: see `Bounce`.
struct BounceTests {
  @Test func `a burst is as long as the longest measured, and no longer`() {
    var random = Random(seed: 1)
    var longest = Interval.zero
    var open = 0
    for _ in 0..<10_000 {
      let edges = Bounce().change(to: true, at: ms(0), &random)
      longest = max(longest, (edges.last?.at ?? ms(0)) - ms(0))
      if edges.last?.isHigh != false { open += 1 }
    }
    #expect(open == 0)
    #expect(longest > .microseconds(6_000))
    #expect(longest <= Bounce.longest)
  }

  @Test func `of 100,000 presses none is lost and none doubled`() {
    var controls = Controls()
    controls.buttons = [SwitchSettings(Line(0))]
    controls.bindings = [Binding(.press(Line(0)), .next)]
    var panel = Panel(controls)
    var random = Random(seed: 2)
    var now = ms(0)
    var commands: [Command] = []
    var lost = 0
    var doubled = 0
    for _ in 0..<100_000 {
      let held = Interval.milliseconds(Int64(40 + random.below(360)))
      var edges = Bounce().change(to: true, at: now, &random)
      if random.below(3) == 0 {
        edges += Bounce().glitch(at: now + .milliseconds(30), &random)
      }
      edges += Bounce().change(to: false, at: now + held, &random)
      commands.removeAll(keepingCapacity: true)
      for (place, edge) in edges.enumerated() {
        while let due = panel.deadline, due <= edge.at {
          panel.handle(.timerFired, at: due, into: &commands)
        }
        panel.handle(.edge(Line(0), isHigh: edge.isHigh), at: edge.at, into: &commands)
        if place == 0, commands.count != 1 { lost += 1 }
      }
      doubled += max(commands.count - 1, 0)
      now = now + held + .milliseconds(Int64(30 + random.below(400)))
    }
    #expect(lost == 0)
    #expect(doubled == 0)
  }

  /// The hand turns back after every few detents, with no pause but what it takes to turn back.
  ///
  /// Where each edge is a detent there is no such test: an edge lost looks exactly like one turned back.
  @Test(arguments: [4, 2])
  func `of 100,000 detents with 1 % of edges lost none goes the wrong way`(edges: Int) {
    let turned = turn(100_000, edges: edges, lost: 1)
    #expect(turned.wrong == 0)
    #expect(turned.steps > 85_000)
    #expect(turned.missed > 0)
  }

  @Test(arguments: [4, 2, 1])
  func `with no edge lost no detent is lost or doubled`(edges: Int) {
    let turned = turn(5_000, edges: edges, lost: 0)
    #expect(turned.wrong == 0)
    #expect(turned.steps == 5_000)
    #expect(turned.missed == 0)
  }

  private func turn(
    _ detents: Int, edges: Int, lost percent: Int
  ) -> (steps: Int, wrong: Int, missed: Int) {
    var settings = EncoderSettings()
    settings.edgesPerDetent = edges
    var encoder = Encoder(settings)
    var random = Random(seed: 3)
    var knob = TurnedKnob(at: ms(0))
    var right = true
    var left = 0
    var steps = 0
    var wrong = 0
    for _ in 0..<detents {
      if left == 0 {
        right.toggle()
        left = 1 + random.below(60)
        knob.rest(.milliseconds(Int64(120 + random.below(400))))
      }
      left -= 1
      let apart = Interval.milliseconds(Int64(7 + random.below(20)))
      let all = knob.detent(right: right, edges: edges, apart: apart, bounce: Bounce(), &random)
      for (isA, edge) in all where random.below(100) >= percent {
        let step = encoder.handle(.edge(isA ? .a : .b, closed: !edge.isHigh), at: edge.at)
        if step != 0 {
          steps += 1
          if (step > 0) != right { wrong += 1 }
        }
      }
    }
    return (steps, wrong, encoder.missed)
  }
}
