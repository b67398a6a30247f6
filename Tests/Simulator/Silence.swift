internal import Jukebox

/// Whether the queue must be silent, told from what happened in the world.
struct Silence {
  var rules: [Source: SourceRule] = [:]
  var category = SessionCategory.playback
  private(set) var sources: [Source] = []
  private var isFailing = false
  private var low: Instant?
  /// When the board was asked to sleep or to shut down.
  private var leaving: Instant?
  private var isShutdown = false

  mutating func source(_ source: Source, begins: Bool) {
    sources.removeAll { $0 == source }
    if begins { sources.append(source) }
  }

  mutating func power(_ event: PowerEvent, at now: Instant) {
    switch event {
    case .failing:
      isFailing = true
      notLow()
      leaving = nil
      isShutdown = false
    case .onMains:
      isFailing = false
      notLow()
    case .resumed:
      isFailing = false
      notLow()
      if !isShutdown { leaving = nil }
    case .lowBattery:
      guard !isFailing, leaving == nil, low == nil else { return }
      low = now
      source(.powerLow, begins: true)
    case .shutdownRequested, .sleepRequested:
      if low != nil { leaving = now - .seconds(1) }
      notLow()
      if !isFailing { leaving = leaving ?? now }
      isShutdown = isShutdown || event == .shutdownRequested
    case .onBattery, .undervoltage, .thermalLimit, .recovered: break
    }
  }

  private mutating func notLow() {
    low = nil
    source(.powerLow, begins: false)
  }

  func isDue(at now: Instant) -> Bool {
    if isFailing || category == .record || category == .processing { return true }
    if let leaving, now >= leaving + .seconds(1) { return true }
    if let low, now >= low + .minutes(1) { return true }
    return sources.contains { pauses($0) }
  }

  /// By the table of `SessionCategory`.
  func pauses(_ source: Source) -> Bool {
    let usual = source != .announcement
    let rule = rules[source].map { $0.policy == .pause } ?? usual
    switch (source, category) {
    case (.mediumGone, _), (.outputGone, _), (.powerLow, _): return rule
    case (_, .ambient), (_, .multiRoute), (.recording, .playAndRecord): return false
    case (.recording, _): return rule
    case (_, .soloAmbient): return true
    default: return rule
    }
  }
}
