/// A number that grows by one with each load: reports of an older one are of the past.
///
/// It counts from 1 in each life of the player, which `started` begins with a deck that plays nothing.
public struct Generation: Hashable, Comparable, Sendable {
  public var number: UInt32

  public init(_ number: UInt32) {
    self.number = number
  }

  public static func < (left: Generation, right: Generation) -> Bool {
    left.number < right.number
  }
}

/// Why a track could not be played, or not to its end.
public enum Fault: Equatable, Sendable {
  case mediumGone
  case unreadable
  case unsupported
  case damaged
  /// Anything else, in the words of who met it.
  case other(String)
}

/// Something that has happened.
public enum Event: Equatable, Sendable {
  case configured(Settings)
  /// A new life begins, with what was saved last time, or empty bytes where nothing was; `seed`
  /// starts shuffle where nothing was saved.
  case started(state: [UInt8], queue: [UInt8], seed: UInt64)
  case edge(Line, isHigh: Bool)
  case level(Line, isHigh: Bool)
  case pressed(Command)
  case found([Track], Placement)
  case timerFired

  case opened(ItemID, Generation, Tags)
  /// The first frame of the item was heard; after a load, or without a gap after the item before.
  case trackStarted(ItemID, Generation)
  case progressed(ItemID, Generation, Interval)
  /// The item, or the one that is to follow it, can't be played, or not to its end. What there is of
  /// it plays on; then comes `trackStarted` of what follows, or `ended`.
  case failed(ItemID, Generation, Fault)
  /// The last frame was heard and nothing follows. `progressed` with the place of that frame comes just
  /// before, so that a track whose medium is gone goes on at the very frame later on.
  case ended(Generation)
  case outputLost
  case outputReady

  case mediumAdded(MediumID)
  case mediumRemoved(MediumID)
  case scanFinished(MediumID)

  case interruptionBegan(Source)
  case interruptionEnded(Source, resumes: Bool?)
  case power(PowerEvent)
  /// The local time of day, in minutes since midnight.
  case clockSet(minute: Int)
}
