internal import Jukebox

/// Fingers on the controls of a panel: edges as the lines of a board have them, bounce included.
///
/// Of the switches that J. Ganssle measured ("A Guide to Debouncing"), bounce lasts 1.6 ms on average
/// and 6.2 ms at most.
struct Fingers {
  struct Edge: Equatable {
    var line: Line
    var isHigh: Bool
    var at: Instant
  }

  /// How long a tap closes a contact, and the least that it is let alone then.
  static let tap = Interval.milliseconds(80)
  static let rest = Interval.milliseconds(40)
  /// From one edge of a turned knob to the next.
  static let quarter = Interval.milliseconds(8)
  /// What a hand needs to turn back.
  static let turnaround = Interval.milliseconds(150)
  /// What a keyboard's repeat asks for faster than a finger can is left out.
  static let patience = Interval.milliseconds(250)

  /// Still to come, by time.
  private var edges: [Edge] = []
  private var closed: Set<Line> = []
  /// How far each knob is turned, in quarters of its circle.
  private var turns: [Line: Int] = [:]
  private var directions: [Line: Int] = [:]
  /// When a control can be moved again.
  private var free: [Line: Instant] = [:]
  private var random = Random(seed: 1)

  /// When the next edge comes.
  var deadline: Instant? { edges.first?.at }

  /// The edges that have come by now.
  mutating func take(at now: Instant) -> [Edge] {
    let due = edges.prefix { $0.at <= now }
    edges.removeFirst(due.count)
    return Array(due)
  }

  func isHeld(_ button: SwitchSettings) -> Bool { closed.contains(button.line) }

  /// Presses a button and lets go; lets go of one that is held.
  mutating func tap(_ button: SwitchSettings, at now: Instant) {
    guard !isHeld(button) else { return flip(button, at: now) }
    guard let start = start(button.line, at: now) else { return }
    move(button, isClosed: true, at: start)
    move(button, isClosed: false, at: start + Self.tap)
    free[button.line] = start + Self.tap + Self.rest
  }

  /// Holds a button from now on, or lets go of it; changes a switch over.
  mutating func flip(_ button: SwitchSettings, at now: Instant) {
    guard let start = start(button.line, at: now) else { return }
    let isClosed = closed.insert(button.line).inserted
    if !isClosed { closed.remove(button.line) }
    move(button, isClosed: isClosed, at: start)
    free[button.line] = start + Self.rest
  }

  /// Turns a knob by a detent: to the right by 1, to the left by -1.
  mutating func turn(_ knob: KnobSettings, by step: Int, at now: Instant) {
    guard var time = start(knob.a, at: now) else { return }
    if directions.updateValue(step, forKey: knob.a) ?? step != step {
      time = time + Self.turnaround
    }
    let step = knob.encoder.isInverted ? -step : step
    for _ in 0..<knob.encoder.edgesPerDetent {
      let old = turns[knob.a, default: 0]
      let new = (old + step) & 3
      turns[knob.a] = new
      // Around the circle: both open, A closed, both closed, B closed.
      for (line, places) in [(knob.a, 1...2), (knob.b, 2...3)]
      where places.contains(old) != places.contains(new) {
        let contact = SwitchSettings(line, isActiveLow: knob.isActiveLow)
        move(contact, isClosed: places.contains(new), at: time)
      }
      time = time + Self.quarter
    }
    free[knob.a] = time
  }

  private func start(_ line: Line, at now: Instant) -> Instant? {
    let start = max(now, free[line] ?? now)
    return start - now <= Self.patience ? start : nil
  }

  /// The first edge is on time, and the last tells what the contact has come to.
  private mutating func move(_ contact: SwitchSettings, isClosed: Bool, at start: Instant) {
    var time = start
    for bounce in 0...2 * random.below(4) {
      let isHigh = (isClosed == bounce.isMultiple(of: 2)) != contact.isActiveLow
      edges.append(Edge(line: contact.line, isHigh: isHigh, at: time))
      time = time + .microseconds(Int64(50 + random.below(500)))
    }
    edges.sort { $0.at < $1.at }
  }
}
