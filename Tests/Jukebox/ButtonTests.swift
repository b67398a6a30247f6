internal import Testing

@testable internal import Jukebox

struct ButtonTests {
  private func button(_ change: (inout ButtonMeanings) -> Void) -> Button {
    var meanings = ButtonMeanings()
    meanings.press = true
    change(&meanings)
    return Button(meanings)
  }

  @Test func `with press alone it acts at once and never waits`() {
    var button = button { _ in }
    #expect(button.handle(.pressed, at: ms(0)) == .press)
    #expect(button.deadline == nil)
    #expect(button.handle(.released, at: ms(5_000)) == .none)
    #expect(button.handle(.pressed, at: ms(5_001)) == .press)
  }

  @Test func `with double a press waits no longer than the window`() {
    var button = button { $0.double = true }
    #expect(button.handle(.pressed, at: ms(0)) == .none)
    #expect(button.handle(.released, at: ms(80)) == .none)
    #expect(button.deadline == ms(300))
    #expect(button.handle(.timerFired, at: ms(299)) == .none)
    #expect(button.handle(.timerFired, at: ms(300)) == .press)
    #expect(button.phase == .up)
  }

  @Test func `with double a press that is still down acts at the window's end`() {
    var button = button { $0.double = true }
    #expect(button.handle(.pressed, at: ms(0)) == .none)
    #expect(button.handle(.timerFired, at: ms(300)) == .press)
    #expect(button.handle(.released, at: ms(400)) == .none)
    #expect(button.phase == .up)
  }

  @Test func `a double acts at its second leading edge`() {
    var button = button { $0.double = true }
    #expect(button.handle(.pressed, at: ms(0)) == .none)
    #expect(button.handle(.released, at: ms(80)) == .none)
    #expect(button.handle(.pressed, at: ms(200)) == .double)
    #expect(button.handle(.released, at: ms(280)) == .none)
    #expect(button.handle(.pressed, at: ms(300)) == .none)
  }

  @Test func `a triple is told from a double`() {
    var button = button {
      $0.double = true
      $0.triple = true
    }
    for start in [0, 1_000] as [Int64] {
      #expect(button.handle(.pressed, at: ms(start)) == .none)
      #expect(button.handle(.released, at: ms(start + 50)) == .none)
      #expect(button.handle(.pressed, at: ms(start + 150)) == .none)
      #expect(button.handle(.released, at: ms(start + 200)) == .none)
      if start == 0 {
        #expect(button.handle(.pressed, at: ms(300)) == .triple)
        #expect(button.handle(.released, at: ms(350)) == .none)
      } else {
        #expect(button.handle(.timerFired, at: ms(1_449)) == .none)
        #expect(button.handle(.timerFired, at: ms(1_450)) == .double)
      }
    }
  }

  @Test func `with hold a press waits for the release`() {
    var button = button { $0.hold = true }
    #expect(button.handle(.pressed, at: ms(0)) == .none)
    #expect(button.deadline == ms(600))
    #expect(button.handle(.released, at: ms(590)) == .press)
  }

  @Test func `a hold acts once, and its release is told`() {
    var button = button {
      $0.hold = true
      $0.holdReleased = true
    }
    #expect(button.handle(.pressed, at: ms(0)) == .none)
    #expect(button.handle(.timerFired, at: ms(600)) == .hold)
    #expect(button.deadline == nil)
    #expect(button.handle(.timerFired, at: ms(9_000)) == .none)
    #expect(button.handle(.released, at: ms(9_001)) == .holdReleased)
  }

  @Test func `a hold repeats until the release`() {
    var button = button {
      $0.hold = true
      $0.every = .milliseconds(100)
    }
    #expect(button.handle(.pressed, at: ms(0)) == .none)
    #expect(button.handle(.timerFired, at: ms(600)) == .hold)
    #expect(button.handle(.timerFired, at: ms(650)) == .none)
    #expect(button.handle(.timerFired, at: ms(700)) == .hold)
    #expect(button.handle(.timerFired, at: ms(800)) == .hold)
    #expect(button.handle(.released, at: ms(801)) == .none)
    #expect(button.deadline == nil)
  }

  @Test func `a hold that repeats the press lets the press act at once`() {
    var button = button {
      $0.hold = true
      $0.every = .milliseconds(100)
      $0.holdRepeatsPress = true
    }
    #expect(button.handle(.pressed, at: ms(0)) == .press)
    #expect(button.handle(.timerFired, at: ms(600)) == .hold)
    #expect(button.handle(.timerFired, at: ms(700)) == .hold)
    #expect(button.handle(.released, at: ms(701)) == .none)
  }

  @Test func `with double and hold both are told`() {
    var button = button {
      $0.double = true
      $0.hold = true
    }
    #expect(button.handle(.pressed, at: ms(0)) == .none)
    #expect(button.handle(.timerFired, at: ms(300)) == .none)
    #expect(button.handle(.timerFired, at: ms(600)) == .hold)
    #expect(button.handle(.released, at: ms(700)) == .none)
    #expect(button.handle(.pressed, at: ms(1_000)) == .none)
    #expect(button.handle(.released, at: ms(1_050)) == .none)
    #expect(button.handle(.pressed, at: ms(1_100)) == .double)
    #expect(button.handle(.released, at: ms(1_150)) == .none)
    #expect(button.handle(.pressed, at: ms(2_000)) == .none)
    #expect(button.handle(.released, at: ms(2_400)) == .press)
  }

  @Test func `a button that modified a knob means nothing by itself`() {
    var button = button { $0.modifies = true }
    #expect(button.handle(.pressed, at: ms(0)) == .none)
    #expect(button.deadline == nil)
    #expect(button.handle(.spent, at: ms(100)) == .none)
    #expect(button.handle(.released, at: ms(200)) == .none)
    #expect(button.handle(.pressed, at: ms(300)) == .none)
    #expect(button.handle(.released, at: ms(9_000)) == .press)
  }

  /// What every event does in every phase; `nil` where the phase stays.
  @Test func `every phase answers every event`() {
    let every: Interval = .milliseconds(100)
    let button = button {
      $0.double = true
      $0.hold = true
      $0.holdReleased = true
      $0.every = every
    }
    let phases: [(Button.Phase, [Button.Event: (Button.Meaning, Button.Phase)])] = [
      (
        .up,
        [
          .pressed: (.none, .down(presses: 1, since: ms(1_000))), .released: (.none, .up),
          .spent: (.none, .up), .timerFired: (.none, .up),
        ]
      ),
      (
        .down(presses: 1, since: ms(400)),
        [
          .pressed: (.none, .down(presses: 1, since: ms(400))), .released: (.press, .up),
          .spent: (.none, .spent), .timerFired: (.hold, .held(next: ms(1_100))),
        ]
      ),
      (
        .spent,
        [
          .pressed: (.none, .spent), .released: (.none, .up), .spent: (.none, .spent),
          .timerFired: (.none, .spent),
        ]
      ),
      (
        .held(next: ms(950)),
        [
          .pressed: (.none, .held(next: ms(950))), .released: (.holdReleased, .up),
          .spent: (.none, .spent), .timerFired: (.hold, .held(next: ms(1_050))),
        ]
      ),
      (
        .between(presses: 1, since: ms(700)),
        [
          .pressed: (.double, .spent), .released: (.none, .between(presses: 1, since: ms(700))),
          .spent: (.none, .between(presses: 1, since: ms(700))), .timerFired: (.press, .up),
        ]
      ),
    ]
    for (phase, table) in phases {
      for event in [Button.Event.pressed, .released, .spent, .timerFired] {
        var button = button
        button.place(in: phase)
        let meaning = button.handle(event, at: ms(1_000))
        #expect(meaning == table[event]?.0, "\(phase) \(event)")
        #expect(button.phase == table[event]?.1, "\(phase) \(event)")
      }
    }
  }
}

extension Button {
  /// Brings the button into a phase by what would have led to it.
  mutating func place(in phase: Phase) {
    switch phase {
    case .up: break
    case .down(_, let since): _ = handle(.pressed, at: since)
    case .spent:
      _ = handle(.pressed, at: ms(900))
      _ = handle(.spent, at: ms(950))
    case .held(let next):
      _ = handle(.pressed, at: ms(0))
      _ = handle(.timerFired, at: (next ?? ms(0)) - (meanings.every ?? .zero))
    case .between(_, let since):
      _ = handle(.pressed, at: since)
      _ = handle(.released, at: since + .milliseconds(10))
    }
  }
}
