public import Jukebox

/// Something that the simulated world does; any list of steps makes sense, so that steps can be left out.
public enum Step: Equatable, Sendable {
  case wait(milliseconds: Int)
  /// A press of a button, with the bounce that comes of the seed.
  case press(button: Int, milliseconds: Int, seed: UInt64)
  case turn(right: Bool, detents: Int, seed: UInt64)
  case flipLineIn(Bool)
  case command(Command)
  case selectPlace(Int)
  case movePlace(Int, to: Int)
  case removePlace(Int)
  case add(count: Int, asNext: Bool, seed: UInt64)
  case replace(count: Int, seed: UInt64)
  case medium(Int, isThere: Bool)
  case output(isThere: Bool)
  case interruption(Source, begins: Bool)
  case power(PowerEvent)
  case clock(minute: Int)
  case suspend(minutes: Int)
  case restart
  /// A restart with other settings.
  case reconfigure(seed: UInt64)
  /// The board goes dark at once, and starts with what was written last.
  case powerCut

  /// A step drawn at random.
  public init(_ random: inout Random) {
    switch random.below(100) {
    case 0..<30: self = .wait(milliseconds: 1 << random.below(19))
    case 30..<42:
      self = .press(
        button: random.below(4), milliseconds: 30 + random.below(1_500), seed: random.next())
    case 42..<48:
      self = .turn(
        right: random.below(2) == 0, detents: 1 + random.below(6), seed: random.next())
    case 48..<50: self = .flipLineIn(random.below(2) == 0)
    case 50..<68: self = .command(Self.command(&random))
    case 68..<70: self = .selectPlace(random.below(64))
    case 70..<72: self = .movePlace(random.below(64), to: random.below(64))
    case 72..<75: self = .removePlace(random.below(64))
    case 75..<79:
      self = .add(
        count: 1 + random.below(random.below(20) == 0 ? 80 : 4), asNext: random.below(2) == 0,
        seed: random.next())
    case 79: self = .replace(count: random.below(30), seed: random.next())
    case 80..<85: self = .medium(random.below(3), isThere: random.below(3) > 0)
    case 85..<87: self = .output(isThere: random.below(2) == 0)
    case 87..<94:
      let sources = [Source.announcement, .recording, .alarm, .contact]
      self = .interruption(sources[random.below(4)], begins: random.below(2) == 0)
    case 94..<96: self = .power(Self.power(&random))
    case 96: self = .clock(minute: random.below(1_440))
    case 97:
      self = .suspend(minutes: random.below(random.below(8) == 0 ? 5_000_000 : 3_000))
    case 98: self = .restart
    default:
      self = random.below(2) == 0 ? .reconfigure(seed: random.next()) : .powerCut
    }
  }

  private static func power(_ random: inout Random) -> PowerEvent {
    let events: [PowerEvent] = [
      .onBattery, .onMains, .onMains, .lowBattery, .undervoltage, .thermalLimit, .recovered,
      .sleepRequested, .resumed, .resumed, .failing, .resumed, .shutdownRequested,
    ]
    return events[random.below(events.count)]
  }

  private static func command(_ random: inout Random) -> Command {
    switch random.below(32) {
    case 0..<4: .play
    case 4: .pause
    case 5: .stop
    case 6..<8: .togglePlayPause
    case 8..<11: .next
    case 11..<13: .previous
    case 13: [.skipToBeginning, .nextAlbum, .previousAlbum][random.below(3)]
    case 14: .beginSeekingForward
    case 15: .beginSeekingBackward
    case 16: .endSeeking
    case 17: .seek(to: .milliseconds(Int64(random.below(300_000))))
    case 18: .seekBy(.seconds(Int64(random.below(40) - 20)))
    case 19: .stepVolume(random.below(41) - 20)
    case 20: .setVolume(random.below(140) - 20)
    case 21: .toggleMute
    case 22: random.below(20) == 0 ? .clear : .mute(false)
    case 23, 24: .setRepeat([.none, .one, .all, .all][random.below(4)])
    case 25, 26: .setShuffle([.off, .songs, .albums][random.below(3)])
    case 27: .setSingle(random.below(4) == 0)
    case 28: .setConsume(random.below(4) == 0)
    case 29:
      .sleep(
        [nil, .after(.minutes(1)), .endOfTrack, .endOfAlbum, .endOfQueue][random.below(5)])
    case 30:
      .setCategory(
        random.below(2) == 0
          ? .playback : SessionCategory.allCases[random.below(SessionCategory.allCases.count)])
    default: .toggleShuffle
    }
  }
}
