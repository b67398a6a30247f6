/// All buttons, switches and knobs of the board: edges in, commands out.
public struct Panel: Equatable {
  public enum Event: Equatable, Sendable {
    /// The kernel saw the line change to this level.
    case edge(Line, isHigh: Bool)
    /// The line was read: at the start, or after edges were lost.
    case level(Line, isHigh: Bool)
    case timerFired
  }

  private struct Key: Equatable {
    let settings: SwitchSettings
    var contact: Contact
    var button: Button
  }

  private struct Lever: Equatable {
    let settings: SwitchSettings
    var toggle: Toggle
  }

  public let controls: Controls
  private var keys: [Key]
  private var levers: [Lever]
  private var knobs: [Knob]
  private var chords: Chords
  private let chordCommands: [Command]
  private var outcomes: [Chords.Outcome] = []

  init(_ controls: Controls) {
    self.controls = controls
    keys = controls.buttons.map {
      Key(
        settings: $0, contact: Contact(dead: controls.dead, stable: controls.stable),
        button: Button(controls.meanings(of: $0.line), times: controls.times))
    }
    levers = controls.switches.map { Lever(settings: $0, toggle: Toggle(dead: controls.dead)) }
    knobs = controls.knobs.map { Knob($0, settling: controls.settling) }
    var struck: [[Line]] = []
    var commands: [Command] = []
    for binding in controls.bindings {
      guard case .chord(let lines) = binding.gesture else { continue }
      struck.append(lines)
      commands.append(binding.command)
    }
    chords = Chords(struck, window: controls.chordWindow)
    chordCommands = commands
  }

  /// Edges of knobs that must have been there, but never arrived.
  public var missedEdges: Int {
    var sum = 0
    for knob in knobs { sum += knob.encoder.missed }
    return sum
  }

  var deadline: Instant? {
    var first = chords.deadline
    for key in keys {
      first = earlier(first, earlier(key.contact.deadline, key.button.deadline))
    }
    for lever in levers { first = earlier(first, lever.toggle.deadline) }
    return first
  }

  mutating func handle(_ event: Event, at now: Instant, into commands: inout [Command]) {
    switch event {
    case .edge(let line, let isHigh): edge(line, isHigh, isRead: false, at: now, into: &commands)
    case .level(let line, let isHigh): edge(line, isHigh, isRead: true, at: now, into: &commands)
    case .timerFired: tick(at: now, into: &commands)
    }
  }

  private mutating func edge(
    _ line: Line, _ isHigh: Bool, isRead: Bool, at now: Instant, into commands: inout [Command]
  ) {
    for index in keys.indices where keys[index].settings.line == line {
      let closed = isHigh != keys[index].settings.isActiveLow
      contact(index, keys[index].contact.handle(.edge(closed: closed), at: now), at: now)
    }
    for index in levers.indices where levers[index].settings.line == line {
      let closed = isHigh != levers[index].settings.isActiveLow
      if let isOn = levers[index].toggle.handle(.edge(closed: closed), at: now) {
        flip(line, isOn, into: &commands)
      }
    }
    for index in knobs.indices {
      let settings = knobs[index].settings
      guard settings.a == line || settings.b == line else { continue }
      let closed = isHigh != settings.isActiveLow
      let which = settings.a == line ? Encoder.Line.a : .b
      let turned = knobs[index].handle(
        isRead ? .level(which, closed: closed) : .edge(which, closed: closed), at: now)
      guard turned.step != 0 else { continue }
      turn(index, turned.step, speed: turned.speed, at: now, into: &commands)
    }
    if !outcomes.isEmpty { drain(at: now, into: &commands) }
  }

  private mutating func tick(at now: Instant, into commands: inout [Command]) {
    for index in keys.indices {
      contact(index, keys[index].contact.handle(.timerFired, at: now), at: now)
    }
    chords.handle(.timerFired, at: now, into: &outcomes)
    if !outcomes.isEmpty { drain(at: now, into: &commands) }
    for index in keys.indices {
      act(index, keys[index].button.handle(.timerFired, at: now), into: &commands)
    }
    for index in levers.indices {
      if let isOn = levers[index].toggle.handle(.timerFired, at: now) {
        flip(levers[index].settings.line, isOn, into: &commands)
      }
    }
  }

  private mutating func contact(_ key: Int, _ change: Contact.Change, at now: Instant) {
    guard change != .none else { return }
    let line = keys[key].settings.line
    for index in knobs.indices where knobs[index].settings.push == line {
      knobs[index].shake(at: now)
    }
    chords.handle(
      change == .pressed ? .pressed(line) : .released(line), at: now, into: &outcomes)
  }

  private mutating func drain(at now: Instant, into commands: inout [Command]) {
    let due = outcomes
    outcomes.removeAll(keepingCapacity: true)
    for outcome in due {
      switch outcome {
      case .struck(let chord): commands.append(chordCommands[chord])
      case .pressed(let line, let at): press(line, .pressed, at: at, into: &commands)
      case .released(let line): press(line, .released, at: now, into: &commands)
      }
    }
  }

  private mutating func press(
    _ line: Line, _ event: Button.Event, at now: Instant, into commands: inout [Command]
  ) {
    for index in keys.indices where keys[index].settings.line == line {
      act(index, keys[index].button.handle(event, at: now), into: &commands)
    }
  }

  private func act(_ key: Int, _ meaning: Button.Meaning, into commands: inout [Command]) {
    let line = keys[key].settings.line
    let gesture: Gesture
    switch meaning {
    case .none: return
    case .press: gesture = .press(line)
    case .double: gesture = .double(line)
    case .triple: gesture = .triple(line)
    case .hold: gesture = .hold(line, every: keys[key].button.meanings.every)
    case .holdReleased: gesture = .holdReleased(line)
    }
    if let command = controls.command(for: gesture) { commands.append(command) }
  }

  private func flip(_ line: Line, _ isOn: Bool, into commands: inout [Command]) {
    let gesture = isOn ? Gesture.switchedOn(line) : .switchedOff(line)
    if let command = controls.command(for: gesture) { commands.append(command) }
  }

  private mutating func turn(
    _ knob: Int, _ step: Int, speed: Int, at now: Instant, into commands: inout [Command]
  ) {
    let name = knobs[knob].settings.a
    var use: KnobUse?
    for turn in controls.turns where turn.knob == name {
      guard let held = turn.held else {
        use = use ?? turn.use
        continue
      }
      for index in keys.indices
      where keys[index].settings.line == held && keys[index].button.isDown {
        _ = keys[index].button.handle(.spent, at: now)
        use = turn.use
      }
    }
    switch use {
    case .volume(let levels)?: commands.append(.stepVolume(step * speed * levels))
    case .tracks?: commands.append(step > 0 ? .next : .previous)
    case .albums?: commands.append(step > 0 ? .nextAlbum : .previousAlbum)
    case .seek(let interval)?: commands.append(.seekBy(interval * Int64(step * speed)))
    case nil: break
    }
  }
}
