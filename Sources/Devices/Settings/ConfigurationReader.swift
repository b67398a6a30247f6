internal import Jukebox

extension Configuration {
  /// Whose file it is.
  public enum Origin: Sendable {
    case owner
    /// From a stick: only what does no harm.
    case stick
  }

  /// Takes in a file; what is wrong is told, and all the rest takes effect.
  public mutating func read(
    _ bytes: [UInt8], named name: String, from origin: Origin = .owner
  ) -> [SettingsFault] {
    let faults = SettingsFaults(file: name)
    guard bytes.count <= SettingsText.limit else {
      faults.add(
        Place(line: 1, column: 1),
        "this is longer than \(SettingsText.limit >> 10) KB, nothing of it takes effect: "
          + "allowed is a file of settings")
      return faults.all
    }
    var text = SettingsText(bytes)
    let start = Place(line: 1, column: 1)
    let file = Section(text.members(faults), at: start, faults)
    if origin == .stick {
      let own = brains.volume
      file.section("volume").map { readVolume($0) }
      // The owner's limits stay: a stick can only be gentler.
      brains.volume.maximum = min(brains.volume.maximum, own.maximum)
      brains.volume.minimum = min(brains.volume.minimum, own.minimum)
      brains.volume.quiet = own.quiet ?? brains.volume.quiet
      file.section("play").map { readStickPlay($0) }
      file.end()
      return faults.all.sorted { $0.place < $1.place }
    }
    file.section("board").map { readBoard($0) }
    file.section("sound").map { readSound($0) }
    file.section("volume").map { readVolume($0) }
    file.section("play").map { readPlay($0) }
    file.section("resume").map { readResume($0) }
    file.section("media").map { readMedia($0) }
    file.section("times").map { readTimes($0) }
    file.section("interruption").map { readInterruptions($0) }
    readPanel(file)
    file.section("patterns").map { readPatterns($0) }
    file.section("keys").map { readKeys($0) }
    file.end()
    return faults.all.sorted { $0.place < $1.place }
  }

  private mutating func readBoard(_ section: Section) {
    set(&chip, section.text("chip"))
    section.end()
  }

  private mutating func readSound(_ section: Section) {
    set(&cards, section.texts("cards"))
    set(&cardChange, section.choice("change"))
    set(&mixer, section.text("mixer"))
    set(&offset, section.decibels("offset", -60...12))
    set(&loudness, section.choice("replaygain"))
    set(&rest, section.interval("rest", .seconds(1)...(.minutes(24 * 60))))
    set(&rise, section.interval("rise", .zero...(.seconds(30))))
    set(&fall, section.interval("fall", .zero...(.milliseconds(900))))
    section.end()
  }

  private mutating func readVolume(_ section: Section) {
    set(&brains.volume.start, section.number("start", 0...100))
    set(&safeLevel, section.number("safe", 0...100))
    set(&brains.volume.minimum, section.number("minimum", 0...100))
    set(&brains.volume.maximum, section.number("maximum", 0...100))
    if let quiet = section.section("quiet") {
      let (from, to) = (quiet.timeOfDay("from"), quiet.timeOfDay("to"))
      let maximum = quiet.number("maximum", 0...100)
      if let from, let to, let maximum {
        brains.volume.quiet = QuietHours(from: from, to: to, maximum: maximum)
      } else if !["from", "to", "maximum"].allSatisfy({ quiet.has($0) }) {
        quiet.complain(
          quiet.place, "quiet hours are not whole: allowed are from, to and maximum together")
      }
      quiet.end()
    }
    section.end()
    if brains.volume.minimum > brains.volume.maximum {
      section.complain(
        section.place(of: "minimum"),
        "minimum is \(brains.volume.minimum): allowed is at most the maximum, "
          + "\(brains.volume.maximum)")
      brains.volume.minimum = 0
    }
  }

  private mutating func readPlay(_ section: Section) {
    set(
      &brains.autoplay,
      section.choice(
        "autoplay", [("as-before", .asBefore), ("always", .always), ("never", .never)]))
    set(&plug, section.choice("on-plug"))
    set(&shuffle, section.choice("shuffle", Self.shuffles))
    set(&brains.restartAfter, section.interval("restart-after", .zero...(.minutes(60))))
    set(&brains.fastAfter, section.interval("fast-after", .zero...(.minutes(1))))
    set(&brains.saveEvery, section.interval("save-every", .seconds(1)...(.minutes(60))))
    set(&brains.mediumWait, section.interval("wait-for-medium", .zero...(.minutes(10))))
    set(&brains.category, section.choice("category", Actions.categories.map { ($0, $1) }))
    section.end()
  }

  private mutating func readStickPlay(_ section: Section) {
    set(&plug, section.choice("on-plug"))
    set(&shuffle, section.choice("shuffle", Self.shuffles))
    section.end()
  }

  private mutating func readResume(_ section: Section) {
    set(&brains.resume.genres, section.texts("genres"))
    set(&brains.resume.paths, section.texts("paths"))
    set(
      &brains.resume.longerThan, section.interval("longer-than", .minutes(1)...(.minutes(6000))))
    set(&brains.resume.rewind, section.interval("rewind", .zero...(.minutes(10))))
    section.end()
  }

  private mutating func readMedia(_ section: Section) {
    set(&folders, section.texts("folders"))
    set(&allowsStickSettings, section.flag("settings-from-sticks"))
    section.end()
  }

  private mutating func readTimes(_ section: Section) {
    let short = Interval.milliseconds(1)...Interval.seconds(5)
    set(&brains.controls.times.hold, section.interval("hold", short))
    set(&brains.controls.times.window, section.interval("double", short))
    set(&brains.controls.dead, section.interval("dead", short))
    set(&brains.controls.stable, section.interval("stable", short))
    set(&brains.controls.chordWindow, section.interval("chord", short))
    set(&brains.controls.settling, section.interval("settling", short))
    section.end()
  }

  private mutating func readInterruptions(_ section: Section) {
    for (name, source) in Self.sources {
      guard let section = section.section(name) else { continue }
      var rule = brains.rules[source] ?? source.usualRule
      set(&rule.priority, section.number("priority", 0...100))
      let depth = section.decibels("by", -60...0)
      set(
        &rule.policy,
        section.choice(
          "does",
          [
            ("pause", .pause), ("mix", .mix), ("mute", .mute),
            ("duck", .duck(depth ?? .decibels(-15))),
          ]))
      if let depth, case .duck = rule.policy { rule.policy = .duck(depth) }
      set(&rule.resumes, section.flag("resumes"))
      set(
        &rule.press,
        section.choice(
          "press", [("waits", .waits), ("gives-way", .givesWay), ("dismissed", .dismissed)]))
      section.end()
      brains.rules[source] = rule
    }
    section.end()
  }

  private mutating func readKeys(_ section: Section) {
    set(&grabsKeys, section.flag("grab"))
    for name in section.keys where name != "grab" {
      guard MediaKey.code(name) != nil else {
        section.passOver(
          name, allowed: "are grab and the kernel's names, such as KEY_PLAYPAUSE",
          nearest: MediaKey.usual.map(\.name))
        continue
      }
      if let command = section.action(name) { keys[name] = command }
    }
    section.end()
  }

  private mutating func readPatterns(_ section: Section) {
    for topic in LightSettings.Topic.allCases where topic != .state {
      guard let value = section.value(topic.rawValue) else { continue }
      if case .string(let text) = value.content, let pattern = LightPattern(text) {
        patterns[topic] = pattern
      } else {
        section.refuse(topic.rawValue, allowed: LightPattern.allowed)
      }
    }
    section.end()
  }

  private static let shuffles: [(name: String, choice: ShuffleMode)] = [
    ("off", .off), ("songs", .songs), ("albums", .albums),
  ]

  private static let sources: [(name: String, source: Source)] = [
    ("line-in", .lineIn), ("announcement", .announcement), ("recording", .recording),
    ("alarm", .alarm), ("contact", .contact), ("medium-gone", .mediumGone),
    ("output-gone", .outputGone), ("power-low", .powerLow),
  ]
}

/// Leaves the value where the file says none.
func set<Value>(_ value: inout Value, _ found: Value?) {
  if let found { value = found }
}

func set<Value>(_ value: inout Value?, _ found: Value?) {
  if let found { value = found }
}

extension Section {
  /// Minutes since midnight, from "22:30".
  fileprivate func timeOfDay(_ key: String) -> Int? {
    guard let value = value(key) else { return nil }
    if case .string(let text) = value.content {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
      if parts.count == 2, let hour = parts[0], let minute = parts[1], 0..<24 ~= hour,
        0..<60 ~= minute
      {
        return hour * 60 + minute
      }
    }
    refuse(key, allowed: "are times of the day in quotes, \"00:00\" to \"23:59\"")
    return nil
  }
}
