public import Jukebox

/// What a light does over time, from a few words.
///
///     on | off | dim          steady
///     breathe [TIME]          up and down, once in that time; 4 s if it is left out
///     code SIGNS              short flashes for ".", long ones for "-", a pause for "/", again and again
///
/// As in Morse's code a flash is one unit long or three, what is dark between them one; a pause is three,
/// and seven follow the last sign.
public enum LightPattern: Equatable, Sendable {
  /// In percent.
  case steady(Int)
  case breathing(Interval)
  case code(String)

  /// What stays as it is for a while, or glides to the next step's level meanwhile.
  struct Step: Equatable {
    /// In percent.
    var level: Int
    var length: Interval
    var glides = false
  }

  static let unit = Interval.milliseconds(150)

  public init?(_ text: String) {
    let word = String(text.prefix { $0 != " " })
    let rest = String(text.dropFirst(word.count).drop { $0 == " " })
    switch (word, rest) {
    case ("on", ""): self = .steady(100)
    case ("off", ""): self = .steady(0)
    case ("dim", ""): self = .steady(10)
    case ("breathe", ""): self = .breathing(.seconds(4))
    case ("breathe", _):
      guard let time = Interval(rest), .milliseconds(500)...(.minutes(1)) ~= time else {
        return nil
      }
      self = .breathing(time)
    case ("code", _):
      guard rest.contains(where: { ".-".contains($0) }), rest.allSatisfy({ ".-/".contains($0) }),
        rest.count <= 12
      else { return nil }
      self = .code(rest)
    default: return nil
    }
  }

  public static let allowed =
    "are \"on\", \"off\", \"dim\", \"breathe 4 s\" and \"code ..-\" (short and long flashes, up to 12)"

  /// One round; a single step lasts for ever.
  var steps: [Step] {
    switch self {
    case .steady(let level): return [Step(level: level, length: .zero)]
    case .breathing(let period):
      let half = Interval(nanoseconds: period.nanoseconds / 2)
      return [
        Step(level: 0, length: half, glides: true), Step(level: 100, length: half, glides: true),
      ]
    case .code(let signs):
      var steps: [Step] = []
      for sign in signs {
        if sign == "/" {
          if !steps.isEmpty { steps[steps.count - 1].length = Self.unit * 3 }
          continue
        }
        steps.append(Step(level: 100, length: Self.unit * (sign == "." ? 1 : 3)))
        steps.append(Step(level: 0, length: Self.unit))
      }
      steps[steps.count - 1].length = Self.unit * 7
      return steps
    }
  }

  /// Of a light that can only be on or off: whether it is on, and how long yet; nil for ever.
  func state(after elapsed: Interval) -> (isOn: Bool, remaining: Interval?) {
    let steps = steps
    let round = steps.reduce(Interval.zero) { $0 + $1.length }
    guard round > .zero else { return (steps[0].level > 0, nil) }
    var rest = Interval(nanoseconds: elapsed.nanoseconds % round.nanoseconds)
    for step in steps {
      if rest < step.length { return (step.level > 0, step.length - rest) }
      rest = rest - step.length
    }
    return (steps[0].level > 0, steps[0].length)
  }
}
