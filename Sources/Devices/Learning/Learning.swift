public import Jukebox

/// Finds out which line a button, or which two lines a knob are on, from what the lines do.
///
/// First nobody touches anything for a while: what moves then is noise, and does not count. Then the
/// button is pressed three times and let alone, or the knob turned slowly to the right. A line that floats
/// may seem to be pressed, but does not rest afterwards.
public struct Learning {
  public enum Wish: Equatable, Sendable {
    case button
    case knob
  }

  public enum Finding: Equatable, Sendable {
    /// `bounce` is the longest burst that was seen.
    case button(SwitchSettings, bounce: Interval)
    case knob(KnobSettings)
  }

  /// How long nothing is to be touched, and how often a button is to be pressed.
  public static let quiet = Interval.seconds(2)
  public static let presses = 3
  /// How long it must rest after that.
  public static let rest = Interval.seconds(1)
  /// How often it is to be pressed where two lines behave alike.
  static let morePresses = 5

  private struct Pair {
    let a: Line
    let b: Line
    var learning = EncoderLearning()
    var finding: EncoderLearning.Finding?
    /// Edges of the two in turns, as quadrature has them, and others.
    var turns = 0
    var repeats = 0
    var last: Line?
  }

  private let wish: Wish
  private let start: Instant
  private var levels: [Line: Bool]
  /// Lines that move by themselves.
  public private(set) var noisy: Set<Line> = []
  private var traces: [Trace] = []
  private var pairs: [Pair] = []
  private var lastEdges: [Line: Instant] = [:]

  /// `levels` are those of all lines that can be listened to.
  public init(_ wish: Wish, levels: [Line: Bool], at now: Instant) {
    self.wish = wish
    self.levels = levels
    start = now
  }

  /// Whether it is still the time in which nothing is to be touched.
  public func isQuiet(at now: Instant) -> Bool { now - start < Self.quiet }

  public mutating func edge(_ line: Line, isHigh: Bool, at now: Instant) -> Finding? {
    guard !isQuiet(at: now) else {
      noisy.insert(line)
      levels[line] = isHigh
      return nil
    }
    begin(at: now)
    guard !noisy.contains(line) else { return nil }
    switch wish {
    case .button:
      for index in traces.indices {
        traces[index].take(traces[index].line == line ? isHigh : nil, at: now)
      }
      return nil
    case .knob:
      let isBounce = lastEdges[line].map { now - $0 < .milliseconds(3) } ?? false
      lastEdges[line] = now
      turn(line, isHigh: isHigh, isBounce: isBounce, at: now)
      return knob()
    }
  }

  /// To be called now and then, since the end of a press is known by what does not follow.
  public mutating func timePassed(at now: Instant) -> Finding? {
    guard !isQuiet(at: now) else { return nil }
    begin(at: now)
    for index in traces.indices { traces[index].take(nil, at: now) }
    return wish == .button ? button(at: now) : nil
  }

  /// Sets out with the lines that were quiet.
  private mutating func begin(at now: Instant) {
    guard traces.isEmpty, pairs.isEmpty else { return }
    let lines = levels.keys.filter { !noisy.contains($0) }.sorted { $0.number < $1.number }
    switch wish {
    case .button:
      traces = lines.map { Trace($0, rest: levels[$0] ?? true, at: now) }
    case .knob:
      for (index, a) in lines.enumerated() {
        for b in lines[(index + 1)...] {
          var pair = Pair(a: a, b: b)
          // The learning takes both lines for high until it hears otherwise.
          for (line, which) in [(a, Encoder.Line.a), (b, .b)] where levels[line] == false {
            _ = pair.learning.handle(which, isHigh: false, at: start - .seconds(1))
          }
          pairs.append(pair)
        }
      }
    }
  }

  private func button(at now: Instant) -> Finding? {
    let clean = traces.filter { trace in
      trace.presses > 0 && trace.glitches * 4 <= trace.presses
        && trace.rested(at: now).map { $0 >= Self.rest } ?? false
    }.sorted { ($0.presses, $1.glitches) > ($1.presses, $0.glitches) }
    guard let best = clean.first, best.presses >= Self.presses else { return nil }
    let isAlone = clean.count == 1 || clean[1].presses < 2
    guard isAlone || best.presses >= Self.morePresses else { return nil }
    return .button(SwitchSettings(best.line, isActiveLow: best.rest), bounce: best.bounce)
  }

  private mutating func turn(_ line: Line, isHigh: Bool, isBounce: Bool, at now: Instant) {
    for index in pairs.indices where pairs[index].a == line || pairs[index].b == line {
      if !isBounce {
        if pairs[index].last == line {
          pairs[index].repeats += 1
        } else {
          pairs[index].turns += 1
        }
      }
      pairs[index].last = line
      let which = pairs[index].a == line ? Encoder.Line.a : .b
      if let finding = pairs[index].learning.handle(which, isHigh: isHigh, at: now) {
        pairs[index].finding = finding
      }
    }
  }

  private func knob() -> Finding? {
    let turning = pairs.filter { $0.finding != nil && $0.turns >= 8 && $0.repeats * 4 <= $0.turns }
      .sorted { $0.turns - $0.repeats > $1.turns - $1.repeats }
    guard let best = turning.first, let finding = best.finding else { return nil }
    var settings = KnobSettings(a: best.a, b: best.b)
    settings.isActiveLow = !finding.restsLow
    settings.encoder.edgesPerDetent = finding.edgesPerDetent
    settings.encoder.isInverted = finding.isInverted
    return .knob(settings)
  }
}
