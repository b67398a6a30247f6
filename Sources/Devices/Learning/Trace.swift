internal import Jukebox

/// What one line did while everything was listened to.
struct Trace {
  /// Edges closer to one another are one burst of bounce.
  static let burst = Interval.milliseconds(12)
  /// What a finger can't undercut, nor a hand exceed in patience.
  static let press = Interval.milliseconds(25)...Interval.seconds(5)

  let line: Line
  /// The level at the start, and at the end of each press.
  private(set) var rest: Bool
  private(set) var presses = 0
  /// Pulses no finger makes.
  private(set) var glitches = 0
  /// The longest time from the first edge of a burst to its last.
  private(set) var bounce = Interval.zero

  private var level: Bool
  /// The level before the burst under way, and when that began.
  private var settled: Bool
  private var began: Instant
  private var last: Instant
  private var edges = 0
  private var pressed: Instant?

  init(_ line: Line, rest: Bool, at now: Instant) {
    self.line = line
    self.rest = rest
    level = rest
    settled = rest
    began = now
    last = now
  }

  /// How long it has been at rest; nil while it is not.
  func rested(at now: Instant) -> Interval? { edges == 0 && level == rest ? now - last : nil }

  /// An edge, or nil when only time has passed.
  mutating func take(_ isHigh: Bool?, at now: Instant) {
    if edges > 0, now - last >= Self.burst { settle() }
    guard let isHigh else { return }
    if edges == 0 { began = now }
    level = isHigh
    last = now
    edges += 1
  }

  /// Judges the burst that is over.
  private mutating func settle() {
    let count = edges
    edges = 0
    // Contacts bounce a few times; a line that chatters for long is no contact.
    if last - began > .milliseconds(40) || count > 60 { glitches += 1 }
    guard level != settled else {
      glitches += 1
      return
    }
    bounce = max(bounce, last - began)
    settled = level
    if level != rest {
      pressed = began
    } else if let pressed {
      self.pressed = nil
      if Self.press.contains(began - pressed) { presses += 1 } else { glitches += 1 }
    }
  }
}
