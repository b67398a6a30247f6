internal import Audio
internal import Devices
internal import Glibc
internal import Jukebox
internal import Library

/// The thing itself: what happens goes to the brains, and what they say is done.
///
/// Belongs to the main thread, which never waits but in `Loop.wait`. Files are opened and read by the
/// deck's decoder, the scanners, the librarian and the keeper, each on a thread of its own.
final class Appliance {
  let options: RunOptions
  /// As the files say it, and the command line.
  var ownSettings: Configuration
  /// The same, and what the sticks say that are here.
  var settings: Configuration
  /// The folders that settings files are in.
  let settingsFolders: FolderWatch
  let readings = Mailbox<(settings: Configuration, faults: [String])>()
  let journal: Journal
  let deck: Deck
  let cardVolume = CardVolume()
  let keeper: Keeper
  let librarian: Librarian
  let supervisor = Supervisor()

  var loop: Loop
  var player = Player()
  var sound = SoundState()
  var shelf: Shelf
  var hands = Hands()
  var remotes: Remotes
  var alarms = Alarms()
  /// When the process is to end, and how.
  var leaving: Leaving?
  var ending: Ending?

  private let signals: Signals
  private let ticker: Ticker
  let clock = WallClock()
  /// What has happened and is not yet told to the brains.
  private var events: [(event: Event, at: Instant?)] = []
  private var isTelling = false
  private var last = Instant(nanoseconds: 0)
  private var record = ""
  private var recordSize = 0

  /// Takes the signals, so before any thread; then starts the sound machine.
  init(_ options: RunOptions, state folder: Path) throws(SystemError) {
    self.options = options
    journal = Journal(isVerbose: options.isVerbose)
    let (settings, faults) = options.settings()
    ownSettings = settings
    self.settings = settings
    for fault in faults { journal.warn(fault) }
    settingsFolders = try FolderWatch(
      options.settingsFiles.map(\.parent), for: RunOptions.settingsEvents)
    signals = try Signals()
    ticker = try Ticker()
    loop = try Loop()
    sound.device = options.device(settings)
    deck = Deck(options.output(sound.device))
    keeper = Keeper(folder: folder)
    var media: [Path] = []
    for folder in options.media { media.append(try folder.absolute()) }
    shelf = try Shelf(media)
    remotes = Remotes(folder: folder)
    librarian = Librarian(
      library: options.library ?? folder.appending(Path("library.db")),
      loudness: settings.loudness)
  }

  // MARK: - Start and end

  /// Sound first: the state, then the media that were here; the library, the scans and the socket
  /// come when the first track is on its way.
  func run() -> Ending {
    loop.watch(deck.descriptor, .sound)
    loop.watch(shelf.lookout.sightings.descriptor, .lookout)
    for folder in shelf.folders.folders { look(at: folder) }
    restore()
    openHotPlug()
    loop.watch(signals.descriptor, .signals)
    loop.watch(ticker.descriptor, .timer)
    loop.watch(clock.descriptor, .clock)
    loop.watch(shelf.folders.descriptor, .folders)
    loop.watch(shelf.releases.descriptor, .releases)
    loop.watch(librarian.answers.descriptor, .librarian)
    loop.watch(keeper.reports.descriptor, .keeper)
    keeper.start()
    librarian.start()
    openLines()
    openKeys()
    openPanel()
    openLights()
    loop.watch(readings.descriptor, .settings)
    loop.watch(cardVolume.reports.descriptor, .mixer)
    cardVolume.start()
    openMixer()
    loop.watch(settingsFolders.descriptor, .settingsFiles)
    openRemotes()
    supervisor.tell("READY=1")
    if let interval = supervisor.interval { alarms.set(.watchdog, at: now + Interval(interval)) }
    if !isSounding { alarms.set(.rest, at: now + settings.rest) }
    sayWhatIsMissing()
    while true {
      if let ending {
        hands.panel?.leave()
        return ending
      }
      setTicker()
      if let time = loop.holdUp {
        journal.warn("the loop was held up for \(Int(time / .milliseconds(1))) ms")
      }
      for ready in loop.wait(hasWork: !remotes.busy.isEmpty) { take(ready) }
      serveBusy()
      showLights()
      showPanel()
      keepRecord()
    }
  }

  private func restore() {
    let session = SavedSession(Keeper.kept(Keeper.sessionFile(in: keeper.folder)))
    let queue = Keeper.kept(Keeper.queueFile(in: keeper.folder))
    shelf.known = session.media
    shelf.left = session.left
    for place in session.places { sound.places[place.track] = place }
    var brains = settings.withPanel.brains
    let saved = SavedState.salvaged(state: session.state, queue: []).0
    brains.volume.start = min(brains.volume.start ?? saved.level, settings.safeLevel)
    keeper.record("", isNew: true)
    tell(.configured(brains))
    tellClock()
    tell(
      .started(
        state: session.state, queue: queue, seed: UInt64.random(in: .min ... .max)))
    if let shuffle = settings.shuffle { tell(.pressed(.setShuffle(shuffle))) }
    sound.isToRise = !session.state.isEmpty
  }

  private func sayWhatIsMissing() {
    if player.lineup.queue.count == 0 {
      journal.say(
        shelf.folders.folders.isEmpty && hands.hotPlug == nil
          ? "nothing to play yet: no media are given (--media DIR)"
          : "waiting for a medium with music")
    }
    for parent in shelf.folders.missingParents {
      journal.warn("\(parent): not there, so media in it will not be seen to come")
    }
  }

  // MARK: - The loop

  private func take(_ ready: Loop.Ready) {
    switch ready.kind {
    case .sound: takeSound()
    case .librarian: for answer in librarian.answers.take() { take(answer) }
    case .keeper: for report in keeper.reports.take() { take(report) }
    case .lookout: for sighting in shelf.lookout.sightings.take() { take(sighting) }
    case .scanner: takeScan(ready.descriptor)
    case .folders: for event in shelf.folders.takeEvents() { take(event) }
    case .timer: takeTimer()
    case .signals: while let signal = signals.next() { take(signal) }
    case .listener: admitRemotes()
    case .client: serve(ready)
    case .hotPlug: takeHotPlug()
    case .lines: takeLines()
    case .keys: takeKeys()
    case .settings: for reading in readings.take() { take(reading) }
    case .settingsFiles: takeSettingsFiles()
    case .releases: takeReleases()
    case .clock: takeClock()
    case .mixer: for report in cardVolume.reports.take() { take(report) }
    case .survey: takeSurvey()
    case .keyboard: takeStrokes()
    }
  }

  private func take(_ signal: Signals.Signal) {
    switch signal {
    // A terminal that has hung up is no place to go on at.
    case .end(SIGHUP) where hands.panel == nil: readSettings()
    case .end(let number): leave(.signal(number))
    case .suspend: suspend()
    case .resume, .resize: resume(signal)
    }
  }

  private func take(_ report: Keeper.Report) {
    switch report {
    case .failed(let reason):
      journal.warn("can't save: \(reason); playing goes on, and it is tried again")
    case .works: journal.say("saving works again")
    case .flushed: leaving?.isSaved = true
    }
    endIfDone()
  }

  // MARK: - Telling the brains

  /// The time, on the brains' clock.
  var now: Instant { Instant(nanoseconds: monotonicNanoseconds()) }

  /// Tells the brains of an event and does what they say; called from within, the event waits its turn.
  ///
  /// `moment` is when the kernel saw it, if that is known.
  func tell(_ event: Event, at moment: Instant? = nil) {
    events.append((event, moment))
    guard !isTelling else { return }
    isTelling = true
    var next = 0
    while next < events.count {
      let (event, moment) = events[next]
      next += 1
      let time = moment ?? now
      // At one and the same time, or the brains would count on from the place.
      if isPlaceWanted(event), let place = heard { handle(place, at: time) }
      handle(event, at: time)
    }
    events.removeAll(keepingCapacity: true)
    isTelling = false
  }

  private func handle(_ event: Event, at moment: Instant) {
    // Time never runs backward, whatever the line says that an edge came by.
    last = max(last, min(moment, now))
    if case .pressed = event { sound.isToRise = false }
    note(event, at: last)
    for effect in player.handle(event, at: last) { perform(effect) }
    // A new place is no news to anyone, but it is what a power cut must not undo.
    switch event {
    case .pressed(.seek), .pressed(.seekBy), .pressed(.skipToBeginning): saveAtOnce()
    default: break
    }
  }

  /// Whether the brains should know the place to the frame before they hear of an event.
  private func isPlaceWanted(_ event: Event) -> Bool {
    switch event {
    case .pressed, .timerFired, .mediumRemoved, .power, .outputLost, .interruptionBegan, .failed,
      .ended:
      true
    case .configured, .started, .edge, .level, .found, .opened, .trackStarted, .progressed,
      .outputReady, .mediumAdded, .scanFinished, .interruptionEnded, .clockSet:
      false
    }
  }

  // MARK: - The flight record

  private func note(_ event: Event, at moment: Instant) {
    if recordSize > RecordFile.limit, case .timerFired = event { beginRecord(at: moment) }
    let line = FlightRecord.line(event, at: moment) + "\n"
    record += line
    recordSize += line.utf8.count
    if journal.isVerbose { journal.debug(String(line.prefix(300).dropLast())) }
  }

  /// A record that has grown long ends, and the next begins with all that a replay needs.
  private func beginRecord(at moment: Instant) {
    keepRecord()
    let saved = player.savedState(at: moment)
    record =
      FlightRecord.line(.configured(player.settings), at: moment) + "\n"
      + FlightRecord.line(
        .started(state: saved.stateBytes, queue: saved.queueBytes, seed: 0), at: moment) + "\n"
    recordSize = record.utf8.count
    keeper.record(record, isNew: true)
    record = ""
  }

  func keepRecord() {
    guard !record.isEmpty else { return }
    keeper.record(record)
    record = ""
  }

  // MARK: - Time

  private func setTicker() {
    if let next = alarms.next {
      ticker.set(in: Duration(next - now))
    } else {
      ticker.stop()
    }
  }

  private func takeTimer() {
    ticker.clear()
    let now = now
    for alarm in alarms.take(at: now) {
      switch alarm {
      case .brains: tell(.timerFired)
      case .fingers: moveFingers()
      case .amplifier: amplifierIsReady()
      case .clock: tellClock()
      case .fader: setVolume()
      case .lights: tickLights()
      // It is drawn in any case.
      case .panel: break
      case .rest: rest()
      case .watchdog:
        supervisor.tell("WATCHDOG=1")
        if let interval = supervisor.interval {
          alarms.set(.watchdog, at: now + Interval(interval))
        }
      case .end:
        leaving?.isOver = true
        endIfDone()
      }
    }
  }

  var isSounding: Bool {
    switch player.state {
    case .playing, .seekingForward, .seekingBackward: true
    case .stopped, .paused, .interrupted: false
    }
  }
}
