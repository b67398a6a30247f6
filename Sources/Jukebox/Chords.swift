/// Two or three buttons pressed together, told from presses one by one.
///
/// Only buttons that are in a chord wait here, at most for the chord window or until they are released.
struct Chords: Equatable {
  enum Event: Equatable {
    case pressed(Line)
    case released(Line)
    case timerFired
  }

  enum Outcome: Equatable {
    case pressed(Line, Instant)
    case released(Line)
    /// The chord with this index.
    case struck(Int)
  }

  private struct Press: Equatable {
    var line: Line
    var at: Instant
  }

  let chords: [[Line]]
  let window: Interval
  private var pending: [Press] = []
  private var struck: [Line] = []

  init(_ chords: [[Line]], window: Interval) {
    self.chords = chords
    self.window = window
  }

  var deadline: Instant? { pending.first.map { $0.at + window } }

  mutating func handle(
    _ event: Event, at now: Instant, into outcomes: inout [Outcome]
  ) {
    switch event {
    case .pressed(let line):
      guard chords.contains(where: { $0.contains(line) }) else {
        outcomes.append(.pressed(line, now))
        return
      }
      pending.append(Press(line: line, at: now))
      let candidates = chords.filter { chord in pending.allSatisfy { chord.contains($0.line) } }
      guard let chord = candidates.first else { return flush(into: &outcomes) }
      if candidates.count == 1, chord.count == pending.count { strike(into: &outcomes) }
    case .released(let line):
      if let index = struck.firstIndex(of: line) {
        struck.remove(at: index)
        return
      }
      if pending.contains(where: { $0.line == line }) {
        strike(into: &outcomes)
        if let index = struck.firstIndex(of: line) {
          struck.remove(at: index)
          return
        }
      }
      outcomes.append(.released(line))
    case .timerFired:
      guard let deadline, now >= deadline else { return }
      strike(into: &outcomes)
    }
  }

  /// The chord that is exactly what is pressed, or else the presses one by one.
  private mutating func strike(into outcomes: inout [Outcome]) {
    let found = chords.firstIndex { chord in
      chord.count == pending.count && pending.allSatisfy { chord.contains($0.line) }
    }
    guard let found else { return flush(into: &outcomes) }
    outcomes.append(.struck(found))
    struck += pending.map { $0.line }
    pending = []
  }

  private mutating func flush(into outcomes: inout [Outcome]) {
    for press in pending { outcomes.append(.pressed(press.line, press.at)) }
    pending = []
  }
}
