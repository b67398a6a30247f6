/// Everything the appliance decides: what happened goes in, what is to be done comes out.
///
/// A value: no clock, no files, no threads. Every event comes with its time, and every wait is a `wake`
/// asked for. The parts are machines of their own; the player passes events on to them, and then
/// `settle` compares what should sound with what the deck was told, and says the difference.
public struct Player {
  /// What the deck was told to play.
  struct Deck {
    var item: Item
    var generation: Generation
    var isPaused = false
    var hasStarted = false
    /// How many media had been added when the item was loaded.
    var additions: UInt32
    /// Why the item will not be played to its end.
    var failure: Finish?
  }

  /// What was told last, so that only changes are told.
  struct Told {
    var gain: Decibels?
    /// What follows, or is prepared; untold after a load or the start of a track.
    var follow: ItemID?
    var isFollowTold = false
    var sourceGains: [Source: Decibels] = [:]
    var wake: Instant?
    var light: Light?
    var state = PlaybackState.stopped
    var item: ItemID?
    var level: Int?
    var isMuted = false
    var options = Options()
    var queueVersion: UInt32 = 0
    var shuffleVersion: UInt32?
  }

  public internal(set) var settings = Settings()
  public internal(set) var lineup = Lineup(seed: 0) { didSet { isFollowStale = true } }
  var media = Media() { didSet { isFollowStale = true } }
  var interruptions = Interruptions()
  public internal(set) var category = SessionCategory.playback
  public internal(set) var volume = Volume(level: 60, limits: VolumeLimits())
  public internal(set) var sleep = SleepTimer() { didSet { isFollowStale = true } }
  var seeking: Seeking?
  public internal(set) var panel = Panel(Controls())
  var power = Power()
  public internal(set) var points = ResumePoints()
  var saving = Saving()

  /// What the user wants, whatever may be in the way of it.
  var intent = SavedState.Intent.stop
  var deck: Deck?
  public internal(set) var generation = Generation(0)
  /// The position in the current item, as of `movingSince` while it moves.
  var position = Interval.zero
  var movingSince: Instant?
  /// Whether the deck must load the current item anew: another item, or another position.
  var needsLoad = true
  var tags: Tags?
  var nextTags: (item: ItemID, tags: Tags)?
  /// Until when to wait for the medium of the item that played before the restart.
  var patience: Instant?
  var clock: (minute: Int, at: Instant)?

  var told = Told()
  var isFollowStale = true
  var areTagsNews = false
  var effects: [Effect] = []
  /// What comes after all other effects of the event.
  var closing: [Effect] = []

  public init() {}

  public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
    var changes = false
    if let wake = told.wake, now >= wake {
      told.wake = nil
      timersFired(at: now)
      changes = true
    }
    switch event {
    case .edge(let line, let isHigh):
      changes = touch(.edge(line, isHigh: isHigh), at: now) || changes
    case .level(let line, let isHigh):
      changes = touch(.level(line, isHigh: isHigh), at: now) || changes
    case .timerFired: break
    case .configured, .started, .pressed, .found, .opened, .trackStarted, .progressed, .failed,
      .ended, .outputLost, .outputReady, .mediumAdded, .mediumRemoved, .scanFinished,
      .interruptionBegan, .interruptionEnded, .power, .clockSet:
      take(event, at: now)
      changes = true
    }
    if changes { settle(at: now) }
    rearm(at: now)
    guard !effects.isEmpty else { return [] }
    let due = effects
    effects = []
    return due
  }

  private mutating func take(_ event: Event, at now: Instant) {
    switch event {
    case .configured(let settings): configure(settings)
    case .started(let state, let queue, let seed): start(state, queue, seed: seed, at: now)
    case .pressed(let command): perform(command, at: now)
    case .found(let tracks, let placement):
      guard !tracks.isEmpty else { return }
      switch placement {
      case .replace: edit(.replace(tracks), at: now)
      case .append: edit(.append(tracks), at: now)
      case .next: edit(.insertNext(tracks), at: now)
      }
    case .opened(let item, let generation, let tags): opened(item, generation, tags)
    case .trackStarted(let item, let generation): trackStarted(item, generation, at: now)
    case .progressed(let item, let generation, let position):
      progressed(item, generation, position, at: now)
    case .failed(let item, let generation, let fault):
      failed(item, generation, fault, at: now)
    case .ended(let generation):
      guard generation == deck?.generation else { return }
      trackEnded(at: now)
    case .outputLost: interrupt(.began(.outputGone))
    case .outputReady: interrupt(.ended(.outputGone, resumes: nil))
    case .mediumAdded(let medium):
      if media.handle(.added(medium)) { effects.append(.scan(medium)) }
    case .mediumRemoved(let medium): media.handle(.removed(medium))
    case .scanFinished: media.handle(.roundBegan)
    case .interruptionBegan(let source): interrupt(.began(source))
    case .interruptionEnded(let source, let resumes):
      interrupt(.ended(source, resumes: resumes))
    case .power(let event): carryOut(power.handle(event, at: now), at: now)
    case .clockSet(let minute): setClock(minute, at: now)
    case .edge, .level, .timerFired: break
    }
  }

  mutating func configure(_ settings: Settings) {
    self.settings = settings
    panel = Panel(settings.controls)
    volume.handle(.limited(settings.volume))
    category = settings.category
    if let clock { volume.handle(.quietHours(isQuiet(at: clock.minute))) }
  }

  mutating func interrupt(_ event: Interruptions.Event) {
    let stays = interruptions.handle(event, rules: settings.rules, category: category)
    if stays, intent == .play { intent = .pause }
  }

  func rule(of source: Source) -> SourceRule { settings.rules[source] ?? source.usualRule }

  // MARK: - Hands and time

  /// - Returns: whether a command came of it.
  private mutating func touch(_ event: Panel.Event, at now: Instant) -> Bool {
    var commands: [Command] = []
    panel.handle(event, at: now, into: &commands)
    for command in commands { perform(command, at: now) }
    return !commands.isEmpty
  }

  private mutating func timersFired(at now: Instant) {
    _ = touch(.timerFired, at: now)
    seekOn(at: now)
    if sleep.handle(.timerFired, at: now) == .over, intent == .play {
      intent = .pause
      seeking = nil
    }
    carryOut(power.timerFired(at: now), at: now)
    if let until = patience, now >= until { patience = nil }
    if let clock {
      let passed = (now - clock.at).nanoseconds / Interval.minutes(1).nanoseconds
      if passed > 0 {
        let minute = Int((Int64(clock.minute) + passed) % 1_440)
        setClock(minute, at: clock.at + .minutes(passed))
      }
    }
    save(all: false, at: now)
  }

  private mutating func setClock(_ minute: Int, at now: Instant) {
    let minute = ((minute % 1_440) + 1_440) % 1_440
    clock = (minute, now)
    volume.handle(.quietHours(isQuiet(at: minute)))
  }

  private func isQuiet(at minute: Int) -> Bool {
    settings.volume.quiet?.contains(minute) ?? false
  }

  /// Asks for the next wake-up when it is sooner than the one asked for.
  private mutating func rearm(at now: Instant) {
    let excerpt = deck?.isPaused == false ? seeking?.deadline : nil
    var next = earlier(panel.deadline, excerpt)
    next = earlier(next, earlier(sleep.deadline(after: now), power.deadline(after: now)))
    next = earlier(next, earlier(saving.deadline, patience))
    if let quiet = settings.volume.quiet, let clock {
      next = earlier(
        next, clock.at + .minutes(Int64(quiet.minutesToChange(after: clock.minute))))
    }
    guard let next else { return }
    if let wake = told.wake, wake <= next { return }
    told.wake = next
    effects.append(.wake(at: next))
  }

  mutating func carryOut(_ steps: [Power.Step], at now: Instant) {
    for step in steps {
      switch step {
      case .save: save(all: true, at: now)
      case .releaseMedia: closing.append(.releaseMedia)
      case .beginLow: interrupt(.began(.powerLow))
      case .endLow: interrupt(.ended(.powerLow, resumes: nil))
      case .sleep: closing.append(.sleep)
      case .wake: isFollowStale = true
      case .stayOff: closing.append(.stayOff)
      case .shutDown: closing.append(.shutDown)
      }
    }
  }
}
