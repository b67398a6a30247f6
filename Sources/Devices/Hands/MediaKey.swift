internal import CEvdev
public import Jukebox

/// What keys of keyboards, remotes, headsets and presentation clickers mean.
public enum MediaKey {
  /// By the kernel's names, in linux/input-event-codes.h. A digit plays nothing by itself.
  public static let usual: [(name: String, command: Command)] = [
    ("KEY_PLAYPAUSE", .togglePlayPause), ("KEY_PLAY", .togglePlayPause), ("KEY_PLAYCD", .play),
    ("KEY_PAUSE", .pause), ("KEY_PAUSECD", .pause), ("KEY_STOP", .stop), ("KEY_STOPCD", .stop),
    ("KEY_NEXTSONG", .next), ("KEY_NEXT", .next), ("KEY_PAGEDOWN", .next),
    ("KEY_PREVIOUSSONG", .previous), ("KEY_PREVIOUS", .previous), ("KEY_PAGEUP", .previous),
    ("KEY_VOLUMEUP", .stepVolume(2)), ("KEY_VOLUMEDOWN", .stepVolume(-2)),
    ("KEY_MUTE", .toggleMute), ("KEY_MEDIA", .togglePlayPause), ("KEY_POWER", .shutDown),
    ("KEY_FASTFORWARD", .beginSeekingForward), ("KEY_REWIND", .beginSeekingBackward),
    ("KEY_SHUFFLE", .toggleShuffle), ("KEY_RESTART", .skipToBeginning),
  ]

  /// Nil where the kernel has no such key.
  public static func code(_ name: String) -> UInt16? {
    let code = unsafe cevdev_code(name)
    return code < 0 ? nil : UInt16(code)
  }
}
