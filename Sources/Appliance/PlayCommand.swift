internal import Audio
internal import CLinux
internal import Glibc
internal import Library

/// `jukebox play`: one loop on the main thread, between the keys, the sound and the status line.
struct PlayCommand: ~Copyable {
  private let options: PlayOptions
  private let signals: Signals
  private let deck: Deck
  private var keyboard: Keyboard?
  private var screen: Screen
  private var ticker: Ticker
  private var tracks: TrackList

  /// The track that plays, or will once its first frame is heard.
  private var current = 0
  private var state = StatusLine.State.opening
  /// Where the current track will be, from a start or seek until that is heard.
  private var destination: Duration? = .zero
  private var lengths: [UInt32: Duration] = [:]
  private var failed: Set<Int> = []
  private var hasPlayed = false
  private var isPaused = false
  /// The card is gone, or was never there.
  private var isSilent = false
  private var volume: Double
  private var isMuted = false
  /// The track whose follower the deck waits for while it is looked for.
  private var isFollowerOwed = false
  private var follower = 0

  private var ending: Ending?

  /// Takes the signals and the terminal, and starts the sound machine.
  init(_ options: PlayOptions) throws(SystemError) {
    let signals = try Signals()
    let ticker = try Ticker()
    let rate: Int? = if case .hertz(let rate) = options.rate { rate } else { nil }
    let rewinding: Rewinding =
      switch options.rewind {
      case .auto: .auto
      case .always: .always
      case .never: .never
      }
    self.options = options
    self.signals = signals
    self.ticker = ticker
    deck = Deck(
      OutputSettings(
        device: options.device, buffer: .milliseconds(options.bufferMilliseconds),
        rewinding: rewinding, rate: rate))
    keyboard = Keyboard(STDIN_FILENO)
    screen = Screen(hasStatusLine: false)
    tracks = TrackList(options.paths, loudness: options.loudness)
    volume = options.volume
  }

  /// Plays to the end, or until the user quits.
  mutating func run() -> Ending {
    takeTerminal()
    deck.setVolume(decibels: volume)
    start()
    while true {
      if let ending {
        screen.clear()
        keyboard?.leave()
        return ending
      }
      refresh()
      wait()
    }
  }

  private mutating func start() {
    let first = tracks.entry(at: 0)
    tellSkipped()
    if first == nil {
      screen.complain("nothing to play was found")
      finish()
    } else {
      play(0, from: options.start)
    }
  }

  private mutating func finish() {
    if !hasPlayed, failed.count < tracks.entries.count {
      screen.complain("nothing was played, since there was no sound after the start")
    }
    ending = hasPlayed ? .played : .nothingPlayed
  }

  // MARK: - The loop

  /// Waits until something happens and takes it up; looks for the next track in the meantime.
  private mutating func wait() {
    var descriptors = [signals.descriptor, deck.descriptor, ticker.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    if let keys = keyboard?.activeDescriptor {
      descriptors.append(pollfd(fd: keys, events: Int16(POLLIN), revents: 0))
    }
    let count = nfds_t(descriptors.count)
    guard unsafe poll(&descriptors, count, isFollowerOwed ? 0 : -1) > 0 else {
      if isFollowerOwed { lookForFollower() }
      return
    }
    while let signal = signals.next() { take(signal) }
    for event in deck.takeEvents() { take(event) }
    ticker.clear()
    if descriptors.count > 3, descriptors[3].revents != 0 {
      for stroke in keyboard?.read() ?? [] { if let key = Key(stroke) { take(key) } }
    }
  }

  /// Brings the status line up to date, and has it done again when the clock on it changes.
  private mutating func refresh() {
    guard screen.hasStatusLine, ending == nil, current < tracks.entries.count else { return }
    let place = position
    screen.show(
      StatusLine(
        state: isSilent ? .waiting : isPaused ? .paused : state,
        title: tracks.entries[current].label, position: place,
        length: lengths[UInt32(current)], volume: isMuted ? nil : volume))
    if isPaused || isSilent || destination != nil {
      ticker.stop()
    } else {
      ticker.set(in: .seconds(place.components.seconds + 1) - place)
    }
  }

  /// The place in the current track.
  private var position: Duration {
    if let destination { return destination }
    guard let heard = deck.position, heard.id == UInt32(current) else { return .zero }
    return heard.place
  }

  private mutating func tellSkipped() {
    for skipped in tracks.skipped { screen.complain(skipped.description) }
    tracks.skipped = []
  }

  // MARK: - Sound

  private mutating func take(_ event: Deck.Event) {
    switch event {
    case .opened(let id, let length, let format):
      lengths[id] = length
      if options.isVerbose {
        screen.complain(
          "\(tracks.entries[Int(id)].path): \(format.rate) Hz, \(format.channels) channels"
            + (format.bits > 0 ? ", \(format.bits) bit" : ""))
      }
    case .started(let id):
      hasPlayed = true
      let isNew = state == .opening || current != Int(id)
      current = Int(id)
      state = .playing
      destination = nil
      if isNew { tellTrack() }
    case .failed(let id, let error):
      failed.insert(Int(id))
      screen.complain("\(tracks.entries[Int(id)].path): \(error)")
    case .left, .outputFound, .outputRests, .recovered: break
    case .wantsNext(let id):
      follower = Int(id) + 1
      isFollowerOwed = true
      lookForFollower()
    case .finished:
      finish()
    case .outputReady(let rate, let format):
      if isSilent { screen.tell("the sound card is back") }
      isSilent = false
      if case .hertz(let wanted) = options.rate, wanted != rate {
        screen.complain("\(options.device) has no \(wanted) Hz: playing at \(rate) Hz")
      } else if options.isVerbose {
        screen.complain("\(options.device): \(rate) Hz, \(format)")
      }
    case .outputLost(let reason):
      isSilent = true
      screen.complain(
        "\(options.device): \(reason); playing \(hasPlayed ? "goes on" : "begins") when it is there"
          + (hasPlayed ? "" : " (aplay -L names the devices; q or Ctrl-C ends)"))
    case .noRealtime(let reason):
      screen.complain("no realtime priority (\(reason)); playing without")
    case .underrun(let isLate):
      if options.isVerbose {
        screen.complain(isLate ? "the decoder was late: a gap" : "the card ran dry: a gap")
      }
    }
  }

  /// Tells the deck what comes next if it is known; else looks one step further.
  private mutating func lookForFollower() {
    if follower >= tracks.entries.count, !tracks.isComplete {
      tracks.look()
      tellSkipped()
    }
    if follower < tracks.entries.count {
      deck.follow(with: tracks.item(at: follower))
      isFollowerOwed = false
    } else if tracks.isComplete {
      deck.follow(with: nil)
      isFollowerOwed = false
    }
  }

  private mutating func tellTrack() {
    let time = lengths[UInt32(current)].map { " (\(clock($0)))" } ?? ""
    screen.tell("playing \(tracks.entries[current].label)\(time)")
  }

  private mutating func play(_ place: Int, from start: Duration = .zero) {
    current = place
    state = .opening
    destination = start
    isPaused = false
    isFollowerOwed = false
    deck.play(tracks.item(at: place), from: start)
  }

  // MARK: - Keys

  private mutating func take(_ key: Key) {
    switch key {
    case .playPause: setPaused(!isPaused)
    case .next: next()
    case .previous: previous()
    case .left: seek(by: .seconds(-5))
    case .right: seek(by: .seconds(5))
    case .louder: change(volume: min(0, volume + 2))
    case .softer: change(volume: max(-100, volume - 2))
    case .mute: setMuted(!isMuted)
    case .quit: ending = .played
    }
  }

  private mutating func setPaused(_ pause: Bool) {
    isPaused = pause
    if pause { deck.pause() } else { deck.resume() }
    screen.tell(pause ? "paused" : "resumed")
  }

  private mutating func next() {
    let place = current + 1
    let isThere = tracks.entry(at: place) != nil
    tellSkipped()
    if isThere {
      play(place)
    } else {
      finish()
    }
  }

  /// The beginning of this track; within its first 5 seconds the track before.
  private mutating func previous() {
    let before = position > .seconds(5) ? nil : (0..<current).last { !failed.contains($0) }
    play(before ?? current)
  }

  private mutating func seek(by step: Duration) {
    let place = max(.zero, position + step)
    if let length = lengths[UInt32(current)], place >= length {
      next()
      return
    }
    destination = place
    deck.seek(tracks.item(at: current), to: place)
  }

  private mutating func setMuted(_ mute: Bool) {
    isMuted = mute
    deck.setVolume(decibels: mute ? -.infinity : volume)
    screen.tell(mute ? "muted" : "volume \(decibels(volume))")
  }

  /// A new volume is meant to be heard, so it ends a mute.
  private mutating func change(volume: Double) {
    self.volume = volume
    isMuted = false
    deck.setVolume(decibels: volume)
    screen.tell("volume \(decibels(volume))")
  }

  // MARK: - Signals

  private mutating func take(_ signal: Signals.Signal) {
    switch signal {
    case .end(let number):
      ending = .signal(number)
    case .suspend:
      suspend()
    case .resume:
      takeTerminal()
    case .resize:
      screen.columns = terminalColumns(STDOUT_FILENO)
    }
  }

  /// Falls silent, gives the terminal back, and stops until the shell lets it go on.
  private mutating func suspend() {
    if !isPaused { deck.pause() }
    screen.clear()
    keyboard?.leave()
    // The ramp down needs a few milliseconds; once stopped, the audio thread can't make it.
    poll(nil, 0, 100)
    kill(getpid(), SIGSTOP)
    if !isPaused { deck.resume() }
  }

  /// Uses the terminal as far as it is there and ours; a program in the background leaves it alone.
  private mutating func takeTerminal() {
    let isOurs = keyboard?.isInForeground ?? true
    if isOurs {
      keyboard?.enter()
    } else {
      keyboard?.leave()
    }
    screen.hasStatusLine = isOurs && isatty(STDOUT_FILENO) == 1
    screen.columns = terminalColumns(STDOUT_FILENO)
  }
}
