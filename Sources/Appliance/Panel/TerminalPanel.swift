internal import Audio
internal import Devices
internal import Glibc
internal import Jukebox

/// A board's front panel on a terminal: keys are fingers on its controls, and its screen shows it all.
struct TerminalPanel: ~Copyable {
  private enum Control {
    case button(SwitchSettings)
    case toggle(SwitchSettings)
    case knob(KnobSettings, step: Int)
  }

  /// At most ten pictures a second.
  static let frame = Interval.milliseconds(100)
  /// What buttons and switches are typed by, in their order: as keys lie in rows.
  private static let letters = Array("asdfghjklqwertyuiopzxcvbnm".utf8)
  private static let arrows: [(left: Stroke, right: Stroke, name: String)] = [
    (.left, .right, "← →"), (.down, .up, "↓ ↑"),
    (.character(UInt8(ascii: "[")), .character(UInt8(ascii: "]")), "[ ]"),
    (.character(UInt8(ascii: "<")), .character(UInt8(ascii: ">")), "< >"),
  ]

  var keyboard: Keyboard
  var screen: PanelScreen
  var fingers = Fingers()
  /// When the last picture was drawn.
  var drawn = Instant(nanoseconds: 0)
  /// What of the settings is on it.
  private var controls: [(stroke: Stroke, control: Control)] = []
  private var labels: [(PanelPicture.Control, line: Line?)] = []
  private(set) var lights: [LightSettings] = []
  /// Lines that edges have closed.
  private var closed: Set<Line> = []
  private var isActiveLow: [Line: Bool] = [:]

  /// nil where there is no terminal.
  init?() {
    guard let screen = PanelScreen(),
      let keyboard = Keyboard(STDIN_FILENO, farewell: PanelScreen.farewell)
    else { return nil }
    self.screen = screen
    self.keyboard = keyboard
  }

  /// Lays out the controls and lights of the settings; what was held is let go of.
  mutating func lay(_ settings: Configuration) {
    let panel = settings.brains.controls
    controls = []
    labels = []
    closed = []
    isActiveLow = [:]
    fingers = Fingers()
    lights = settings.lights
    let switches =
      panel.buttons.map { ($0, Control.button($0)) } + panel.switches.map { ($0, .toggle($0)) }
    for (letter, (contact, control)) in zip(Self.letters, switches) {
      isActiveLow[contact.line] = contact.isActiveLow
      controls.append((.character(letter), control))
      let words = settings.meanings(of: contact.line).joined(separator: ", ")
      let key = String(UnicodeScalar(letter))
      labels.append((PanelPicture.Control(key: key, words: words), contact.line))
    }
    for (arrows, knob) in zip(Self.arrows, panel.knobs) {
      controls.append((arrows.left, .knob(knob, step: -1)))
      controls.append((arrows.right, .knob(knob, step: 1)))
      let words = settings.use(ofKnob: knob.a) ?? "nothing"
      labels.append((PanelPicture.Control(key: arrows.name, words: words), nil))
    }
  }

  /// Takes the terminal, if its user talks to this program and to no other.
  mutating func enter() {
    if keyboard.isInForeground { keyboard.enter() } else { keyboard.leave() }
    screen.resize()
  }

  /// Gives it back as it was.
  mutating func leave() {
    screen.leave()
    keyboard.leave()
  }

  mutating func take(_ stroke: Stroke, at now: Instant) {
    let isShifted: Bool
    var stroke = stroke
    if case .character(let byte) = stroke, (0x41...0x5A).contains(byte) {
      isShifted = true
      stroke = .character(byte | 0x20)
    } else {
      isShifted = false
    }
    switch controls.first(where: { $0.stroke == stroke })?.control {
    case .button(let button):
      if isShifted { fingers.flip(button, at: now) } else { fingers.tap(button, at: now) }
    case .toggle(let toggle): fingers.flip(toggle, at: now)
    case .knob(let knob, let step): fingers.turn(knob, by: step, at: now)
    case nil: break
    }
  }

  /// The edges that have come by now.
  mutating func edges(at now: Instant) -> [Fingers.Edge] {
    let edges = fingers.take(at: now)
    for edge in edges {
      guard let isActiveLow = isActiveLow[edge.line] else { continue }
      if edge.isHigh != isActiveLow { closed.insert(edge.line) } else { closed.remove(edge.line) }
    }
    return edges
  }

  /// The controls as they are now.
  var pictures: [PanelPicture.Control] {
    labels.map { label, line in
      var label = label
      label.isClosed = line.map { closed.contains($0) } ?? false
      return label
    }
  }
}

extension Appliance {
  /// What is on the panel: of the settings, or what the socket can touch where they name no pins.
  func openPanel() {
    guard options.panel == .terminal else { return }
    guard var panel = TerminalPanel() else {
      return journal.warn("no terminal to draw the panel on; going on without")
    }
    panel.lay(settings.withPanel)
    panel.enter()
    hands.panel = consume panel
    watchKeyboard()
  }

  private func watchKeyboard() {
    if hands.panel?.keyboard.activeDescriptor != nil { loop.watch(STDIN_FILENO, .keyboard) }
  }

  func takeStrokes() {
    for stroke in hands.panel?.keyboard.read() ?? [] { hands.panel?.take(stroke, at: now) }
    // At the terminal's end.
    if hands.panel?.keyboard.activeDescriptor == nil { loop.forget(STDIN_FILENO) }
    moveFingers()
  }

  func moveFingers() {
    for edge in hands.panel?.edges(at: now) ?? [] {
      tell(.edge(edge.line, isHigh: edge.isHigh), at: edge.at)
    }
    alarms.set(.fingers, at: hands.panel?.fingers.deadline)
  }

  /// Draws what has changed, ten times a second at most, and not at all while nothing changes.
  func showPanel() {
    guard hands.panel?.keyboard.activeDescriptor != nil, let drawn = hands.panel?.drawn else {
      return
    }
    let now = now
    guard now - drawn >= TerminalPanel.frame else {
      return alarms.set(.panel, at: drawn + TerminalPanel.frame)
    }
    let picture = picture(at: now)
    let lines = picture.lines(columns: hands.panel?.screen.columns ?? 0)
    let isShown = hands.panel?.screen.show(lines) ?? true
    hands.panel?.drawn = now
    let pause = isShown ? isSounding ? TerminalPanel.frame : nil : .seconds(1)
    alarms.set(.panel, at: pause.map { now + $0 })
  }

  private func picture(at now: Instant) -> PanelPicture {
    var picture = PanelPicture()
    picture.isEmpty = player.lineup.queue.count == 0
    if let playing = player.nowPlaying(at: now), player.state != .stopped {
      var place = Duration(playing.position)
      if case .progressed(playing.item, _, let heard) = heard { place = Duration(heard) }
      let number = playing.tags.number
      picture.display = StatusLine(
        state: !sound.hasCard ? .waiting : isSounding ? .playing : .paused,
        title: (number == 0 ? "" : (number < 10 ? "0" : "") + "\(number) ") + playing.tags.title
          + (playing.tags.artist.isEmpty ? "" : " - " + playing.tags.artist),
        position: .seconds(place.components.seconds),
        length: playing.tags.length.map { Duration($0) },
        volume: player.volume.isMuted ? nil : Double(player.volume.gain.hundredths) / 100)
    }
    if isSounding { picture.levels = deck.peaks }
    picture.lights = (hands.panel?.lights ?? []).compactMap { light in
      guard case .line(let line) = light.place else { return nil }
      let isOn = hands.levels[line].map { $0 != light.isActiveLow } ?? false
      return PanelPicture.Light(name: light.shows.rawValue, isOn: isOn)
    }
    picture.controls = hands.panel?.pictures ?? []
    return picture
  }

  // MARK: - The terminal's signals

  /// Falls silent, gives the terminal back, and stops until the shell lets it go on.
  func suspend() {
    guard hands.panel != nil else { return }
    if isSounding { deck.pause() }
    if hands.panel?.keyboard.activeDescriptor != nil { loop.forget(STDIN_FILENO) }
    hands.panel?.leave()
    // The ramp down needs a few milliseconds; once stopped, the audio thread can't make it.
    poll(nil, 0, 100)
    kill(getpid(), SIGSTOP)
    if isSounding { deck.resume() }
  }

  func resume(_ signal: Signals.Signal) {
    guard hands.panel != nil else { return }
    if hands.panel?.keyboard.activeDescriptor != nil { loop.forget(STDIN_FILENO) }
    hands.panel?.enter()
    watchKeyboard()
  }
}
