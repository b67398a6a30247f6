/// What a person wants, whichever button, remote or message it came by.
public enum Command: Equatable, Sendable {
  case play
  case pause
  case stop
  case togglePlayPause
  case next
  /// To the start of the track, or early in it to the one before.
  case previous
  case skipToBeginning
  case nextAlbum
  /// To the start of the album, or from there to the one before.
  case previousAlbum
  case beginSeekingForward
  case beginSeekingBackward
  case endSeeking
  case seek(to: Interval)
  case seekBy(Interval)
  case select(ItemID)
  case stepVolume(Int)
  case setVolume(Int)
  case mute(Bool)
  case toggleMute
  case replace([Track])
  case append([Track])
  case insertNext([Track])
  case insert([Track], at: Int)
  case move(ItemID, to: Int)
  case remove(ItemID)
  case clear
  /// Tracks the library is to look for first.
  case enqueue(Selection, Placement)
  case setRepeat(RepeatMode)
  case setShuffle(ShuffleMode)
  case toggleShuffle
  case setSingle(Bool)
  case setConsume(Bool)
  case sleep(SleepSetting?)
  case setCategory(SessionCategory)
  /// The line-in selector.
  case lineIn(Bool)
  case shutDown
}
