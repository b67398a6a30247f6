/// A line of a GPIO chip, by the number the board's settings give it.
public struct Line: Hashable, Sendable {
  public var number: UInt16

  public init(_ number: UInt16) {
    self.number = number
  }
}

/// A button or switch on a line; it names the line and nothing else needs to.
public struct SwitchSettings: Equatable, Sendable {
  public var line: Line
  /// Whether the contact pulls the line down, as most do.
  public var isActiveLow: Bool

  public init(_ line: Line, isActiveLow: Bool = true) {
    self.line = line
    self.isActiveLow = isActiveLow
  }
}

/// A knob on two lines; it is named by its first.
public struct KnobSettings: Equatable, Sendable {
  public var a: Line
  public var b: Line
  /// The push switch in the shaft, which shakes the knob when it is pressed.
  public var push: Line?
  public var isActiveLow = true
  public var encoder = EncoderSettings()

  public init(a: Line, b: Line, push: Line? = nil) {
    self.a = a
    self.b = b
    self.push = push
  }
}

/// What a hand can do with one control, or with two or three at once.
public enum Gesture: Equatable, Sendable {
  case press(Line)
  case double(Line)
  case triple(Line)
  case hold(Line, every: Interval?)
  case holdReleased(Line)
  case chord([Line])
  case switchedOn(Line)
  case switchedOff(Line)
}

public struct Binding: Equatable, Sendable {
  public var gesture: Gesture
  public var command: Command

  public init(_ gesture: Gesture, _ command: Command) {
    self.gesture = gesture
    self.command = command
  }
}

/// What a knob is for.
public enum KnobUse: Equatable, Sendable {
  /// Levels of volume a detent, more when turned fast.
  case volume(Int)
  /// A track a detent, however fast.
  case tracks
  /// An album a detent, however fast.
  case albums
  /// Time a detent, more when turned fast.
  case seek(Interval)
}

public struct Turn: Equatable, Sendable {
  public var knob: Line
  /// The button that must be held meanwhile.
  public var held: Line?
  public var use: KnobUse

  public init(knob: Line, held: Line? = nil, use: KnobUse) {
    self.knob = knob
    self.held = held
    self.use = use
  }
}

/// All that a hand can touch, and what it means.
public struct Controls: Equatable, Sendable {
  public var buttons: [SwitchSettings] = []
  public var switches: [SwitchSettings] = []
  public var knobs: [KnobSettings] = []
  public var bindings: [Binding] = []
  public var turns: [Turn] = []
  public var times = ButtonTimes()
  /// A contact's dead time after a press, and the time a release must last.
  public var dead = Interval.milliseconds(25)
  public var stable = Interval.milliseconds(10)
  /// How far apart the presses of a chord may be.
  public var chordWindow = Interval.milliseconds(80)
  /// How long a knob doesn't count after its push switch moved.
  public var settling = Interval.milliseconds(80)

  public init() {}

  func command(for gesture: Gesture) -> Command? {
    bindings.first { $0.gesture == gesture }?.command
  }

  /// What presses of a button can mean, from what is bound to it.
  func meanings(of line: Line) -> ButtonMeanings {
    var meanings = ButtonMeanings()
    for binding in bindings {
      switch binding.gesture {
      case .press(line): meanings.press = true
      case .double(line): meanings.double = true
      case .triple(line): meanings.triple = true
      case .hold(line, let every):
        meanings.hold = true
        meanings.every = every
        meanings.holdRepeatsPress =
          every != nil && command(for: .press(line)) == binding.command
      case .holdReleased(line): meanings.holdReleased = true
      case .press, .double, .triple, .hold, .holdReleased, .chord, .switchedOn, .switchedOff: break
      }
    }
    meanings.modifies = turns.contains { $0.held == line }
    return meanings
  }
}
