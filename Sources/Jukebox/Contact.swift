/// A switch's contact, without its bounce.
///
/// The first edge of a press counts at once, and only then is it tested: a release counts when the
/// contact has stayed open for a stable time, and not before the dead time after the press is over.
/// Bounce lasts up to 6.2 ms in the switches measured by J. Ganssle ("A Guide to Debouncing"), 1.6 ms
/// on average; the stable time of 10 ms is longer than any pause in it. Edges that say what is known
/// already (two levels the same in a row are usual when the kernel reads a bouncing line late) change
/// nothing.
public struct Contact: Equatable {
  public enum Event: Equatable, Sendable {
    /// The contact is closed or not, after active-low is taken into account.
    case edge(closed: Bool)
    case timerFired
  }

  public enum Change: Equatable, Sendable {
    case none
    case pressed
    case released
  }

  let dead: Interval
  let stable: Interval
  public private(set) var isPressed = false
  private var isClosed = false
  private var pressed = Instant(nanoseconds: 0)
  private var opened = Instant(nanoseconds: 0)

  init(dead: Interval = .milliseconds(25), stable: Interval = .milliseconds(10)) {
    self.dead = dead
    self.stable = stable
  }

  /// When a release, if nothing contradicts it, will count.
  var deadline: Instant? {
    isPressed && !isClosed ? max(opened + stable, pressed + dead) : nil
  }

  mutating func handle(_ event: Event, at now: Instant) -> Change {
    switch (event, isPressed) {
    case (.edge(closed: true), false):
      isClosed = true
      isPressed = true
      pressed = now
      return .pressed
    case (.edge(closed: true), true):
      isClosed = true
      return .none
    case (.edge(closed: false), true):
      if isClosed { opened = now }
      isClosed = false
      return .none
    case (.edge(closed: false), false):
      isClosed = false
      return .none
    case (.timerFired, true):
      guard let deadline, now >= deadline else { return .none }
      isPressed = false
      return .released
    case (.timerFired, false):
      return .none
    }
  }
}
