/// The states of a music player.
public enum PlaybackState: UInt8, CaseIterable, Equatable, Sendable {
  case stopped
  case playing
  case paused
  /// Meant to be playing, but something else is in the way.
  case interrupted
  case seekingForward
  case seekingBackward
}

/// What a display shows.
public struct NowPlaying: Equatable, Sendable {
  public var item: ItemID
  public var track: Track
  /// Empty until the track has been opened.
  public var tags: Tags
  public var position: Interval
  /// 0 when nothing moves, 1 in normal playing; seeking is faster, and negative when backward.
  public var rate: Int
  public var state: PlaybackState
  /// From 0, of `queueCount`.
  public var queueIndex: Int
  public var queueCount: Int
}
