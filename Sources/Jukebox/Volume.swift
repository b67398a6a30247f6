/// The hours of the day in which the volume has a lower limit; `from` may be after `to`.
public struct QuietHours: Equatable, Sendable {
  /// Minutes since midnight.
  public var from: Int
  public var to: Int
  public var maximum: Int

  public init(from: Int, to: Int, maximum: Int) {
    self.from = from
    self.to = to
    self.maximum = maximum
  }

  func contains(_ minute: Int) -> Bool {
    from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
  }

  /// How many minutes after `minute` the answer of `contains` may change.
  func minutesToChange(after minute: Int) -> Int {
    let next = contains(minute) ? to : from
    let minutes = (next - minute + 1_440) % 1_440
    return minutes == 0 ? 1_440 : minutes
  }
}

/// How far the volume may go, in levels of 0 to 100.
public struct VolumeLimits: Equatable, Sendable {
  /// The level to start up with; nil for that of last time.
  public var start: Int?
  public var minimum = 0
  public var maximum = 100
  public var quiet: QuietHours?

  public init() {}
}

/// The knob's level and what it means in decibels.
///
/// The curve: level 100 is 0 dB, each level below is half a decibel less, level 0 is silence. Equal
/// steps in decibels are equal to the ear (ten of them are about twice as loud), and 1 dB, two
/// levels, is about the least that is noticed: one detent of a knob.
public struct Volume: Equatable {
  public enum Event: Equatable, Sendable {
    case stepped(Int)
    case set(Int)
    case muted(Bool)
    case muteToggled
    case quietHours(Bool)
    case limited(VolumeLimits)
  }

  public private(set) var level: Int
  public private(set) var isMuted = false
  private(set) var limits: VolumeLimits
  private(set) var isQuiet = false

  init(level: Int, limits: VolumeLimits) {
    self.level = level
    self.limits = limits
    clamp()
  }

  mutating func handle(_ event: Event) {
    switch event {
    case .stepped(let steps):
      level += min(max(steps, -100), 100)
      if steps > 0 { isMuted = false }
    case .set(let level):
      self.level = level
      isMuted = false
    case .muted(let isMuted): self.isMuted = isMuted
    case .muteToggled: isMuted.toggle()
    case .quietHours(let isQuiet): self.isQuiet = isQuiet
    case .limited(let limits): self.limits = limits
    }
    clamp()
  }

  public var gain: Decibels { isMuted ? .silence : Self.gain(of: level) }

  public static func gain(of level: Int) -> Decibels {
    level <= 0 ? .silence : Decibels(hundredths: (min(level, 100) - 100) * 50)
  }

  var ceiling: Int {
    let quiet = isQuiet ? limits.quiet?.maximum ?? 100 : 100
    return max(0, min(100, limits.maximum, quiet))
  }

  private mutating func clamp() {
    level = min(max(level, limits.minimum, 0), ceiling)
  }
}
