internal import Jukebox

/// Counts wake-ups, so that none go on without end, at one moment or creeping from one to the next.
struct Wakes {
  static let mostLate = 8
  static let mostRunning = 200
  static let mostIdle = 60

  private var late = 0
  private var moment = Instant(nanoseconds: 0)
  private var since = Instant(nanoseconds: 0)
  private var running = 0
  private var idle = 0

  /// A new step of the world: what it sets off may take its wake-ups.
  mutating func stepBegan(at now: Instant) {
    since = now
    running = 0
    idle = 0
  }

  /// - Returns: the rule that is broken, if one is.
  mutating func asked(for time: Instant, at now: Instant) -> String? {
    if now > moment { late = 0 }
    moment = now
    guard time <= now else { return nil }
    late += 1
    return late > Self.mostLate ? "live-lock: wake-ups without end at one moment" : nil
  }

  mutating func fired(at now: Instant, isRunning: Bool) -> String? {
    if isRunning { running += 1 } else { idle += 1 }
    let seconds = Int((now - since).milliseconds / 1_000)
    // Seeking and fades take 4 wake-ups a second, the fade of a shutdown 20 in its one second.
    if running > Self.mostRunning + seconds * 12 { return "live-lock: wakes too often" }
    // With nothing to play, quiet hours come and go twice a day.
    return idle > Self.mostIdle + seconds / 3_600 ? "live-lock: wakes though nothing plays" : nil
  }
}
