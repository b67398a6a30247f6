public import Jukebox

extension World {
  /// A panel with every gesture on it, and limits on all that has any.
  public static var settings: Settings {
    var settings = Settings()
    settings.volume.minimum = 10
    settings.volume.maximum = 80
    settings.volume.quiet = QuietHours(from: 21 * 60, to: 7 * 60, maximum: 40)
    settings.controls.buttons = (0..<4).map { SwitchSettings(Line($0)) }
    settings.controls.switches = [SwitchSettings(Line(6))]
    settings.controls.knobs = [KnobSettings(a: Line(4), b: Line(5), push: Line(3))]
    settings.controls.bindings = [
      Binding(.press(Line(0)), .togglePlayPause),
      Binding(.press(Line(1)), .next),
      Binding(.hold(Line(1), every: nil), .beginSeekingForward),
      Binding(.holdReleased(Line(1)), .endSeeking),
      Binding(.press(Line(2)), .previous),
      Binding(.double(Line(2)), .toggleShuffle),
      Binding(.triple(Line(2)), .setRepeat(.all)),
      Binding(.press(Line(3)), .toggleMute),
      Binding(.chord([Line(1), Line(2)]), .sleep(.after(.minutes(1)))),
      Binding(.switchedOn(Line(6)), .lineIn(true)),
      Binding(.switchedOff(Line(6)), .lineIn(false)),
    ]
    settings.controls.turns = [
      Turn(knob: Line(4), use: .volume(2)), Turn(knob: Line(4), held: Line(2), use: .tracks),
    ]
    return settings
  }

  /// Limits that bite, and rules other than the usual ones.
  static func settings(_ seed: UInt64) -> Settings {
    var random = Random(seed: seed)
    var settings = settings
    settings.volume.start = random.below(3) > 0 ? random.below(101) : nil
    settings.volume.minimum = random.below(50)
    settings.volume.maximum = 30 + random.below(71)
    let from = random.below(1_440)
    settings.volume.quiet =
      random.below(4) > 0
      ? QuietHours(from: from, to: random.below(1_440), maximum: 5 + random.below(60)) : nil
    settings.autoplay = Autoplay.allCases[random.below(3)]
    settings.category = random.below(3) == 0 ? .ambient : .playback
    for source in [Source.powerLow, .outputGone, .mediumGone, .announcement, .lineIn] {
      guard random.below(4) == 0 else { continue }
      let policies: [Policy] = [.pause, .duck(.decibels(-20)), .mix, .mute]
      settings.rules[source] = SourceRule(
        priority: random.below(100), policy: policies[random.below(4)],
        resumes: random.below(2) == 0, press: PressRule.allCases[random.below(3)])
    }
    return settings
  }
}
