public import Jukebox

/// What the scanner has to tell, in order.
public enum ScanEvent: Equatable, Sendable {
  /// Tracks that were not there before and can be played, by their names at least.
  case found([TrackID])
  case progressed(ScanProgress)
  case finished(ScanProgress)
  /// The medium can't be read any more, or the library not be written.
  case failed(String)
}

/// How far a scan has come.
public struct ScanProgress: Equatable, Sendable {
  /// Files that may be music, new or known.
  public var seen = 0
  /// Files to be looked into, of those seen so far.
  public var unread = 0
  /// Files looked into.
  public var done = 0
  /// Of these, what could not be read or is no music after all.
  public var failed = 0
  public var added = 0
  public var changed = 0
  public var removed = 0
  /// Found again in another place.
  public var moved = 0
  /// Whether the whole tree has been walked, so that the figures above are final but for `done`.
  public var isWalked = false
  public var elapsed = Duration.zero

  public init() {}

  /// Whether the medium is just as it was.
  public var isUnchanged: Bool { added + changed + removed + moved == 0 }
}
