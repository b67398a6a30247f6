public import Jukebox

/// All the lights of the board: what is the case goes in, levels of lines come out.
public struct Lights {
  private struct Lamp {
    let settings: LightSettings
    let led: LED?
    var pattern: LightPattern?
    /// When it began, where it has to be set step by step.
    var began: Instant?
    var isOn: Bool?
  }

  /// What each topic looks like, unless the settings say otherwise; the most urgent first.
  public static let usual: [(topic: LightSettings.Topic, pattern: LightPattern)] = [
    (.error, .code("...")), (.noCard, .code("..-")), (.lowPower, .code("--")),
    (.recording, .code(".-")), (.interrupted, .code("-")), (.noMusic, .code("./.")),
    (.scanning, .code(".")), (.playing, .steady(100)), (.paused, .breathing(.seconds(4))),
  ]

  /// Those of the settings that there are not.
  public private(set) var missing: [String] = []

  private let patterns: [LightSettings.Topic: LightPattern]
  private var lamps: [Lamp] = []
  private var topics: Set<LightSettings.Topic> = []

  public init(
    _ settings: [LightSettings], patterns: [LightSettings.Topic: LightPattern] = [:],
    leds folder: String = "/sys/class/leds"
  ) {
    var all = Dictionary(uniqueKeysWithValues: Self.usual.map { ($0.topic, $0.pattern) })
    all.merge(patterns) { $1 }
    self.patterns = all
    for one in settings {
      var led: LED?
      if case .led(let name) = one.place {
        led = LED(name, in: folder)
        if led == nil {
          missing.append(name)
          continue
        }
      }
      lamps.append(Lamp(settings: one, led: led))
    }
  }

  /// What is the case now.
  ///
  /// - Returns: levels of GPIO lines to be set at once, as from `tick`.
  public mutating func show(
    _ topics: Set<LightSettings.Topic>, at now: Instant
  ) -> [(line: Line, isHigh: Bool)] {
    self.topics = topics
    for index in lamps.indices {
      let pattern = pattern(of: lamps[index].settings.shows)
      guard pattern != lamps[index].pattern else { continue }
      lamps[index].pattern = pattern
      let isActiveLow = lamps[index].settings.isActiveLow
      let isDone = lamps[index].led?.show(pattern, isActiveLow: isActiveLow) ?? false
      lamps[index].began = isDone ? nil : now
    }
    return tick(at: now)
  }

  /// When `tick` is due; nil while the kernel, or nobody, has something to do.
  public func deadline(after now: Instant) -> Instant? {
    var first: Instant?
    for lamp in lamps {
      guard let began = lamp.began,
        let remaining = lamp.pattern?.state(after: now - began).remaining
      else { continue }
      first = min(first ?? now + remaining, now + remaining)
    }
    return first
  }

  /// - Returns: levels of GPIO lines that change.
  public mutating func tick(at now: Instant) -> [(line: Line, isHigh: Bool)] {
    var levels: [(line: Line, isHigh: Bool)] = []
    for index in lamps.indices {
      guard let began = lamps[index].began, let pattern = lamps[index].pattern else { continue }
      let isOn = pattern.state(after: now - began).isOn
      guard isOn != lamps[index].isOn else { continue }
      lamps[index].isOn = isOn
      let isHigh = isOn != lamps[index].settings.isActiveLow
      if case .line(let line) = lamps[index].settings.place {
        levels.append((line, isHigh))
      } else {
        lamps[index].led?.set(isOn: isHigh)
      }
    }
    return levels
  }

  private func pattern(of topic: LightSettings.Topic) -> LightPattern {
    if topic != .state {
      return topics.contains(topic) ? patterns[topic] ?? .steady(100) : .steady(0)
    }
    let urgent = Self.usual.first { topics.contains($0.topic) }
    return urgent.flatMap { patterns[$0.topic] } ?? .steady(0)
  }
}
