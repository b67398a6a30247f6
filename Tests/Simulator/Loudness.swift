internal import Jukebox

/// How loud the queue may be, by the settings and the time of day.
struct Loudness {
  var limits = VolumeLimits()
  private var clock: (minute: Int, at: Instant)?
  private var gain: Decibels?

  mutating func clockSet(_ minute: Int, at now: Instant) { clock = (minute, now) }

  /// The minute of the day, if it was ever told.
  func minute(at now: Instant) -> Int? {
    clock.map { clock in
      let passed = (now - clock.at).nanoseconds / Interval.minutes(1).nanoseconds
      return Int((Int64(clock.minute) + passed) % 1_440)
    }
  }

  func clamped(_ level: Int, at now: Instant) -> Int {
    let ceiling = ceiling(at: now)
    return min(max(level, limits.minimum), ceiling)
  }

  private func ceiling(at now: Instant) -> Int {
    guard let quiet = limits.quiet, let minute = minute(at: now) else { return limits.maximum }
    let isQuiet = (minute - quiet.from + 1_440) % 1_440 < (quiet.to - quiet.from + 1_440) % 1_440
    return isQuiet ? min(limits.maximum, quiet.maximum) : limits.maximum
  }

  /// - Returns: the rule that is broken, if one is.
  mutating func after(
    _ effects: [Effect], _ player: Player, isRunning: Bool, at now: Instant
  ) -> String? {
    for case .setGain(let gain) in effects { self.gain = gain }
    guard player.volume.level == clamped(player.volume.level, at: now) else {
      return "volume \(player.volume.level) out of its limits"
    }
    guard isRunning else { return nil }
    guard let gain else { return "plays though no gain was told" }
    let most = player.volume.level == 0 ? Int.min : (player.volume.level - 100) * 50
    let isSilent = gain == .silence
    if player.volume.isMuted, !isSilent { return "muted, but heard" }
    return isSilent || gain.hundredths <= most ? nil : "louder than its volume"
  }
}
