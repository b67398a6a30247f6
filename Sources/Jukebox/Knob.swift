/// An encoder with a use for its detents.
struct Knob: Equatable {
  let settings: KnobSettings
  let settling: Interval
  private(set) var encoder: Encoder
  private var lastDetent: Instant?
  private var lastStep = 0
  private var shaken: Instant?

  init(_ settings: KnobSettings, settling: Interval) {
    self.settings = settings
    self.settling = settling
    encoder = Encoder(settings.encoder)
  }

  /// The push switch was pressed or released.
  mutating func shake(at now: Instant) {
    shaken = now
  }

  /// - Returns: the detent's direction, 0 for none, and how many it counts for by its speed.
  mutating func handle(_ event: Encoder.Event, at now: Instant) -> (step: Int, speed: Int) {
    let step = encoder.handle(event, at: now)
    guard step != 0 else { return (0, 0) }
    if let shaken, now - shaken < settling { return (0, 0) }
    let speed =
      step == lastStep ? lastDetent.map { Self.speed(detentsApart: now - $0) } ?? 1 : 1
    lastDetent = now
    lastStep = step
    return (step, speed)
  }

  /// How many detents one counts for: 1 in slow turning, up to 6 in a quick twist.
  static func speed(detentsApart gap: Interval) -> Int {
    switch gap.milliseconds {
    case ..<15: 6
    case ..<25: 4
    case ..<40: 3
    case ..<70: 2
    default: 1
    }
  }
}
