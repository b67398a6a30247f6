internal import Jukebox

/// A slow fade over the whole sound: up after the power came back, down before it ends.
///
/// In steps of 20 ms, which the deck's own ramps join.
struct Fader: Equatable {
  private static let step = Interval.milliseconds(20)
  /// Below full: where a fade begins or ends.
  private static let depth = 4_000

  private(set) var deadline: Instant?
  private var start = Instant(nanoseconds: 0)
  private var length = Interval.zero
  private var rises = true

  mutating func rise(over length: Interval, at now: Instant) { begin(length, true, now) }
  mutating func fall(over length: Interval, at now: Instant) { begin(length, false, now) }

  private mutating func begin(_ length: Interval, _ rises: Bool, _ now: Instant) {
    self.length = length
    self.rises = rises
    start = now
    deadline = now
  }

  /// Whether anything is to be done at a time.
  mutating func handle(at now: Instant) -> Bool {
    guard let due = deadline, now >= due else { return false }
    deadline = now < start + length ? now + Self.step : nil
    return true
  }

  func gain(at now: Instant) -> Decibels {
    guard length > .zero else { return .unity }
    let passed = min(max((now - start).nanoseconds, 0), length.nanoseconds)
    let left = rises ? length.nanoseconds - passed : passed
    return Decibels(
      hundredths: -Int(Int64(Self.depth) * (left / 1000) / (length.nanoseconds / 1000)))
  }
}
