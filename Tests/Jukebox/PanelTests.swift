internal import Testing

@testable internal import Jukebox

struct PanelTests {
  private let a = Line(1)
  private let b = Line(2)
  private let c = Line(3)

  private func panel(_ change: (inout Controls) -> Void) -> Panel {
    var controls = Controls()
    controls.buttons = [SwitchSettings(a), SwitchSettings(b), SwitchSettings(c)]
    change(&controls)
    return Panel(controls)
  }

  private func commands(_ panel: inout Panel, _ event: Panel.Event, at now: Instant) -> [Command] {
    var commands: [Command] = []
    panel.handle(event, at: now, into: &commands)
    return commands
  }

  @Test func `a press acts with its first edge`() {
    var panel = panel { $0.bindings = [Binding(.press(Line(1)), .next)] }
    #expect(commands(&panel, .edge(a, isHigh: false), at: ms(7)) == [.next])
  }

  @Test func `an active-high line is pressed when it is high`() {
    var panel = panel {
      $0.buttons = [SwitchSettings(Line(1), isActiveLow: false)]
      $0.bindings = [Binding(.press(Line(1)), .next)]
    }
    #expect(commands(&panel, .edge(a, isHigh: false), at: ms(0)) == [])
    #expect(commands(&panel, .edge(a, isHigh: true), at: ms(1)) == [.next])
  }

  @Test func `a chord acts at its last press, and its buttons mean nothing else`() {
    var panel = panel {
      $0.bindings = [
        Binding(.press(Line(1)), .next), Binding(.press(Line(2)), .previous),
        Binding(.chord([Line(1), Line(2)]), .stop),
      ]
    }
    #expect(commands(&panel, .edge(a, isHigh: false), at: ms(0)) == [])
    #expect(commands(&panel, .edge(b, isHigh: false), at: ms(50)) == [.stop])
    #expect(commands(&panel, .edge(a, isHigh: true), at: ms(200)) == [])
    #expect(commands(&panel, .edge(b, isHigh: true), at: ms(210)) == [])
    #expect(commands(&panel, .timerFired, at: ms(300)) == [])
    #expect(commands(&panel, .edge(a, isHigh: false), at: ms(400)) == [])
    #expect(panel.deadline == ms(480))
    #expect(commands(&panel, .timerFired, at: ms(480)) == [.next])
  }

  @Test func `a button of a chord acts at its release when that comes first`() {
    var panel = panel {
      $0.bindings = [
        Binding(.press(Line(1)), .next), Binding(.chord([Line(1), Line(2)]), .stop),
      ]
    }
    #expect(commands(&panel, .edge(a, isHigh: false), at: ms(0)) == [])
    #expect(commands(&panel, .edge(a, isHigh: true), at: ms(30)) == [])
    #expect(commands(&panel, .timerFired, at: ms(40)) == [.next])
  }

  @Test func `a chord of three is told from the two in it`() {
    var panel = panel {
      $0.bindings = [
        Binding(.chord([Line(1), Line(2)]), .stop),
        Binding(.chord([Line(1), Line(2), Line(3)]), .shutDown),
      ]
    }
    #expect(commands(&panel, .edge(a, isHigh: false), at: ms(0)) == [])
    #expect(commands(&panel, .edge(b, isHigh: false), at: ms(20)) == [])
    #expect(commands(&panel, .edge(c, isHigh: false), at: ms(40)) == [.shutDown])
    for line in [a, b, c] {
      #expect(commands(&panel, .edge(line, isHigh: true), at: ms(100)) == [])
    }
    #expect(commands(&panel, .timerFired, at: ms(200)) == [])
    #expect(commands(&panel, .edge(b, isHigh: false), at: ms(300)) == [])
    #expect(commands(&panel, .edge(a, isHigh: false), at: ms(320)) == [])
    #expect(commands(&panel, .timerFired, at: ms(380)) == [.stop])
  }

  @Test func `a button in no chord doesn't wait for one`() {
    var panel = panel {
      $0.bindings = [
        Binding(.press(Line(3)), .next), Binding(.chord([Line(1), Line(2)]), .stop),
      ]
    }
    #expect(commands(&panel, .edge(c, isHigh: false), at: ms(0)) == [.next])
  }

  /// One detent to the right of a knob on lines 4 and 5.
  private func turn(_ panel: inout Panel, at start: Int64) -> [Command] {
    let edges: [(UInt16, Bool)] = [(4, false), (5, false), (4, true), (5, true)]
    return edges.enumerated().flatMap { place, edge in
      commands(
        &panel, .edge(Line(edge.0), isHigh: edge.1), at: ms(start + Int64(place)))
    }
  }

  @Test func `a knob counts for more when it is turned fast`() {
    var panel = panel {
      $0.knobs = [KnobSettings(a: Line(4), b: Line(5))]
      $0.turns = [Turn(knob: Line(4), use: .volume(2))]
    }
    #expect(turn(&panel, at: 0) == [.stepVolume(2)])
    #expect(turn(&panel, at: 500) == [.stepVolume(2)])
    #expect(turn(&panel, at: 530) == [.stepVolume(6)])
    #expect(turn(&panel, at: 540) == [.stepVolume(12)])
  }

  @Test func `browsing is by one track a detent at any speed`() {
    var panel = panel {
      $0.knobs = [KnobSettings(a: Line(4), b: Line(5))]
      $0.turns = [Turn(knob: Line(4), use: .tracks)]
    }
    #expect(turn(&panel, at: 0) == [.next])
    #expect(turn(&panel, at: 10) == [.next])
    panel = self.panel {
      $0.knobs = [KnobSettings(a: Line(4), b: Line(5))]
      $0.turns = [Turn(knob: Line(4), use: .albums)]
    }
    #expect(turn(&panel, at: 0) == [.nextAlbum])
    #expect(turn(&panel, at: 10) == [.nextAlbum])
  }

  @Test func `a held button gives the knob another use and its press none`() {
    var panel = panel {
      $0.knobs = [KnobSettings(a: Line(4), b: Line(5))]
      $0.bindings = [Binding(.press(Line(1)), .togglePlayPause)]
      $0.turns = [
        Turn(knob: Line(4), use: .volume(1)), Turn(knob: Line(4), held: Line(1), use: .tracks),
      ]
    }
    #expect(turn(&panel, at: 0) == [.stepVolume(1)])
    #expect(commands(&panel, .edge(a, isHigh: false), at: ms(100)) == [])
    #expect(turn(&panel, at: 300) == [.next])
    #expect(commands(&panel, .edge(a, isHigh: true), at: ms(600)) == [])
    #expect(commands(&panel, .timerFired, at: ms(610)) == [])
    #expect(turn(&panel, at: 900) == [.stepVolume(1)])
    #expect(commands(&panel, .edge(a, isHigh: false), at: ms(2_000)) == [])
    #expect(commands(&panel, .edge(a, isHigh: true), at: ms(2_100)) == [])
    #expect(commands(&panel, .timerFired, at: ms(2_110)) == [.togglePlayPause])
  }

  @Test func `pushing the knob does not turn it`() {
    var panel = panel {
      $0.knobs = [KnobSettings(a: Line(4), b: Line(5), push: Line(1))]
      $0.bindings = [Binding(.press(Line(1)), .toggleMute)]
      $0.turns = [Turn(knob: Line(4), use: .volume(1))]
    }
    #expect(commands(&panel, .edge(a, isHigh: false), at: ms(0)) == [.toggleMute])
    #expect(turn(&panel, at: 20) == [])
    #expect(turn(&panel, at: 200) == [.stepVolume(1)])
  }

  @Test func `a selector switch tells both ways`() {
    var panel = panel {
      $0.switches = [SwitchSettings(Line(9))]
      $0.bindings = [
        Binding(.switchedOn(Line(9)), .lineIn(true)),
        Binding(.switchedOff(Line(9)), .lineIn(false)),
      ]
    }
    #expect(commands(&panel, .level(Line(9), isHigh: false), at: ms(0)) == [.lineIn(true)])
    #expect(commands(&panel, .edge(Line(9), isHigh: true), at: ms(500)) == [.lineIn(false)])
  }
}
