/// What a button's presses may mean, as far as something is bound to it.
public struct ButtonMeanings: Equatable, Sendable {
  public var press = false
  public var double = false
  public var triple = false
  public var hold = false
  /// How often a hold repeats; nil for once.
  public var every: Interval?
  public var holdReleased = false
  /// Whether a knob turned while the button is held means something of its own.
  public var modifies = false
  /// Whether hold repeats what press does, so that press need not wait for it.
  public var holdRepeatsPress = false

  public init() {}
}

/// The times that tell a press from a double press and from a hold.
public struct ButtonTimes: Equatable, Sendable {
  /// From one press to the next one that makes it a double or a triple.
  public var window = Interval.milliseconds(300)
  public var hold = Interval.milliseconds(600)

  public init() {}
}

/// Tells what the presses of one button mean.
///
/// A press acts at once when nothing else is bound to the button. It waits for the next press only if
/// a double or triple is bound, at most for the window, and for the release only if a hold or a
/// modified knob is bound.
public struct Button: Equatable {
  public enum Event: Equatable, Sendable {
    case pressed
    case released
    /// A knob was turned, or a chord struck, with this button in it: it means nothing by itself.
    case spent
    case timerFired
  }

  public enum Meaning: Equatable, Sendable {
    case none
    case press
    case double
    case triple
    case hold
    case holdReleased
  }

  enum Phase: Equatable {
    case up
    /// Down, and what it means is not yet known; `since` is the last press.
    case down(presses: Int, since: Instant)
    /// Down, and has acted: what is left is its release.
    case spent
    /// Held; the next repeat, if there is one.
    case held(next: Instant?)
    /// Up, and another press may follow.
    case between(presses: Int, since: Instant)
  }

  let meanings: ButtonMeanings
  let times: ButtonTimes
  private(set) var phase = Phase.up

  init(_ meanings: ButtonMeanings, times: ButtonTimes = ButtonTimes()) {
    self.meanings = meanings
    self.times = times
  }

  var isDown: Bool {
    switch phase {
    case .up, .between: false
    case .down, .spent, .held: true
    }
  }

  var deadline: Instant? {
    switch phase {
    case .up, .spent: nil
    case .down(let presses, let since):
      if presses == 1, waitsForRelease {
        holds ? since + times.hold : nil
      } else {
        since + times.window
      }
    case .held(let next): next
    case .between(_, let since): since + times.window
    }
  }

  mutating func handle(_ event: Event, at now: Instant) -> Meaning {
    switch (phase, event) {
    case (.up, .pressed): return press(1, at: now)
    case (.between(let presses, _), .pressed): return press(presses + 1, at: now)
    case (.down(let presses, let since), .released):
      guard presses < most, now < since + times.window else {
        phase = .up
        return meaning(of: presses)
      }
      phase = .between(presses: presses, since: since)
      return .none
    case (.spent, .released):
      phase = .up
      return .none
    case (.held, .released):
      phase = .up
      return meanings.holdReleased ? .holdReleased : .none
    case (.down, .spent), (.held, .spent):
      phase = .spent
      return .none
    case (.down(let presses, _), .timerFired):
      guard let deadline, now >= deadline else { return .none }
      guard presses == 1, holds else {
        phase = .spent
        return meaning(of: presses)
      }
      phase = .held(next: meanings.every.map { now + $0 })
      return meanings.hold ? .hold : .none
    case (.held(let next), .timerFired):
      guard let next, let every = meanings.every, now >= next else { return .none }
      phase = .held(next: max(next + every, now))
      return .hold
    case (.between(let presses, _), .timerFired):
      guard let deadline, now >= deadline else { return .none }
      phase = .up
      return meaning(of: presses)
    case (.down, .pressed), (.held, .pressed), (.spent, .pressed),
      (.up, .released), (.between, .released), (.up, .spent), (.between, .spent),
      (.spent, .spent), (.up, .timerFired), (.spent, .timerFired):
      return .none
    }
  }

  private var most: Int { meanings.triple ? 3 : meanings.double ? 2 : 1 }

  private var holds: Bool { meanings.hold || meanings.holdReleased }

  private var waitsForRelease: Bool {
    meanings.modifies || holds && !meanings.holdRepeatsPress
  }

  private mutating func press(_ presses: Int, at now: Instant) -> Meaning {
    if presses == most, presses > 1 || !waitsForRelease {
      let repeats = presses == 1 && meanings.holdRepeatsPress
      phase = repeats ? .held(next: now + times.hold) : .spent
      return meaning(of: presses)
    }
    phase = .down(presses: presses, since: now)
    return .none
  }

  private func meaning(of presses: Int) -> Meaning {
    switch presses {
    case 1: meanings.press ? .press : .none
    case 2: meanings.double ? .double : .none
    case 3: meanings.triple ? .triple : .none
    default: .none
    }
  }
}
