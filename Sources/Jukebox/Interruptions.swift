/// All sound, and all silence, that is not the queue's.
public enum Source: UInt8, CaseIterable, Hashable, Sendable {
  case lineIn
  case announcement
  case recording
  case alarm
  /// A contact of the house: the telephone or the door bell.
  case contact
  case mediumGone
  case outputGone
  case powerLow
}

/// What a source does to everything of lower priority while it lasts.
public enum Policy: Equatable, Sendable {
  case pause
  case duck(Decibels)
  case mix
  case mute
}

/// What a press that starts or stops the queue does while a source pauses it.
///
/// | rule | play, toggle, next, previous, an item | pause, stop |
/// |---|---|---|
/// | waits | heard once the source ends; toggle of a queue meant to play means pause | stays silent once the source ends |
/// | givesWay | the source falls silent and the queue plays; toggle means play | the source plays on, the queue stays silent once it ends |
/// | dismissed | the source falls silent, the queue goes on as it was; nothing else happens | the same |
///
/// Volume, modes, edits of the queue and the sleep timer act as ever. `seek` moves the position
/// without a sound.
public enum PressRule: UInt8, CaseIterable, Equatable, Sendable {
  case waits
  case givesWay
  case dismissed
}

/// How a source stands towards the queue and towards other sources.
public struct SourceRule: Equatable, Sendable {
  public var priority: Int
  public var policy: Policy
  /// Whether what played before plays on afterwards.
  public var resumes: Bool
  public var press: PressRule

  public init(priority: Int, policy: Policy, resumes: Bool, press: PressRule) {
    self.priority = priority
    self.policy = policy
    self.resumes = resumes
    self.press = press
  }
}

extension Source {
  public var usualRule: SourceRule {
    switch self {
    case .lineIn: SourceRule(priority: 20, policy: .pause, resumes: true, press: .givesWay)
    case .announcement:
      SourceRule(priority: 50, policy: .duck(.decibels(-15)), resumes: true, press: .waits)
    case .recording: SourceRule(priority: 40, policy: .pause, resumes: true, press: .waits)
    case .alarm: SourceRule(priority: 70, policy: .pause, resumes: true, press: .dismissed)
    case .contact: SourceRule(priority: 60, policy: .pause, resumes: true, press: .waits)
    case .mediumGone: SourceRule(priority: 10, policy: .pause, resumes: true, press: .waits)
    case .outputGone: SourceRule(priority: 90, policy: .pause, resumes: true, press: .waits)
    case .powerLow: SourceRule(priority: 80, policy: .pause, resumes: true, press: .waits)
    }
  }

  /// The sources that make a sound of their own, so that they have a gain.
  static let heard: [Source] = [.lineIn, .announcement, .alarm, .contact]
}

/// The one arbiter of everything that sounds beside the queue.
///
/// Sources begin and end in any order. Each acts by its policy on all that is below it: on the queue,
/// and on sources of lower priority, or of the same priority that began before it.
public struct Interruptions {
  public enum Event: Equatable, Sendable {
    case began(Source)
    /// `resumes` overrules the source's rule, as a caller may know better when it ends.
    case ended(Source, resumes: Bool?)
    /// Something the user did made the source fall silent until it begins again.
    case silenced(Source)
  }

  /// What the sources together do to something below them.
  struct Verdict: Equatable {
    var pauses = false
    var mutes = false
    var duck = Decibels.unity

    mutating func add(_ policy: Policy) {
      switch policy {
      case .pause: pauses = true
      case .mute: mutes = true
      case .duck(let gain): duck = min(duck, gain)
      case .mix: break
      }
    }
  }

  private struct Active: Equatable {
    var source: Source
    var silenced = false
  }

  private var active: [Active] = []
  /// Whether a source that paused the queue has ended and said not to play on.
  private var isSpent = false

  init() {}

  /// - Returns: true when nothing pauses the queue any more, and it should not play on.
  mutating func handle(
    _ event: Event, rules: [Source: SourceRule], category: SessionCategory
  ) -> Bool {
    switch event {
    case .began(let source):
      active.removeAll { $0.source == source }
      active.append(Active(source: source))
      return false
    case .ended(let source, let resumes):
      guard let index = active.firstIndex(where: { $0.source == source }) else { return false }
      let rule = rules[source] ?? source.usualRule
      let ended = active.remove(at: index)
      let paused = category.policy(of: source, rule.policy) == .pause && !ended.silenced
      if paused, !(resumes ?? rule.resumes) { isSpent = true }
      guard !verdict(onQueue: rules, category: category).pauses else { return false }
      defer { isSpent = false }
      return paused && isSpent
    case .silenced(let source):
      guard let index = active.firstIndex(where: { $0.source == source }) else { return false }
      active[index].silenced = true
      if !verdict(onQueue: rules, category: category).pauses { isSpent = false }
      return false
    }
  }

  func isActive(_ source: Source) -> Bool {
    active.contains { $0.source == source && !$0.silenced }
  }

  var sources: [Source] { active.map { $0.source } }

  func verdict(onQueue rules: [Source: SourceRule], category: SessionCategory) -> Verdict {
    var verdict = Verdict()
    for one in active where !one.silenced {
      let rule = rules[one.source] ?? one.source.usualRule
      verdict.add(category.policy(of: one.source, rule.policy))
    }
    return verdict
  }

  /// The gain at which a source is heard: unity, less where higher sources act on it, or where the
  /// queue does, as `others` says.
  func gain(of source: Source, rules: [Source: SourceRule], others: Policy) -> Decibels {
    guard let place = active.firstIndex(where: { $0.source == source }), !active[place].silenced
    else { return .silence }
    var verdict = Verdict()
    verdict.add(others)
    let own = (rules[source] ?? source.usualRule).priority
    for (index, one) in active.enumerated() where index != place && !one.silenced {
      let rule = rules[one.source] ?? one.source.usualRule
      if rule.priority > own || rule.priority == own && index > place { verdict.add(rule.policy) }
    }
    return verdict.pauses || verdict.mutes ? .silence : verdict.duck
  }

  /// The source whose rule a press goes by: the highest of those that pause the queue or can be dismissed.
  func addressee(rules: [Source: SourceRule], category: SessionCategory) -> Source? {
    var best: (source: Source, priority: Int)?
    for one in active where !one.silenced {
      let rule = rules[one.source] ?? one.source.usualRule
      let counts =
        rule.press == .dismissed || category.policy(of: one.source, rule.policy) == .pause
      guard counts, rule.priority >= best?.priority ?? rule.priority else { continue }
      best = (one.source, rule.priority)
    }
    return best?.source
  }
}
