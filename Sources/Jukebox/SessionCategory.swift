/// How the queue stands towards all other sound.
///
/// | category | other sources while the queue plays | the queue while another source sounds |
/// |---|---|---|
/// | ambient | untouched | plays on, whatever the source's policy |
/// | soloAmbient | silent, unless they pause the queue | paused by every source that is heard |
/// | playback | untouched | as the source's policy says |
/// | record | untouched | paused as long as the category lasts |
/// | playAndRecord | 12 dB lower | as the policy says, but a recording doesn't pause it |
/// | processing | silent | paused as long as the category lasts |
/// | multiRoute | untouched, on outputs of their own | plays on, whatever the source's policy |
///
/// A lost output, a lost medium and low power pause the queue in every category.
public enum SessionCategory: UInt8, CaseIterable, Equatable, Sendable {
  case ambient
  case soloAmbient
  case playback
  case record
  case playAndRecord
  case processing
  case multiRoute

  /// Whether the queue may be heard at all.
  var allowsQueue: Bool {
    switch self {
    case .ambient, .soloAmbient, .playback, .playAndRecord, .multiRoute: true
    case .record, .processing: false
    }
  }

  /// What a source does to the queue, where `policy` is what its rule says.
  func policy(of source: Source, _ policy: Policy) -> Policy {
    switch source {
    case .mediumGone, .outputGone, .powerLow: return policy
    case .recording:
      switch self {
      case .ambient, .playAndRecord, .multiRoute: return .mix
      case .soloAmbient, .playback, .record, .processing: return policy
      }
    case .lineIn, .announcement, .alarm, .contact:
      switch self {
      case .ambient, .multiRoute: return .mix
      case .soloAmbient: return .pause
      case .playback, .record, .playAndRecord, .processing: return policy
      }
    }
  }

  /// What the queue does to other sources while it plays.
  var towardsOthers: Policy {
    switch self {
    case .ambient, .playback, .record, .multiRoute: .mix
    case .soloAmbient, .processing: .mute
    case .playAndRecord: .duck(.decibels(-12))
    }
  }
}
