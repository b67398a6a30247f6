/// A switch that stays where it is put: a line-in selector or a power switch.
///
/// The first edge counts at once; after the dead time the contact's level is asked again.
public struct Toggle: Equatable {
  public enum Event: Equatable, Sendable {
    case edge(closed: Bool)
    case timerFired
  }

  let dead: Interval
  public private(set) var isOn = false
  private var isClosed = false
  private var quietUntil: Instant?

  init(dead: Interval = .milliseconds(25)) {
    self.dead = dead
  }

  var deadline: Instant? { quietUntil }

  /// - Returns: the new position, when it has changed.
  mutating func handle(_ event: Event, at now: Instant) -> Bool? {
    switch event {
    case .edge(let closed): isClosed = closed
    case .timerFired: break
    }
    if let until = quietUntil {
      guard now >= until else { return nil }
      quietUntil = nil
    }
    guard isClosed != isOn else { return nil }
    isOn = isClosed
    quietUntil = now + dead
    return isOn
  }
}
