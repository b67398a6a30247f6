internal import Audio
internal import Devices
internal import Glibc
internal import Jukebox
internal import Library

extension RunOptions {
  var settingsFiles: [Path] { Configuration.usualFiles.map { Path($0) } + files }
  /// What happens to a file that is written, or that takes another's place, or goes.
  static let settingsEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE

  /// What all settings files say, then what the command line does; and a line for each fault.
  ///
  /// Reads files: on no thread that must not wait, once the loop runs.
  func settings() -> (settings: Configuration, faults: [String]) {
    let files = files.map(\.description)
    let (configuration, faults) = Configuration.load(Configuration.usualFiles + files)
    var settings = configuration
    if let plug { settings.plug = plug }
    if let loudness { settings.loudness = loudness }
    if let rest { settings.rest = rest }
    var lines = faults.map { "\($0)" }
    for file in files where unsafe access(file, F_OK) != 0 && errno == ENOENT {
      lines.append("\(file): there is no such file of settings")
    }
    return (settings, lines)
  }

  /// The ALSA PCM: what the command line names, else the best of the settings' cards that is here.
  func device(_ settings: Configuration) -> String {
    if let device { return device }
    let here = settings.cards.first { unsafe access("/proc/asound/\($0)", F_OK) == 0 }
    guard let card = here ?? settings.cards.first else { return "default" }
    // What HDMI takes are packed frames, which only its own PCM makes.
    return card.hasPrefix("vc4hdmi") ? "hdmi:CARD=\(card)" : "plughw:CARD=\(card)"
  }
}

extension Configuration {
  /// With a panel that the socket and a terminal can touch, where the files name none.
  var withPanel: Configuration {
    guard inputs.isEmpty else { return self }
    typealias Lines = StandardLine
    var settings = self
    var controls = brains.controls
    controls.buttons = [Lines.play, Lines.next, Lines.previous].map { SwitchSettings($0) }
    controls.knobs = [KnobSettings(a: Lines.knobA, b: Lines.knobB)]
    controls.turns = [Turn(knob: Lines.knobA, use: .volume(Lines.volumeSteps))]
    controls.bindings = [
      Binding(.press(Lines.play), .togglePlayPause),
      Binding(.hold(Lines.play, every: nil), .stop),
      Binding(.press(Lines.next), .next),
      Binding(.hold(Lines.next, every: nil), .beginSeekingForward),
      Binding(.holdReleased(Lines.next), .endSeeking),
      Binding(.press(Lines.previous), .previous),
      Binding(.hold(Lines.previous, every: nil), .beginSeekingBackward),
      Binding(.holdReleased(Lines.previous), .endSeeking),
    ]
    settings.brains.controls = controls
    if lights.isEmpty { settings.lights = [LightSettings(.line(Lines.light))] }
    return settings
  }

  /// Lines as the socket knows them; a board's own settings name its pins.
  private enum StandardLine {
    static let play = Line(1)
    static let next = Line(2)
    static let previous = Line(3)
    static let knobA = Line(4)
    static let knobB = Line(5)
    static let light = Line(6)
    /// Levels of volume that a detent is worth.
    static let volumeSteps = 2
  }
}

extension Appliance {
  func takeSettingsFiles() {
    let files = options.settingsFiles
    let events = settingsFolders.takeEvents()
    if events.contains(where: { files.contains($0.path) }) { readSettings() }
  }

  /// Reads the settings anew, on a thread of its own: the files may be on a slow card.
  func readSettings() {
    startThread("settings") { [options, readings] in readings.post(options.settings()) }
  }

  /// What can be changed while music plays takes effect at once; nothing is heard of it.
  func take(_ reading: (settings: Configuration, faults: [String])) {
    for fault in reading.faults { journal.warn(fault) }
    ownSettings = reading.settings
    settleSettings()
    journal.say("the settings have been read again")
  }

  /// A medium brings settings of its own, or takes them with it.
  func carry(_ bytes: [UInt8]?, from root: Path) {
    guard bytes != shelf.carried[root] else { return }
    shelf.carried[root] = bytes
    if let bytes {
      var settings = ownSettings
      let faults = settings.read(bytes, named: Configuration.carried(by: root), from: .stick)
      for fault in faults { journal.warn("\(fault)") }
      journal.say("\(root): has settings of its own, which hold while it is here")
    }
    settleSettings()
  }

  /// Puts the owner's settings and the sticks' together, and has them take effect.
  private func settleSettings() {
    let old = settings
    settings = ownSettings
    if ownSettings.allowsStickSettings {
      for (root, bytes) in shelf.carried.sorted(by: { $0.key.description < $1.key.description }) {
        _ = settings.read(bytes, named: root.description, from: .stick)
      }
    }
    librarian.set(loudness: settings.loudness)
    if settings.folders != old.folders {
      journal.warn("[media] folders take effect at the next start")
    }
    if settings.withPanel.brains != old.withPanel.brains {
      tell(.configured(settings.withPanel.brains))
    }
    if let shuffle = settings.shuffle, shuffle != old.shuffle {
      if old.shuffle == nil { shelf.shuffle = player.lineup.options.shuffle }
      tell(.pressed(.setShuffle(shuffle)))
    } else if settings.shuffle == nil, old.shuffle != nil, let shuffle = shelf.shuffle {
      tell(.pressed(.setShuffle(shuffle)))
    }
    if !isSounding { alarms.set(.rest, at: now + settings.rest) }
    findCard()
    if settings.mixer != old.mixer { openMixer() } else { setVolume() }
    if settings.inputs != old.inputs || settings.outputs != old.outputs
      || settings.chip != old.chip
    {
      openLines()
    }
    if settings.keys != old.keys || settings.grabsKeys != old.grabsKeys { openKeys() }
    if settings.lights != old.lights || settings.patterns != old.patterns { openLights() }
    hands.panel?.lay(settings.withPanel)
  }

  /// Has the output open the card that is wanted now, and look for it where it is missing.
  ///
  /// Where udev tells of cards that come, there is no need to look often.
  func findCard() {
    let device = options.device(settings)
    guard sound.hasCard, device != sound.device else {
      sound.device = device
      return deck.lookForCard(device, every: patience)
    }
    if settings.cardChange == .atOnce || !isSounding { changeCard() }
  }

  /// Goes over to the card that is wanted now, if that is not the one in use.
  func changeCard() {
    let device = options.device(settings)
    guard device != sound.device else { return }
    journal.say("sound goes over from \(sound.device) to \(device)")
    sound.device = device
    deck.change(to: device, every: patience)
    openMixer()
  }

  private var patience: Duration {
    hands.isToldOfCards && options.device == nil ? .seconds(5) : .milliseconds(250)
  }
}
