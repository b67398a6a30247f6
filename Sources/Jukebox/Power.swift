/// What becomes of the board's supply, and what the system asks for.
public enum PowerEvent: UInt8, CaseIterable, Equatable, Sendable {
  /// The supply is going: milliseconds are left.
  case failing
  case onBattery
  case onMains
  case lowBattery
  case undervoltage
  case thermalLimit
  /// Undervoltage or heat are over.
  case recovered
  case shutdownRequested
  case sleepRequested
  /// Awake again, or the supply is back.
  case resumed
}

/// Leaves in good order: fades when there is time, and saves before anything else when there is none.
public struct Power: Equatable {
  enum Step: Equatable {
    case save
    case releaseMedia
    case beginLow
    case endLow
    case sleep
    case wake
    case stayOff
    case shutDown
  }

  enum Phase: Equatable {
    case mains
    case battery
    /// The battery is nearly empty; at `until` the board is shut down.
    case low(until: Instant)
    case fading(Fade, off: Bool)
    case asleep
    case failing
    case off
  }

  static let fadeLength = Interval.seconds(1)
  static let lastMinute = Interval.minutes(1)

  private(set) var phase = Phase.mains
  /// Undervoltage or heat: the sound is 6 dB lower, which asks less of the supply.
  private(set) var isStrained = false

  var isSilent: Bool {
    switch phase {
    case .mains, .battery, .low, .fading: false
    case .asleep, .failing, .off: true
    }
  }

  func deadline(after now: Instant) -> Instant? {
    switch phase {
    case .low(let until): until
    case .fading(let fade, _): fade.deadline(after: now)
    case .mains, .battery, .asleep, .failing, .off: nil
    }
  }

  func gain(at now: Instant) -> Decibels {
    let strain = isStrained ? Decibels.decibels(-6) : .unity
    if case .fading(let fade, _) = phase { return fade.gain(at: now) + strain }
    return strain
  }

  mutating func handle(_ event: PowerEvent, at now: Instant) -> [Step] {
    switch (phase, event) {
    case (.off, _): return []
    case (_, .failing):
      guard phase != .failing else { return [] }
      let wasLow = isLow
      phase = .failing
      return [.save, .releaseMedia] + (wasLow ? [.endLow] : [])
    case (.mains, .onBattery):
      phase = .battery
      return [.save]
    case (.battery, .onMains), (.battery, .resumed):
      phase = .mains
      return []
    case (.low, .onMains), (.low, .resumed):
      phase = .mains
      return [.endLow]
    case (.mains, .lowBattery), (.battery, .lowBattery):
      phase = .low(until: now + Self.lastMinute)
      return [.save, .beginLow]
    case (.mains, .undervoltage), (.battery, .undervoltage), (.low, .undervoltage),
      (.mains, .thermalLimit), (.battery, .thermalLimit), (.low, .thermalLimit),
      (.fading, .undervoltage), (.fading, .thermalLimit):
      guard !isStrained else { return [] }
      isStrained = true
      return [.save]
    case (_, .recovered):
      isStrained = false
      return []
    case (.mains, .shutdownRequested), (.battery, .shutdownRequested):
      return fade(off: true, at: now)
    case (.low, .shutdownRequested):
      return [.endLow] + shutDown()
    case (.mains, .sleepRequested), (.battery, .sleepRequested):
      return fade(off: false, at: now)
    case (.low, .sleepRequested):
      return [.endLow] + fallAsleep()
    case (.fading(let fade, _), .shutdownRequested):
      phase = .fading(fade, off: true)
      return []
    case (.fading(_, let off), .resumed):
      if !off { phase = .mains }
      return []
    case (.asleep, .shutdownRequested), (.failing, .shutdownRequested):
      return shutDown()
    case (.asleep, .resumed), (.failing, .resumed), (.failing, .onMains):
      phase = .mains
      return [.wake]
    case (.mains, .onMains), (.mains, .resumed), (.battery, .onBattery), (.low, .onBattery),
      (.low, .lowBattery), (.fading, .onBattery), (.fading, .onMains), (.fading, .lowBattery),
      (.fading, .sleepRequested), (.asleep, .onBattery), (.asleep, .onMains),
      (.asleep, .lowBattery), (.asleep, .undervoltage), (.asleep, .thermalLimit),
      (.asleep, .sleepRequested), (.failing, .onBattery), (.failing, .lowBattery),
      (.failing, .undervoltage), (.failing, .thermalLimit), (.failing, .sleepRequested):
      return []
    }
  }

  mutating func timerFired(at now: Instant) -> [Step] {
    switch phase {
    case .low(let until) where now >= until:
      return [.endLow] + shutDown()
    case .fading(let fade, let off) where now >= fade.end:
      return off ? shutDown() : fallAsleep()
    case .low, .fading, .mains, .battery, .asleep, .failing, .off:
      return []
    }
  }

  private var isLow: Bool {
    if case .low = phase { true } else { false }
  }

  private mutating func fade(off: Bool, at now: Instant) -> [Step] {
    phase = .fading(Fade(from: now, lasting: Self.fadeLength, steps: 20), off: off)
    return [.save]
  }

  private mutating func fallAsleep() -> [Step] {
    phase = .asleep
    return [.save, .sleep]
  }

  private mutating func shutDown() -> [Step] {
    phase = .off
    return [.save, .releaseMedia, .stayOff, .shutDown]
  }
}
