/// Fast forward and backward: short excerpts, the next one further on each time.
public struct Seeking: Equatable {
  public enum Direction: Equatable, Sendable {
    case forward
    case backward
  }

  static let excerpt = Interval.milliseconds(250)

  let direction: Direction
  /// When 4 times the normal speed becomes 16 times.
  private let fast: Instant
  private(set) var position: Interval
  private(set) var deadline: Instant

  init(_ direction: Direction, from position: Interval, fastAfter: Interval, at now: Instant) {
    self.direction = direction
    self.position = position
    fast = now + fastAfter
    deadline = now + Self.excerpt
  }

  func speed(at now: Instant) -> Int { now >= fast ? 16 : 4 }

  /// - Returns: where the next excerpt starts, when it is due.
  mutating func timerFired(at now: Instant) -> Interval? {
    guard now >= deadline else { return nil }
    let step = Self.excerpt * Int64(speed(at: now))
    deadline = now + Self.excerpt
    position = direction == .forward ? position + step : max(position - step, .zero)
    return position
  }
}
