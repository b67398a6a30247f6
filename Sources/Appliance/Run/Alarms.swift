internal import Jukebox

/// What is to be done when, with one timer for all.
struct Alarms {
  enum Alarm: CaseIterable {
    case brains, fingers, amplifier, clock, fader, lights, panel, rest, watchdog, end
  }

  private var times: [Alarm: Instant] = [:]

  var next: Instant? { times.values.min() }

  mutating func set(_ alarm: Alarm, at time: Instant?) { times[alarm] = time }

  /// What is due, in the order of the cases; each comes once.
  mutating func take(at now: Instant) -> [Alarm] {
    let due = Alarm.allCases.filter { times[$0].map { $0 <= now } ?? false }
    for alarm in due { times[alarm] = nil }
    return due
  }
}
