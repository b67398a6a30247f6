public import Jukebox

/// An edge as the kernel reports it, `isHigh` as read from a line that a contact pulls down.
public struct Edge: Equatable, Sendable {
  public var at: Instant
  public var isHigh: Bool
}

/// How mechanical contacts behave.
///
/// Figures of J. Ganssle, "A Guide to Debouncing": of the usable switches he measured, bounce took
/// 1.6 ms on average and 6.2 ms at most, in pulses mostly far under a millisecond, at opening as at
/// closing. Added here: glitches of a held contact, and edges reported twice, as the kernel does when
/// it reads a line's level late.
public struct Bounce {
  public static let longest = Interval.microseconds(6_200)

  public init() {}

  /// A contact that goes to `closed` at `start`: the first edge is at `start`, the last tells `closed`.
  public func change(to closed: Bool, at start: Instant, _ random: inout Random) -> [Edge] {
    var edges = [Edge(at: start, isHigh: !closed)]
    let length = burst(&random)
    var now = start
    var level = closed
    while true {
      now = now + .microseconds(Int64(1 + random.below(random.below(4) == 0 ? 3_000 : 400)))
      guard now - start < length else { break }
      level.toggle()
      edges.append(Edge(at: now, isHigh: !level))
      if random.below(20) == 0 { edges.append(Edge(at: now, isHigh: !level)) }
    }
    if level != closed { edges.append(Edge(at: start + length, isHigh: !closed)) }
    return edges
  }

  /// A held contact that opens for an instant.
  public func glitch(at start: Instant, _ random: inout Random) -> [Edge] {
    let length = Interval.microseconds(Int64(1 + random.below(600)))
    return [Edge(at: start, isHigh: true), Edge(at: start + length, isHigh: false)]
  }

  private func burst(_ random: inout Random) -> Interval {
    let least = min(random.below(6_201), random.below(6_201), random.below(6_201))
    return .microseconds(Int64(random.below(50) == 0 ? 6_200 : least))
  }
}

/// The edges of a knob's two lines.
public struct TurnedKnob {
  /// Where on the circle: both open, A closed, both closed, B closed.
  private var phase = 0
  public private(set) var now: Instant

  public init(at now: Instant) {
    self.now = now
  }

  /// The hand holds still.
  public mutating func rest(_ time: Interval) { now = now + time }

  /// The edges of one detent, right or left, each with bounce; `isA` tells the line.
  public mutating func detent(
    right: Bool, edges count: Int, apart: Interval, bounce: Bounce, _ random: inout Random
  ) -> [(isA: Bool, edge: Edge)] {
    var all: [(isA: Bool, edge: Edge)] = []
    for _ in 0..<count {
      let old = phase
      phase = (phase + (right ? 1 : 3)) % 4
      let isA = Self.a(phase) != Self.a(old)
      let closed = isA ? Self.a(phase) : Self.b(phase)
      for edge in bounce.change(to: closed, at: now, &random) { all.append((isA, edge)) }
      now = now + apart
    }
    return all.sorted { $0.edge.at < $1.edge.at }
  }

  private static func a(_ phase: Int) -> Bool { phase == 1 || phase == 2 }
  private static func b(_ phase: Int) -> Bool { phase == 2 || phase == 3 }
}
