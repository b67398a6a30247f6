/// When to write what would be missed after a power cut.
///
/// A change is written a second after the last of its kind, so that a turning knob writes nothing, but
/// not later than five seconds; while music plays, the position is written every `every`. A changed
/// queue is always written along with the state, so that the two fit one another after a power cut.
public struct Saving: Equatable {
  static let quiet = Interval.seconds(1)
  static let longest = Interval.seconds(5)

  private struct Due: Equatable {
    var first: Instant
    var at: Instant

    mutating func delay(to now: Instant) {
      at = min(now + quiet, first + longest)
    }
  }

  private var state: Due?
  private var queue: Due?
  private var position: Instant?

  var deadline: Instant? { earlier(position, earlier(state?.at, queue?.at)) }

  mutating func stateChanged(at now: Instant) {
    state = state ?? Due(first: now, at: now + Self.quiet)
    state?.delay(to: now)
  }

  mutating func queueChanged(at now: Instant) {
    queue = queue ?? Due(first: now, at: now + Self.quiet)
    queue?.delay(to: now)
  }

  mutating func playing(_ isPlaying: Bool, every: Interval, at now: Instant) {
    if !isPlaying {
      position = nil
    } else if position == nil {
      position = now + every
    }
  }

  /// - Returns: what is to be written now.
  mutating func take(at now: Instant, all: Bool) -> (state: Bool, queue: Bool) {
    let isDue =
      all || (queue.map { now >= $0.at } ?? false) || (state.map { now >= $0.at } ?? false)
      || (position.map { now >= $0 } ?? false)
    guard isDue else { return (false, false) }
    defer {
      state = nil
      queue = nil
      position = nil
    }
    return (true, queue != nil)
  }
}
