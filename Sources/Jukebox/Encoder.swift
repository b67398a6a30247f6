/// How a rotary encoder is made and mounted.
public struct EncoderSettings: Equatable, Sendable {
  /// Edges from one detent to the next, both lines together: 1, 2 or 4.
  public var edgesPerDetent = 4
  /// Whether turning right counts down.
  public var isInverted = false
  /// Least time between two edges of one line, where each edge is a detent and bounce can't be told
  /// from turning by the other line.
  public var dead = Interval.milliseconds(2)
  /// A change of direction sooner than this after an edge was lost is not believed.
  public var doubt = Interval.milliseconds(500)

  public init() {}
}

/// Quadrature: two lines that switch a quarter turn apart, decoded into detents.
///
/// Each edge moves the position by one quarter, forth or back, so bounce cancels itself out. A step is
/// given on arrival at a detent, when a whole detent's way was made since the last. An edge that tells
/// a level already known means that one was missed: it is counted, and a turn the other way is then
/// believed only after a detent without a fault.
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
  private var isDoubtful = false
  private var doubted: Instant?
  private var lastA = Instant(nanoseconds: .min / 2)
  private var lastB = Instant(nanoseconds: .min / 2)

  init(_ settings: EncoderSettings = EncoderSettings()) {
    self.settings = settings
  }

  /// - Returns: 1 for a detent to the right, -1 to the left, 0 for none.
  mutating func handle(_ event: Event, at now: Instant) -> Int {
    switch event {
    case .edge(let line, let closed):
      guard (line == .a ? a : b) != closed else {
        missed += 1
        isDoubtful = true
        doubted = now
        return 0
      }
      if settings.edgesPerDetent == 1, isBounce(line, at: now) { return 0 }
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
    quarters = 0
    let wasDoubtful = isDoubtful
    isDoubtful = false
    guard step != 0 else { return 0 }
    let sign = step > 0 ? 1 : -1
    let isRecent = doubted.map { now - $0 < settings.doubt } ?? false
    if direction != 0, sign != direction, wasDoubtful || isRecent {
      if !wasDoubtful { doubted = nil }
      return 0
    }
    direction = sign
    return settings.isInverted ? -sign : sign
  }

  private mutating func isBounce(_ line: Line, at now: Instant) -> Bool {
    let last = line == .a ? lastA : lastB
    if line == .a { lastA = now } else { lastB = now }
    return now - last < settings.dead
  }
}
