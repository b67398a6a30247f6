/// Why a track is no longer playing.
public enum Finish: Equatable, Sendable {
  case ended
  case failed(Fault)
  case skipped
  case mediumRemoved
}

/// What the status light tells.
public enum Light: UInt8, CaseIterable, Equatable, Sendable {
  case off
  /// Ready, and nothing plays.
  case dim
  case steady
  case breathing
  case blinking
}

/// Each is sent once for each real change.
public enum Notification: Equatable, Sendable {
  case stateChanged(PlaybackState)
  case nowPlayingChanged(ItemID?)
  case volumeChanged(level: Int, isMuted: Bool)
  case queueChanged(version: UInt32)
  case optionsChanged(Options)
}

/// Something the owner or the journal should know.
public enum Report: Equatable, Sendable {
  /// Every track of the queue that is here has failed.
  case nothingPlays
  /// What was saved is damaged; so many sections were lost.
  case salvaged(lostSections: Int)
}

/// Something to do, in this order.
public enum Effect: Equatable, Sendable {
  /// Play the track from there; the sound of before fades into it.
  case load(Item, from: Interval, Generation)
  /// What plays without a gap after the item now loaded, nil for nothing. Told anew after each load and
  /// each track that starts.
  case follow(Item?)
  /// With nothing loaded: what the next load will ask for, so that it can be opened ahead.
  case prepare(Item?)
  case pause
  case resume
  case stop
  /// The level of the queue: volume, ducking and fades together.
  case setGain(Decibels)
  case setSourceGain(Source, Decibels)
  /// The user has silenced the source: let it end.
  case dismiss(Source)

  case finished(Item, Finish)
  case notify(Notification)
  case report(Report)

  case find(Selection, Placement)
  case scan(MediumID)
  case saveState([UInt8])
  case saveQueue([UInt8])
  /// Send `timerFired` then; the last one asked for counts.
  case wake(at: Instant)
  case light(Light)

  case releaseMedia
  case sleep
  /// Don't start again by yourself after this.
  case stayOff
  case shutDown
}
