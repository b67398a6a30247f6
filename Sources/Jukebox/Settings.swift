/// Whether music plays by itself at the start.
public enum Autoplay: UInt8, CaseIterable, Equatable, Sendable {
  case asBefore
  case always
  case never
}

/// All that the owner may decide about the brains.
public struct Settings: Equatable, Sendable {
  /// How far into a track "previous" restarts it.
  public var restartAfter = Interval.seconds(5)
  /// How long seeking is held before it gets faster.
  public var fastAfter = Interval.seconds(3)
  public var volume = VolumeLimits()
  public var resume = ResumeRule()
  public var autoplay = Autoplay.asBefore
  public var saveEvery = Interval.seconds(5)
  /// How long the start waits for the medium of the item that was playing.
  public var mediumWait = Interval.seconds(15)
  public var category = SessionCategory.playback
  /// Rules that differ from the usual ones.
  public var rules: [Source: SourceRule] = [:]
  public var controls = Controls()

  public init() {}
}
