extension Words {
  mutating func transfer(_ line: inout Line) {
    transfer(&line.number)
  }

  mutating func transfer(_ item: inout ItemID) {
    transfer(&item.number)
  }

  mutating func transfer(_ generation: inout Generation) {
    transfer(&generation.number)
  }

  mutating func transfer(_ track: inout Track) {
    transfer(&track.id.number)
    transfer(&track.medium.number)
    transfer(&track.artist)
    transfer(&track.album)
    transfer(&track.disc)
    transfer(&track.number)
  }

  mutating func transfer(_ tracks: inout [Track]) {
    transfer(list: &tracks, of: Track(id: TrackID(0))) { $0.transfer(&$1) }
  }

  mutating func transfer(_ tags: inout Tags) {
    transfer(&tags.title)
    transfer(&tags.artist)
    transfer(&tags.album)
    transfer(&tags.albumArtist)
    transfer(&tags.composer)
    transfer(&tags.genre)
    transfer(&tags.disc)
    transfer(&tags.number)
    transfer(&tags.year)
    transfer(&tags.picture)
    transfer(&tags.path)
    transfer(optional: &tags.length, or: .zero) { $0.transfer(&$1) }
  }

  mutating func transfer(_ settings: inout Settings) {
    transfer(&settings.restartAfter)
    transfer(&settings.fastAfter)
    transfer(&settings.volume)
    transfer(list: &settings.resume.genres, of: "") { $0.transfer(&$1) }
    transfer(list: &settings.resume.paths, of: "") { $0.transfer(&$1) }
    transfer(optional: &settings.resume.longerThan, or: .zero) { $0.transfer(&$1) }
    transfer(&settings.resume.rewind)
    transfer(&settings.autoplay)
    transfer(&settings.saveEvery)
    transfer(&settings.mediumWait)
    transfer(&settings.category)
    transferRules(&settings.rules)
    transfer(&settings.controls)
  }

  private mutating func transfer(_ limits: inout VolumeLimits) {
    transfer(optional: &limits.start, or: 0) { $0.transfer(&$1) }
    transfer(&limits.minimum)
    transfer(&limits.maximum)
    transfer(optional: &limits.quiet, or: QuietHours(from: 0, to: 0, maximum: 0)) {
      $0.transfer(&$1.from)
      $0.transfer(&$1.to)
      $0.transfer(&$1.maximum)
    }
  }

  private mutating func transferRules(_ rules: inout [Source: SourceRule]) {
    for source in Source.allCases {
      transfer(optional: &rules[source], or: source.usualRule) {
        $0.transfer(&$1.priority)
        $0.transfer(&$1.policy)
        $0.transfer(&$1.resumes)
        $0.transfer(&$1.press)
      }
    }
  }

  private mutating func transfer(_ policy: inout Policy) {
    guard isReading else {
      switch policy {
      case .pause: put("pause")
      case .mix: put("mix")
      case .mute: put("mute")
      case .duck(var gain):
        put("duck")
        transfer(&gain.hundredths)
      }
      return
    }
    switch take() {
    case "pause": policy = .pause
    case "mix": policy = .mix
    case "mute": policy = .mute
    case "duck":
      var gain = Decibels.unity
      transfer(&gain.hundredths)
      policy = .duck(gain)
    default: spoil()
    }
  }

  private mutating func transfer(_ controls: inout Controls) {
    let aSwitch = SwitchSettings(Line(0))
    transfer(list: &controls.buttons, of: aSwitch) { $0.transfer(&$1) }
    transfer(list: &controls.switches, of: aSwitch) { $0.transfer(&$1) }
    transfer(list: &controls.knobs, of: KnobSettings(a: Line(0), b: Line(0))) { $0.transfer(&$1) }
    transfer(list: &controls.bindings, of: Binding(.press(Line(0)), .play)) {
      $0.transfer(&$1.gesture)
      $0.transfer(&$1.command)
    }
    transfer(list: &controls.turns, of: Turn(knob: Line(0), use: .tracks)) {
      $0.transfer(&$1.knob)
      $0.transfer(optional: &$1.held, or: Line(0)) { $0.transfer(&$1) }
      $0.transfer(&$1.use)
    }
    transfer(&controls.times.window)
    transfer(&controls.times.hold)
    transfer(&controls.dead)
    transfer(&controls.stable)
    transfer(&controls.chordWindow)
    transfer(&controls.settling)
  }

  private mutating func transfer(_ settings: inout SwitchSettings) {
    transfer(&settings.line)
    transfer(&settings.isActiveLow)
  }

  private mutating func transfer(_ knob: inout KnobSettings) {
    transfer(&knob.a)
    transfer(&knob.b)
    transfer(optional: &knob.push, or: Line(0)) { $0.transfer(&$1) }
    transfer(&knob.isActiveLow)
    transfer(&knob.encoder.edgesPerDetent)
    transfer(&knob.encoder.isInverted)
    transfer(&knob.encoder.burst)
    transfer(&knob.encoder.turnaround)
    transfer(&knob.encoder.doubt)
  }

  private mutating func transfer(_ use: inout KnobUse) {
    guard isReading else {
      switch use {
      case .tracks: put("tracks")
      case .albums: put("albums")
      case .volume(var levels):
        put("volume")
        transfer(&levels)
      case .seek(var interval):
        put("seek")
        transfer(&interval)
      }
      return
    }
    switch take() {
    case "tracks": use = .tracks
    case "albums": use = .albums
    case "volume":
      var levels = 0
      transfer(&levels)
      use = .volume(levels)
    case "seek":
      var interval = Interval.zero
      transfer(&interval)
      use = .seek(interval)
    default: spoil()
    }
  }

  private mutating func transfer(_ gesture: inout Gesture) {
    var lines: [Line] = []
    var every: Interval?
    var name = ""
    switch gesture {
    case .press(let line): (name, lines) = ("press", [line])
    case .double(let line): (name, lines) = ("double", [line])
    case .triple(let line): (name, lines) = ("triple", [line])
    case .hold(let line, let repeated): (name, lines, every) = ("hold", [line], repeated)
    case .holdReleased(let line): (name, lines) = ("hold-released", [line])
    case .chord(let members): (name, lines) = ("chord", members)
    case .switchedOn(let line): (name, lines) = ("on", [line])
    case .switchedOff(let line): (name, lines) = ("off", [line])
    }
    if isReading { name = take() } else { put(name) }
    transfer(list: &lines, of: Line(0)) { $0.transfer(&$1) }
    transfer(optional: &every, or: .zero) { $0.transfer(&$1) }
    guard isReading else { return }
    guard let line = lines.first else { return spoil() }
    switch name {
    case "press": gesture = .press(line)
    case "double": gesture = .double(line)
    case "triple": gesture = .triple(line)
    case "hold": gesture = .hold(line, every: every)
    case "hold-released": gesture = .holdReleased(line)
    case "chord": gesture = .chord(lines)
    case "on": gesture = .switchedOn(line)
    case "off": gesture = .switchedOff(line)
    default: spoil()
    }
  }
}
