public import Jukebox

/// A board, its user and its troubles, around one player.
public struct World {
  public private(set) var player = Player()
  public private(set) var now = Instant(nanoseconds: 1_000_000_000)
  public private(set) var events = 0
  /// The first rule that was broken.
  public private(set) var violation: String?
  /// All that was sent, as a flight record.
  public private(set) var record: [String] = []
  /// The same, with the effects of each event as a replay prints them.
  public private(set) var told: [String] = []

  private let keepsRecord: Bool
  private var settings: Settings
  private var deck = ModelDeck()
  private var checks = Checks()
  private var wake: Instant?
  private var isOff = false
  private var lever = false
  /// What was written last, as a power cut leaves it.
  private var written = (state: [UInt8](), queue: [UInt8]())
  private var found: [MediumID] = []
  private var nextTrack: Int64 = 1
  private var knob = TurnedKnob(at: Instant(nanoseconds: 0))

  public init(keepsRecord: Bool = false) {
    self.keepsRecord = keepsRecord
    settings = Self.settings
    for number in 1...3 { deck.plug(MediumID(Int32(number)), isThere: false) }
    boot([], [])
  }

  // MARK: - Steps

  public mutating func take(_ step: Step) {
    guard violation == nil else { return }
    if isOff { restart() }
    checks.wakes.stepBegan(at: now)
    advance(to: now)
    switch step {
    case .wait(let milliseconds): advance(to: now + .milliseconds(Int64(milliseconds)))
    case .press(let button, let milliseconds, let seed):
      if button == 2 { checks.shuffling.pressMayGoBack(until: now + .seconds(4)) }
      press(Line(UInt16(button)), for: .milliseconds(Int64(milliseconds)), seed: seed)
    case .turn(let right, let detents, let seed):
      checks.shuffling.pressMayGoBack(until: now + .seconds(4))
      turn(right, detents, seed: seed)
    case .flipLineIn(let isOn):
      guard isOn != lever else { return }
      lever = isOn
      checks.silence.source(.lineIn, begins: isOn)
      send(.edge(Line(6), isHigh: !isOn))
      advance(to: now + .milliseconds(30))
    case .command(let command): self.command(command)
    case .selectPlace(let place): item(place).map { send(.pressed(.select($0))) }
    case .movePlace(let place, let target):
      let count = max(player.lineup.queue.count, 1)
      item(place).map { send(.pressed(.move($0, to: target % count))) }
    case .removePlace(let place): item(place).map { send(.pressed(.remove($0))) }
    case .add(let count, let asNext, let seed):
      let tracks = tracks(count, seed: seed)
      send(.pressed(asNext ? .insertNext(tracks) : .append(tracks)))
    case .replace(let count, let seed): send(.found(tracks(count, seed: seed), .replace))
    case .medium(let number, let isThere):
      let medium = MediumID(Int32(number + 1))
      deck.plug(medium, isThere: isThere)
      send(isThere ? .mediumAdded(medium) : .mediumRemoved(medium))
    case .output(let isThere):
      checks.silence.source(.outputGone, begins: !isThere)
      send(isThere ? .outputReady : .outputLost)
    case .interruption(let source, let begins):
      checks.silence.source(source, begins: begins)
      send(begins ? .interruptionBegan(source) : .interruptionEnded(source, resumes: nil))
    case .power(let event): send(.power(event))
    case .clock(let minute): send(.clockSet(minute: minute))
    case .suspend(let minutes):
      now = now + .minutes(Int64(minutes))
      checks.shuffling.suspended(for: .minutes(Int64(minutes)))
      advance(to: now)
    case .restart: restart()
    case .reconfigure(let seed):
      settings = Self.settings(seed)
      restart()
    case .powerCut: cutPower()
    }
  }

  private func item(_ place: Int) -> ItemID? {
    let queue = player.lineup.queue
    return queue.count > 0 ? queue[place % queue.count].id : nil
  }

  private mutating func command(_ command: Command) {
    if case .setCategory(let category) = command { checks.silence.category = category }
    send(.pressed(command))
  }

  private mutating func tracks(_ count: Int, seed: UInt64) -> [Track] {
    var random = Random(seed: seed)
    return (0..<count).map { _ in
      defer { nextTrack += 1 }
      let album = random.below(8)
      return Track(
        id: TrackID(nextTrack), medium: MediumID(Int32(random.below(4))),
        artist: UInt32(album / 2), album: UInt32(album), disc: 1,
        number: UInt16(random.below(12)))
    }
  }

  private mutating func press(_ line: Line, for length: Interval, seed: UInt64) {
    var random = Random(seed: seed)
    let bounce = Bounce()
    var edges = bounce.change(to: true, at: now, &random)
    if random.below(4) == 0, length > .milliseconds(60) {
      edges += bounce.glitch(at: now + .milliseconds(40), &random)
    }
    edges += bounce.change(to: false, at: now + max(length, .milliseconds(30)), &random)
    for edge in edges {
      advance(to: edge.at)
      send(.edge(line, isHigh: edge.isHigh))
    }
    advance(to: now + .milliseconds(10 + Int64(random.below(700))))
  }

  private mutating func turn(_ right: Bool, _ detents: Int, seed: UInt64) {
    var random = Random(seed: seed)
    for _ in 0..<detents {
      let apart = Interval.milliseconds(2 + Int64(random.below(20)))
      let start = now - knob.now
      let edges = knob.detent(right: right, edges: 4, apart: apart, bounce: Bounce(), &random)
      for (isA, edge) in edges where random.below(200) > 0 {
        advance(to: max(edge.at + start, now))
        send(.edge(Line(isA ? 4 : 5), isHigh: edge.isHigh))
      }
      advance(to: now + apart)
    }
  }

  // MARK: - Time

  private mutating func advance(to target: Instant) {
    while violation == nil, !isOff {
      let report = deck.untilReport.map { now + $0 }
      guard let next = [wake, report].compactMap({ $0 }).min(), next <= target else { break }
      if next > now {
        deck.run(for: next - now)
        now = next
      }
      if let due = wake, due <= now {
        wake = nil
        violation = checks.wakes.fired(at: now, isRunning: deck.isRunning)
        send(.timerFired)
      } else {
        for event in deck.report() { send(event) }
      }
    }
    if target > now {
      deck.run(for: target - now)
      now = target
    }
  }

  private mutating func send(_ event: Event) {
    guard violation == nil, !isOff else { return }
    events += 1
    checks.before(event, player, deck, at: now)
    let effects = player.handle(event, at: now)
    if keepsRecord {
      record.append(FlightRecord.line(event, at: now))
      told.append(FlightRecord.line(event, at: now))
      for effect in effects { told.append("  " + FlightRecord.line(effect)) }
    }
    for effect in effects {
      if let wrong = deck.take(effect) { violation = violation ?? wrong }
      switch effect {
      case .wake(let time): wake = time
      case .shutDown: isOff = true
      case .saveState(let bytes): written.state = bytes
      case .saveQueue(let bytes): written.queue = bytes
      case .scan(let medium): found.append(medium)
      case .load, .follow, .prepare, .pause, .resume, .stop, .setGain, .setSourceGain, .dismiss,
        .finished, .notify, .report, .find, .light, .releaseMedia, .sleep, .stayOff:
        break
      }
    }
    violation = violation ?? checks.after(event, effects, player, deck, at: now)
    if let medium = found.popLast() { send(.scanFinished(medium)) }
  }

  // MARK: - Restarts

  private mutating func restart() {
    let saved = player.savedState(at: now)
    written = (saved.stateBytes, saved.queueBytes)
    boot(written.state, written.queue)
  }

  /// The board goes dark at once and begins again with what was written last.
  private mutating func cutPower() {
    violation = violation ?? checks.lost(written.state, written.queue, player, at: now)
    boot(written.state, written.queue, afterCut: true)
  }

  private mutating func boot(_ state: [UInt8], _ queue: [UInt8], afterCut isCut: Bool = false) {
    player = Player()
    let missing = deck.missing
    deck = ModelDeck()
    for medium in missing { deck.plug(medium, isThere: false) }
    wake = nil
    isOff = false
    let minute = checks.loudness.minute(at: now)
    checks.restart(settings, afterCut: isCut)
    send(.configured(settings))
    if let minute { send(.clockSet(minute: minute)) }
    send(.started(state: state, queue: queue, seed: 7))
    violation = violation ?? checks.restored(state, queue, settings, player, at: now)
    for number in 1...3 where !missing.contains(MediumID(Int32(number))) {
      send(.mediumAdded(MediumID(Int32(number))))
    }
    checks.silence.source(.lineIn, begins: lever)
    send(.level(Line(6), isHigh: !lever))
    advance(to: now + .milliseconds(30))
  }
}
