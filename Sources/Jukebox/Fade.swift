/// A fall of the level to silence in small steps, equal in decibels.
public struct Fade: Equatable {
  static let depth = 5_000

  private(set) var start: Instant
  private(set) var length: Interval
  private var step: Interval

  init(from start: Instant, lasting length: Interval, steps: Int64) {
    self.start = start
    self.length = length
    step = Interval(nanoseconds: max(length.nanoseconds / steps, 1))
  }

  var end: Instant { start + length }

  func gain(at now: Instant) -> Decibels {
    let passed = (now - start).nanoseconds / step.nanoseconds
    let steps = max(length.nanoseconds / step.nanoseconds, 1)
    guard passed > 0 else { return .unity }
    guard passed < steps else { return .silence }
    return Decibels(hundredths: -Int(Int64(Self.depth) * passed / steps))
  }

  /// When the next step is due.
  func deadline(after now: Instant) -> Instant {
    guard now >= start else { return start }
    let passed = (now - start).nanoseconds / step.nanoseconds
    return min(start + step * (passed + 1), end)
  }
}
