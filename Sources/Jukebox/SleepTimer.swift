/// When the music is to stop by itself.
public enum SleepSetting: Equatable, Sendable {
  case after(Interval)
  case endOfTrack
  case endOfAlbum
  case endOfQueue
}

/// Counts down while the queue plays, fades over the last 30 seconds, and stops the music.
public struct SleepTimer: Equatable {
  public enum Event: Equatable, Sendable {
    case set(SleepSetting?)
    /// The queue began or ceased to be heard.
    case playing(Bool)
    /// What is now known of the end of track, album or queue: nil when it is not this track's.
    case endForeseen(Instant?)
    /// Any press; in the fade it gives more time.
    case pressed
    case timerFired
  }

  enum Outcome: Equatable {
    case none
    /// The press was in the fade, and there is more time now.
    case extended
    /// The time is over.
    case over
  }

  static let fadeLength = Interval.seconds(30)

  public private(set) var setting: SleepSetting?
  private(set) var isPlaying = false
  /// The time left, as of when the count stood still.
  private var left = Interval.zero
  /// When the time is over, while the count runs.
  private(set) var end: Instant?

  mutating func handle(_ event: Event, at now: Instant) -> Outcome {
    switch event {
    case .set(let setting):
      self.setting = setting
      end = nil
      if case .after(let length)? = setting {
        left = length
        if isPlaying { end = now + length }
      }
    case .playing(let isPlaying):
      guard isPlaying != self.isPlaying else { return .none }
      self.isPlaying = isPlaying
      guard case .after? = setting else { return .none }
      if isPlaying {
        end = now + left
      } else if let end {
        left = max(end - now, .zero)
        self.end = nil
      }
    case .endForeseen(let end):
      switch setting {
      case .endOfTrack?, .endOfAlbum?, .endOfQueue?: self.end = end
      case .after?, nil: break
      }
    case .pressed:
      guard fade(at: now) != nil else { return .none }
      switch setting {
      case .after(let length)?:
        end = now + max(length, Self.fadeLength + .minutes(1))
      case .endOfTrack?, .endOfAlbum?, .endOfQueue?:
        setting = .after(.minutes(10))
        end = now + .minutes(10)
      case nil: return .none
      }
      return .extended
    case .timerFired:
      guard case .after? = setting, let end, now >= end else { return .none }
      setting = nil
      self.end = nil
      return .over
    }
    return .none
  }

  /// Whether the music stops at the end of the current track of the lineup.
  func stops(_ lineup: Lineup, _ media: Media) -> Bool {
    switch setting {
    case .endOfTrack?: true
    case .endOfAlbum?: lineup.isLastOfAlbum(media)
    case .endOfQueue?: lineup.isLastOfRound(media)
    case .after?, nil: false
    }
  }

  mutating func finish() {
    setting = nil
    end = nil
  }

  func gain(at now: Instant) -> Decibels { fade(at: now)?.gain(at: now) ?? .unity }

  func deadline(after now: Instant) -> Instant? {
    guard let end, now < end else { return nil }
    return fade(to: end).deadline(after: now)
  }

  private func fade(at now: Instant) -> Fade? {
    guard let end, now >= end - Self.fadeLength else { return nil }
    return fade(to: end)
  }

  private func fade(to end: Instant) -> Fade {
    Fade(from: end - Self.fadeLength, lasting: Self.fadeLength, steps: 120)
  }
}
