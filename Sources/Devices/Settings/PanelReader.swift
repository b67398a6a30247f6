internal import Jukebox

extension Configuration {
  /// The pins that one file has named, and by what.
  private struct Pins {
    var allowed: ClosedRange<Int>
    var taken: [Int: String] = [:]

    /// Of a number, as a line; nil where it can't be.
    mutating func claim(_ value: TOMLValue?, as key: String, by what: String, in section: Section)
      -> Line?
    {
      guard let value else { return nil }
      guard case .integer(let number) = value.content, allowed.contains(Int(clamping: number))
      else {
        section.refuse(
          value, as: key,
          allowed: "are GPIO numbers from \(allowed.lowerBound) to \(allowed.upperBound)")
        return nil
      }
      if let other = taken[Int(number)] {
        section.complain(
          value.place, "\(key) is \(number), which \(other) has: allowed is a pin of its own")
        return nil
      }
      taken[Int(number)] = "\(what) in line \(section.place.line)"
      return Line(UInt16(number))
    }

    /// Of the key "pin", which must be there.
    mutating func line(_ section: Section, by what: String) -> Line? {
      let value = section.value("pin")
      if value == nil {
        section.complain(
          section.place,
          "\(what) has no pin: allowed is pin = \(allowed.lowerBound) to \(allowed.upperBound)")
      }
      return claim(value, as: "pin", by: what, in: section)
    }
  }

  /// The header of a Raspberry Pi has GPIO 0 to 27; other chips have what they have.
  private var allowedPins: ClosedRange<Int> {
    guard let chip, !Chip.usualLabels.contains(chip) else { return 0...27 }
    return 0...1023
  }

  mutating func readPanel(_ file: Section) {
    var pins = Pins(allowed: allowedPins)
    for section in file.sections("button") { readButton(section, &pins) }
    for section in file.sections("switch") { readSwitch(section, &pins) }
    for section in file.sections("knob") { readKnob(section, &pins) }
    for section in file.sections("chord") { readChord(section) }
    for section in file.sections("light") { readLight(section, &pins) }
    if let section = file.section("amplifier") {
      if let line = pins.line(section, by: "the amplifier") {
        forget(line)
        amplifier = line
      }
      section.end()
    }
  }

  private mutating func readButton(_ section: Section, _ pins: inout Pins) {
    let line = pins.line(section, by: "the button")
    let isActiveLow = section.isActiveLow
    let pull: Pull? = section.choice("pull")
    let bindings = gestures(of: line ?? Line(0), section)
    section.end()
    guard let line else { return }
    forget(line)
    pulls[line] = pull
    brains.controls.buttons.append(SwitchSettings(line, isActiveLow: isActiveLow))
    brains.controls.bindings += bindings
  }

  private mutating func readSwitch(_ section: Section, _ pins: inout Pins) {
    let line = pins.line(section, by: "the switch")
    let isActiveLow = section.isActiveLow
    let pull: Pull? = section.choice("pull")
    let (on, off) = (section.action("on"), section.action("off"))
    section.end()
    guard let line else { return }
    forget(line)
    pulls[line] = pull
    brains.controls.switches.append(SwitchSettings(line, isActiveLow: isActiveLow))
    if let on { brains.controls.bindings.append(Binding(.switchedOn(line), on)) }
    if let off { brains.controls.bindings.append(Binding(.switchedOff(line), off)) }
  }

  private mutating func readKnob(_ section: Section, _ pins: inout Pins) {
    var pair: [Line] = []
    if let value = section.value("pins") {
      if case .array(let members) = value.content, members.count == 2 {
        pair = members.compactMap { pins.claim($0, as: "pins", by: "the knob", in: section) }
      } else {
        section.refuse("pins", allowed: "is a pair of GPIO numbers, such as [5, 6]")
      }
    } else {
      section.complain(section.place, "a knob has no pins: allowed is a pair, pins = [5, 6]")
    }
    let push = pins.claim(section.value("push"), as: "push", by: "the knob", in: section)
    let isActiveLow = section.isActiveLow
    let pull: Pull? = section.choice("pull")
    let detent = section.choice("detent", [1, 2, 4])
    let isInverted = section.flag("inverted")
    let (turn, pushTurn) = (section.use("turn"), section.use("push-turn"))
    let bindings = gestures(of: push ?? Line(0), section, isNeeded: false)
    section.end()
    guard pair.count == 2 else { return }
    for line in pair + (push.map { [$0] } ?? []) {
      forget(line)
      pulls[line] = pull
    }
    var knob = KnobSettings(a: pair[0], b: pair[1], push: push)
    knob.isActiveLow = isActiveLow
    set(&knob.encoder.edgesPerDetent, detent)
    set(&knob.encoder.isInverted, isInverted)
    brains.controls.knobs.append(knob)
    if let turn { brains.controls.turns.append(Turn(knob: pair[0], use: turn)) }
    guard let push else {
      if pushTurn != nil || !bindings.isEmpty {
        section.complain(
          section.place, "this knob has no switch to push: allowed is push = PIN beside these keys")
      }
      return
    }
    brains.controls.buttons.append(SwitchSettings(push, isActiveLow: isActiveLow))
    brains.controls.bindings += bindings
    if let pushTurn {
      brains.controls.turns.append(Turn(knob: pair[0], held: push, use: pushTurn))
    }
  }

  private mutating func readChord(_ section: Section) {
    let buttons = brains.controls.buttons.map(\.line)
    var lines: [Line] = []
    if let value = section.value("pins") {
      if case .array(let members) = value.content, (2...3).contains(members.count) {
        for member in members {
          if case .integer(let number) = member.content,
            let line = buttons.first(where: { Int64($0.number) == number }), !lines.contains(line)
          {
            lines.append(line)
          } else {
            section.refuse(
              member, as: "pins",
              allowed: "are pins of buttons, each once: "
                + list(buttons.map { String($0.number) }))
          }
        }
        if lines.count != members.count { lines = [] }
      } else {
        section.refuse("pins", allowed: "are two or three pins of buttons, such as [17, 27]")
      }
    } else {
      section.complain(section.place, "a chord has no pins: allowed is pins = [17, 27]")
    }
    let command = section.action("press")
    section.end()
    if let command, !lines.isEmpty {
      brains.controls.bindings.append(Binding(.chord(lines), command))
    }
  }

  private mutating func readLight(_ section: Section, _ pins: inout Pins) {
    let line = pins.claim(section.value("pin"), as: "pin", by: "the light", in: section)
    let name = section.text("led")
    let isActiveLow = section.isActive("high") == false
    let topic: LightSettings.Topic? = section.choice("shows")
    if !section.has("pin"), !section.has("led") {
      section.complain(
        section.place,
        "a light has no place: allowed is pin = GPIO, or led = \"NAME\" of /sys/class/leds")
    }
    section.end()
    if let line {
      forget(line)
      lights.append(
        LightSettings(.line(line), shows: topic ?? .state, isActiveLow: isActiveLow))
    } else if let name {
      lights.removeAll { $0.place == .led(name) }
      lights.append(LightSettings(.led(name), shows: topic ?? .state, isActiveLow: isActiveLow))
    }
  }

  /// Takes away all that a line was before.
  private mutating func forget(_ line: Line) {
    pulls[line] = nil
    lights.removeAll { $0.place == .line(line) }
    if amplifier == line { amplifier = nil }
    brains.controls.forget(line)
  }

  /// What the presses of a button are to mean.
  private func gestures(of line: Line, _ section: Section, isNeeded: Bool = true) -> [Binding] {
    let every = section.interval("hold-every", .milliseconds(20)...(.seconds(10)))
    let hold = section.action("hold")
    var bindings: [Binding] = []
    let found: [(Gesture, Command?)] = [
      (.press(line), section.action("press")), (.double(line), section.action("double")),
      (.triple(line), section.action("triple")), (.hold(line, every: every), hold),
    ]
    for (gesture, command) in found {
      if let command { bindings.append(Binding(gesture, command)) }
    }
    let isSeeking = hold == .beginSeekingForward || hold == .beginSeekingBackward
    let release = section.action("release") ?? (isSeeking ? .endSeeking : nil)
    if let release { bindings.append(Binding(.holdReleased(line), release)) }
    let keys = ["press", "double", "triple", "hold", "release"]
    if isNeeded, !keys.contains(where: { section.has($0) }) {
      section.complain(
        section.place, "this button does nothing: allowed are \(list(keys)) = \"ACTION\"")
    }
    return bindings
  }
}

extension Section {
  fileprivate var isActiveLow: Bool { isActive("low") ?? true }

  /// Whether the key "active" is the word; nil where it is not there.
  fileprivate func isActive(_ word: String) -> Bool? {
    choice("active", [("low", "low"), ("high", "high")]).map { $0 == word }
  }

  /// One of a few numbers.
  fileprivate func choice(_ key: String, _ numbers: [Int]) -> Int? {
    guard let value = value(key) else { return nil }
    if case .integer(let number) = value.content, numbers.contains(Int(clamping: number)) {
      return Int(number)
    }
    refuse(key, allowed: "are \(list(numbers.map(String.init)))")
    return nil
  }

  /// What a knob is for: "volume", "volume 3", "browse-albums", "tracks" or "seek 5 s".
  fileprivate func use(_ key: String) -> KnobUse? {
    guard let value = value(key) else { return nil }
    if case .string(let text) = value.content {
      let name = String(text.prefix { $0 != " " })
      let rest = String(text.dropFirst(name.count).drop { $0 == " " })
      switch name {
      case "tracks" where rest.isEmpty: return .tracks
      case "browse-albums" where rest.isEmpty: return .albums
      case "volume":
        if let levels = rest.isEmpty ? 2 : Int(rest), 1...20 ~= levels { return .volume(levels) }
      case "seek":
        if let interval = rest.isEmpty ? .seconds(5) : Interval(rest), interval > .zero {
          return .seek(interval)
        }
      default: break
      }
    }
    refuse(
      key,
      allowed: "are \"volume\" (or \"volume 3\", levels a step), \"tracks\", \"browse-albums\" and"
        + " \"seek 5 s\"",
      nearest: ["volume", "tracks", "browse-albums", "seek"])
    return nil
  }
}

extension Controls {
  /// Takes away the controls on a line, and what is bound to them.
  fileprivate mutating func forget(_ line: Line) {
    buttons.removeAll { $0.line == line }
    switches.removeAll { $0.line == line }
    let gone = knobs.filter { $0.a == line || $0.b == line }.map(\.a)
    knobs.removeAll { gone.contains($0.a) }
    turns.removeAll { gone.contains($0.knob) || $0.held == line }
    for index in knobs.indices where knobs[index].push == line { knobs[index].push = nil }
    bindings.removeAll { $0.gesture.lines.contains(line) }
  }
}

extension Gesture {
  fileprivate var lines: [Line] {
    switch self {
    case .press(let line), .double(let line), .triple(let line), .hold(let line, _),
      .holdReleased(let line), .switchedOn(let line), .switchedOff(let line):
      [line]
    case .chord(let lines): lines
    }
  }
}
