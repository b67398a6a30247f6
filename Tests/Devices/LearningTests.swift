import Jukebox
import Testing

@testable import Devices

/// Buttons and knobs of many makes on a board with lines that never rest.
struct LearningTests {
  private struct Edge {
    var time: Int64
    var line: UInt16
    var isHigh: Bool
  }

  struct Button: Sendable {
    var name: String
    var isActiveLow = true
    /// Milliseconds: how long contacts bounce when pressed and let go of, how long it is held and not.
    var bounce = 0.0
    var held = 150.0
    var pause = 400.0
  }

  struct Knob: Sendable {
    var name: String
    var edgesPerDetent = 4
    var isInverted = false
    var restsLow = false
    var bounce = 0.0
    /// Milliseconds from detent to detent.
    var detent = 150.0
  }

  static let buttons = [
    Button(name: "without bounce"),
    Button(name: "an ordinary one", bounce: 1.6),
    Button(name: "the worst of those measured", bounce: 6.2),
    Button(name: "worn out", bounce: 10),
    Button(name: "to the supply", isActiveLow: false, bounce: 2),
    Button(name: "a touch sensor", isActiveLow: false, held: 300, pause: 600),
    Button(name: "a microswitch, hit quickly", bounce: 0.5, held: 45, pause: 120),
    Button(name: "an arcade button, held", bounce: 4, held: 1200, pause: 900),
    Button(name: "a break contact", isActiveLow: false, bounce: 3, held: 200),
    Button(name: "an impatient finger", bounce: 2, held: 60, pause: 90),
    Button(name: "a slow finger", bounce: 5, held: 2500, pause: 2000),
  ]

  static let knobs = [
    Knob(name: "the usual one"),
    Knob(name: "mounted the other way around", isInverted: true),
    Knob(name: "half a cycle a detent", edgesPerDetent: 2),
    Knob(name: "half a cycle, inverted", edgesPerDetent: 2, isInverted: true),
    Knob(name: "a quarter of a cycle", edgesPerDetent: 1),
    Knob(name: "a quarter of a cycle, inverted", edgesPerDetent: 1, isInverted: true),
    Knob(name: "closed at its detents", restsLow: true),
    Knob(name: "closed at its detents, inverted", isInverted: true, restsLow: true),
    Knob(name: "with bounce", bounce: 1.5),
    Knob(name: "with much bounce", isInverted: true, bounce: 2.5, detent: 250),
    Knob(name: "optical, turned fast", detent: 90),
  ]

  /// 4 floats and picks up noise, 8 is a clock, 9 begins to float once the hand comes near; 17, 22, 23
  /// and 27 rest, high or low.
  private static func noise(_ random: inout Random, until end: Int64) -> [Edge] {
    var edges: [Edge] = []
    for (line, start, mean) in [(4, 0, 33.0), (9, 2_100_000_000, 70.0)] as [(UInt16, Int64, Double)]
    {
      var (time, isHigh) = (start, false)
      while time < end {
        time += Int64(mean * 2e6 * Double(1 + random.below(1000)) / 1000)
        isHigh.toggle()
        edges.append(Edge(time: time, line: line, isHigh: isHigh))
      }
    }
    var (time, isHigh) = (Int64(0), false)
    while time < end {
      time += 10_000_000
      isHigh.toggle()
      edges.append(Edge(time: time, line: 8, isHigh: isHigh))
    }
    return edges
  }

  /// A change with the bounce before it is final.
  private static func change(
    _ line: UInt16, to isHigh: Bool, at time: Int64, bounce: Double, _ random: inout Random
  ) -> [Edge] {
    var edges = [Edge(time: time, line: line, isHigh: isHigh)]
    var passed = 0.0
    while true {
      passed += bounce / 8 * Double(1 + random.below(1000)) / 500
      guard bounce > 0, passed < bounce * 0.8 else { return edges }
      edges.append(Edge(time: time + Int64(passed * 1e6), line: line, isHigh: !isHigh))
      passed += bounce / 20
      edges.append(Edge(time: time + Int64(passed * 1e6), line: line, isHigh: isHigh))
    }
  }

  private static func learn(
    _ wish: Learning.Wish, rest: [Line: Bool], _ edges: [Edge]
  ) -> Learning.Finding? {
    var levels: [Line: Bool] = [
      Line(4): false, Line(8): false, Line(9): false, Line(22): true, Line(23): false,
    ]
    levels.merge(rest) { $1 }
    var learning = Learning(wish, levels: levels, at: Instant(nanoseconds: 0))
    var tick: Int64 = 0
    for edge in edges.sorted(by: { $0.time < $1.time }) {
      while tick + 20_000_000 <= edge.time {
        tick += 20_000_000
        if let found = learning.timePassed(at: Instant(nanoseconds: tick)) { return found }
      }
      let now = Instant(nanoseconds: edge.time)
      if let found = learning.edge(Line(edge.line), isHigh: edge.isHigh, at: now) { return found }
    }
    return nil
  }

  @Test(arguments: buttons, 1...5) func `a button is found`(button: Button, seed: Int) {
    var random = Random(seed: UInt64(seed))
    var (time, edges) = (Int64(2_500_000_000), [Edge]())
    for _ in 0..<3 {
      edges += Self.change(
        17, to: !button.isActiveLow, at: time, bounce: button.bounce, &random)
      time += Int64(button.held * 1e6)
      edges += Self.change(17, to: button.isActiveLow, at: time, bounce: button.bounce, &random)
      time += Int64(button.pause * 1e6)
    }
    edges += Self.noise(&random, until: time + 3_000_000_000)
    let rest = [Line(17): button.isActiveLow, Line(27): true]
    let finding = Self.learn(.button, rest: rest, edges)
    guard case .button(let settings, let bounce)? = finding else {
      Issue.record("nothing was found: \(String(describing: finding))")
      return
    }
    #expect(settings == SwitchSettings(Line(17), isActiveLow: button.isActiveLow))
    #expect(bounce <= .microseconds(Int64(button.bounce * 1000)))
  }

  @Test(arguments: knobs, 1...5) func `a knob is found, and how it is made`(knob: Knob, seed: Int) {
    var random = Random(seed: UInt64(seed))
    // Turned right, A leads: A closes, B closes, A opens, B opens; see the encoder's data sheets (Alps
    // EC11, "A leads B clockwise"). Mounted the other way around, 27 is A.
    let (a, b): (UInt16, UInt16) = knob.isInverted ? (27, 17) : (17, 27)
    var closed: [UInt16: Bool] = [a: false, b: false]
    let cycle: [(UInt16, Bool)] = [(a, true), (b, true), (a, false), (b, false)]
    var (time, edges, step) = (Int64(2_500_000_000), [Edge](), knob.restsLow ? 2 : 0)
    if knob.restsLow { closed = [a: true, b: true] }
    let rest = closed.map { (Line($0.key), !$0.value) }
    for detent in 0..<20 {
      for edge in 0..<knob.edgesPerDetent {
        let (line, isClosed) = cycle[step % 4]
        step += 1
        let at = time + Int64(edge) * 8_000_000
        edges += Self.change(line, to: !isClosed, at: at, bounce: knob.bounce, &random)
      }
      time = 2_500_000_000 + Int64(Double(detent + 1) * knob.detent * 1e6)
    }
    edges += Self.noise(&random, until: time)
    let finding = Self.learn(.knob, rest: Dictionary(uniqueKeysWithValues: rest), edges)
    var settings = KnobSettings(a: Line(17), b: Line(27))
    settings.isActiveLow = !knob.restsLow
    settings.encoder.edgesPerDetent = knob.edgesPerDetent
    settings.encoder.isInverted = knob.isInverted
    #expect(finding == .knob(settings))
  }

  @Test func `there are more than 20 kinds, and nothing is found where nothing is touched`() {
    #expect(Self.buttons.count + Self.knobs.count >= 20)
    var random = Random(seed: 9)
    let noise = Self.noise(&random, until: 20_000_000_000)
    #expect(Self.learn(.button, rest: [Line(17): true, Line(27): true], noise) == nil)
    #expect(Self.learn(.knob, rest: [Line(17): true, Line(27): true], noise) == nil)
  }
}
