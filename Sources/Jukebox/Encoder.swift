/// How a rotary encoder is made and mounted.
public struct EncoderSettings: Equatable, Sendable {
  /// Edges from one detent to the next, both lines together: 1, 2 or 4.
  public var edgesPerDetent = 4
  /// Whether turning right counts down.
  public var isInverted = false
  /// Edges closer to one another than this are one burst of bounce.
  public var burst = Interval.milliseconds(7)
  /// A change of direction sooner than this after a step is not believed: no hand is so quick.
  public var turnaround = Interval.milliseconds(100)
  /// A change of direction sooner than this after an edge was lost is not believed.
  public var doubt = Interval.milliseconds(500)

  public init() {}
}

/// Quadrature: two lines that switch a quarter turn apart, decoded into detents.
///
/// Each edge moves the position by one quarter, forth or back, so bounce cancels itself out. A step is
/// given on arrival at a detent, when a whole detent's way was made since the last.
///
/// An edge that tells a level already known, and is no bounce, means that one was missed: it is
/// counted, and the way made since the last detent is void. As a lost edge looks like the beginning of
/// a turn the other way, such a turn is believed only where no edge was missed of late, and when the
/// knob had come to rest before: nobody turns back within a burst of bounce, nor in less than a tenth
/// of a second. Once there is doubt, the next two steps the old way are not given either.
///
/// Where each edge is a detent, a lost edge can't be told from a turn back: there it may give a step the
/// wrong way. With four edges a detent or two, it takes several lost edges within one detent.
public struct Encoder: Equatable {
  public enum Line: Equatable, Sendable {
    case a
    case b
  }

  public enum Event: Equatable, Sendable {
    /// The line's contact is closed or not.
    case edge(Line, closed: Bool)
    /// The line was read, at the start or after edges were lost: what was under way is void.
    case level(Line, closed: Bool)
  }

  public let settings: EncoderSettings
  /// Edges that must have been there, but never arrived.
  public private(set) var missed = 0
  private var a = false
  private var b = false
  private var quarters = 0
  private var direction = 0
  /// How many steps are not given, as one the other way was seen and not believed.
  private var doubtfulSteps = 0
  private var lastStep: Instant?
  private var doubted: Instant?
  private var lastA = Instant(nanoseconds: .min / 2)
  private var lastB = Instant(nanoseconds: .min / 2)
  /// Whether the burst under way began at a detent, and whether the one did that left the detent.
  private var beganAtRest = true
  private var leftFromRest = true

  init(_ settings: EncoderSettings = EncoderSettings()) {
    self.settings = settings
  }

  /// - Returns: 1 for a detent to the right, -1 to the left, 0 for none.
  mutating func handle(_ event: Event, at now: Instant) -> Int {
    switch event {
    case .edge(let line, let closed):
      let pause = now - (line == .a ? lastA : lastB)
      if now - max(lastA, lastB) >= settings.burst { beganAtRest = isAtDetent }
      if line == .a { lastA = now } else { lastB = now }
      guard (line == .a ? a : b) != closed else {
        guard pause >= settings.burst else { return 0 }
        missed += 1
        doubted = now
        quarters = 0
        if let lastStep, now - lastStep >= settings.turnaround { doubtfulSteps = 2 }
        return 0
      }
      if quarters == 0 { leftFromRest = beganAtRest }
      let old = phase
      if line == .a { a = closed } else { b = closed }
      quarters += (phase - old) & 3 == 1 ? 1 : -1
      return step(at: now)
    case .level(let line, let closed):
      if line == .a { a = closed } else { b = closed }
      quarters = 0
      return 0
    }
  }

  /// Around the circle: both open, A closed, both closed, B closed.
  private var phase: Int { a ? (b ? 2 : 1) : (b ? 3 : 0) }

  private var isAtDetent: Bool {
    switch settings.edgesPerDetent {
    case 1: true
    case 2: a == b
    default: !a && !b
    }
  }

  private mutating func step(at now: Instant) -> Int {
    guard isAtDetent else { return 0 }
    let step = quarters / settings.edgesPerDetent
    // Where each edge is a detent, the way that bounce went back is owed: it comes forth again.
    if settings.edgesPerDetent > 1 { quarters = 0 }
    guard step != 0 else { return 0 }
    beganAtRest = false
    let sign = step > 0 ? 1 : -1
    if direction != 0, sign != direction, !isBelievable(at: now) {
      doubtfulSteps = settings.edgesPerDetent > 1 ? 2 : 0
      return 0
    }
    quarters = 0
    if doubtfulSteps > 0, sign == direction {
      doubtfulSteps -= 1
      return 0
    }
    doubtfulSteps = 0
    direction = sign
    lastStep = now
    return settings.isInverted ? -sign : sign
  }

  private func isBelievable(at now: Instant) -> Bool {
    guard leftFromRest else { return false }
    if let lastStep, now - lastStep < settings.turnaround { return false }
    if let doubted, now - doubted < settings.doubt { return false }
    return true
  }
}
