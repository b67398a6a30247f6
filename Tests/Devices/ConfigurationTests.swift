import Jukebox
import Testing

@testable import Devices

struct ConfigurationTests {
  private func read(_ texts: String...) -> Configuration {
    var configuration = Configuration()
    for (index, text) in texts.enumerated() {
      let faults = configuration.read(Array(text.utf8), named: "\(index)")
      #expect(faults == [])
    }
    return configuration
  }

  @Test func `a panel becomes the brains' controls`() {
    let configuration = read(
      """
      [board]
      chip = "pinctrl-bcm2711"

      [[button]]
      pin = 17
      press = "play-pause"
      hold = "power-off"

      [[button]]
      pin = 27
      active = "high"
      press = "next"
      hold = "seek-forward"

      [[switch]]
      pin = 16
      on = "line-in-on"
      off = "line-in-off"

      [[knob]]
      pins = [5, 6]
      push = 13
      turn = "volume"
      push-turn = "browse-albums"
      press = "mute"
      detent = 2
      inverted = true

      [[chord]]
      pins = [17, 27]
      press = "clear"

      [[light]]
      pin = 22
      shows = "state"

      [[light]]
      led = "ACT"
      shows = "scanning"
      active = "low"

      [amplifier]
      pin = 26
      """)
    let (play, next, push) = (Line(17), Line(27), Line(13))
    #expect(configuration.chip == "pinctrl-bcm2711")
    let controls = configuration.brains.controls
    #expect(
      controls.buttons == [
        SwitchSettings(play), SwitchSettings(next, isActiveLow: false), SwitchSettings(push),
      ])
    #expect(controls.switches == [SwitchSettings(Line(16))])
    var knob = KnobSettings(a: Line(5), b: Line(6), push: push)
    knob.encoder.edgesPerDetent = 2
    knob.encoder.isInverted = true
    #expect(controls.knobs == [knob])
    #expect(
      controls.turns == [
        Turn(knob: Line(5), use: .volume(2)),
        Turn(knob: Line(5), held: push, use: .albums),
      ])
    #expect(
      controls.bindings == [
        Binding(.press(play), .togglePlayPause), Binding(.hold(play, every: nil), .shutDown),
        Binding(.press(next), .next), Binding(.hold(next, every: nil), .beginSeekingForward),
        Binding(.holdReleased(next), .endSeeking),
        Binding(.switchedOn(Line(16)), .lineIn(true)),
        Binding(.switchedOff(Line(16)), .lineIn(false)), Binding(.press(push), .toggleMute),
        Binding(.chord([play, next]), .clear),
      ])
    #expect(
      configuration.inputs == [
        GPIO.Input(play), GPIO.Input(next, pull: .down), GPIO.Input(push), GPIO.Input(Line(16)),
        GPIO.Input(Line(5)), GPIO.Input(Line(6)),
      ])
    #expect(configuration.outputs == [Line(22), Line(26)])
    #expect(
      configuration.lights == [
        LightSettings(.line(Line(22))),
        LightSettings(.led("ACT"), shows: .scanning, isActiveLow: true),
      ])
  }

  @Test func `all else has a key`() {
    let configuration = read(
      """
      [sound]
      cards = ["DAC", "Headphones"]
      change = "at-once"
      mixer = "Digital"
      offset = -4.5
      replaygain = "album"
      rest = "10 min"
      rise = "1 s"
      fall = "250 ms"
      [volume]
      start = 40
      safe = 60
      minimum = 5
      maximum = 90
      quiet = { from = "22:30", to = "07:00", maximum = 30 }
      [play]
      autoplay = "always"
      on-plug = "shuffle"
      shuffle = "albums"
      restart-after = "3 s"
      fast-after = "1.5 s"
      save-every = "2 s"
      wait-for-medium = "1 min"
      category = "ambient"
      [resume]
      genres = ["Podcast"]
      paths = ["/Books/"]
      longer-than = "20 min"
      rewind = "0 s"
      [media]
      folders = ["/mnt/music"]
      settings-from-sticks = true
      [times]
      hold = "1 s"
      double = "250 ms"
      [interruption.announcement]
      does = "duck"
      by = -20
      resumes = false
      press = "gives-way"
      priority = 75
      [keys]
      grab = true
      KEY_F1 = "play-playlist Morning Coffee"
      [patterns]
      playing = "dim"
      no-music = "code .-/-"
      """)
    #expect(
      configuration.patterns == [.playing: .steady(10), .noMusic: .code(".-/-")])
    #expect(configuration.cards == ["DAC", "Headphones"])
    #expect(configuration.cardChange == .atOnce)
    #expect(configuration.mixer == "Digital")
    #expect(configuration.offset == Decibels(hundredths: -450))
    #expect(configuration.loudness == .album)
    #expect(configuration.rest == .minutes(10))
    #expect(configuration.rise == .seconds(1) && configuration.fall == .milliseconds(250))
    let brains = configuration.brains
    #expect(brains.volume.start == 40 && configuration.safeLevel == 60)
    #expect(brains.volume.minimum == 5 && brains.volume.maximum == 90)
    #expect(brains.volume.quiet == QuietHours(from: 1350, to: 420, maximum: 30))
    #expect(brains.autoplay == .always && configuration.plug == .shuffle)
    #expect(configuration.shuffle == .albums)
    #expect(brains.restartAfter == .seconds(3) && brains.fastAfter == .milliseconds(1500))
    #expect(brains.saveEvery == .seconds(2) && brains.mediumWait == .minutes(1))
    #expect(brains.category == .ambient)
    #expect(brains.resume.genres == ["Podcast"] && brains.resume.paths == ["/Books/"])
    #expect(brains.resume.longerThan == .minutes(20) && brains.resume.rewind == .zero)
    #expect(configuration.folders == ["/mnt/music"] && configuration.allowsStickSettings)
    #expect(brains.controls.times.hold == .seconds(1))
    #expect(brains.controls.times.window == .milliseconds(250))
    #expect(
      brains.rules == [
        .announcement: SourceRule(
          priority: 75, policy: .duck(.decibels(-20)), resumes: false, press: .givesWay)
      ])
    #expect(configuration.grabsKeys)
    #expect(
      configuration.keys == ["KEY_F1": .enqueue(.playlist("Morning Coffee"), .replace)])
  }

  @Test func `a later file overrules, pin by pin and key by key`() {
    let configuration = read(
      """
      [[button]]
      pin = 17
      press = "stop"
      hold = "power-off"
      [[knob]]
      pins = [5, 6]
      push = 13
      turn = "volume"
      press = "mute"
      [[light]]
      pin = 22
      [volume]
      start = 10
      maximum = 80
      """,
      """
      [[button]]
      pin = 17
      press = "next"
      [[button]]
      pin = 6
      press = "previous"
      [[button]]
      pin = 22
      press = "play"
      [volume]
      maximum = 70
      """)
    let controls = configuration.brains.controls
    #expect(controls.buttons.map(\.line) == [Line(13), Line(17), Line(6), Line(22)])
    #expect(controls.knobs == [] && controls.turns == [] && configuration.lights == [])
    #expect(
      controls.bindings == [
        Binding(.press(Line(13)), .toggleMute), Binding(.press(Line(17)), .next),
        Binding(.press(Line(6)), .previous), Binding(.press(Line(22)), .play),
      ])
    #expect(configuration.brains.volume.start == 10)
    #expect(configuration.brains.volume.maximum == 70)
  }

  @Test func `a stick may carry what does no harm, and nothing else`() {
    var configuration = Configuration()
    let text = """
      [volume]
      maximum = 50
      [play]
      on-plug = "start"
      autoplay = "always"
      [[button]]
      pin = 4
      press = "power-off"
      """
    let faults = configuration.read(Array(text.utf8), named: "stick", from: .stick)
    #expect(faults.map(\.place.line) == [5, 6])
    #expect(configuration.brains.volume.maximum == 50)
    #expect(configuration.plug == .start)
    #expect(configuration.brains.autoplay == .asBefore)
    #expect(configuration.brains.controls == Controls())
  }

  @Test func `each name of an action means one thing`() {
    let arguments = ["": "", "n": " 3", "t": " 10 s", "w": " Some Name", "a": " Title / Artist"]
    for name in Actions.names {
      let meanings = arguments.values.compactMap { Actions.command(name + $0) }
      #expect(!meanings.isEmpty, "\(name)")
    }
    #expect(Set(Actions.names).count == Actions.names.count)
    #expect(
      Actions.command("play-album Blue Train / John Coltrane")
        == .enqueue(.album("Blue Train", artist: "John Coltrane"), .replace))
    #expect(Actions.command("seek-by -10 s") == .seekBy(.seconds(-10)))
    #expect(Actions.command("sleep 30 min") == .sleep(.after(.minutes(30))))
    #expect(Actions.command("volume-down") == .stepVolume(-2))
    #expect(Actions.command("volume-up 7") == .stepVolume(7))
  }

  @Test func `what a name means has that name`() {
    let arguments = ["", " 3", " 10 s", " Some Name", " Title / Artist"]
    for name in Actions.names {
      for argument in arguments {
        guard let command = Actions.command(name + argument) else { continue }
        let back = Actions.name(of: command)
        #expect(back.flatMap { Actions.command($0) } == command)
      }
    }
    #expect(Actions.name(of: .select(ItemID(3))) == nil)
  }

  @Test(arguments: [
    "generic", "virtual", "raspberry-pi-zero-2-w", "raspberry-pi-3", "raspberry-pi-4",
    "raspberry-pi-5",
  ]) func `the board's own file is right`(name: String) throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let (configuration, faults) = Configuration.load(["/\(root)/board/\(name).toml"])
    #expect(faults == [])
    #expect((configuration.chip == nil) == (name == "generic"))
    #expect(configuration.brains.controls.buttons.count == (name == "generic" ? 0 : 4))
  }

  @Test func `other chips have other pins`() {
    let configuration = read(
      "[board]\nchip = \"gpio-sim\"\n[[button]]\npin = 300\npress = \"play\"\n")
    #expect(configuration.brains.controls.buttons == [SwitchSettings(Line(300))])
  }
}
