internal import Audio
internal import Devices
internal import Glibc
internal import Jukebox
internal import Library

/// Between the brains' words and the deck's.
extension Appliance {
  // MARK: - What the brains want

  func load(_ item: Jukebox.Item, from place: Interval, _ generation: Generation) {
    sound.generation = generation
    sound.load = SoundState.Load(item: item, place: place)
    sound.follow = nil
    sound.prepare = nil
    sound.isPaused = false
    carryOn()
  }

  func follow(_ item: Jukebox.Item?) {
    sound.follow = .some(item)
    carryOn()
  }

  func prepare(_ item: Jukebox.Item?) {
    sound.prepare = item
    if item == nil { deck.prepare(nil) }
    carryOn()
  }

  func pause() {
    sound.isPaused = true
    sound.isToResume = false
    if sound.load == nil { deck.pause() }
  }

  func resume() {
    sound.isPaused = false
    guard sound.load == nil else { return carryOn() }
    if wakeAmplifier() { deck.resume() } else { sound.isToResume = true }
  }

  func stop() {
    sound.load = nil
    sound.follow = nil
    sound.loaded = nil
    sound.follower = nil
    deck.stop()
  }

  func setGain(_ gain: Decibels) {
    sound.gain = gain
    setVolume()
  }

  func setVolume() {
    let now = now
    _ = sound.fader.handle(at: now)
    alarms.set(.fader, at: sound.fader.deadline)
    let gain = min(sound.gain + sound.fader.gain(at: now) + settings.offset, .unity)
    deck.setVolume(
      decibels: gain <= .silence ? -.infinity : min(0, gain.decibels - setCardVolume()))
    endIfDone()
  }

  /// Tells the deck what the brains asked for, as far as it is known where the tracks are.
  func carryOn() {
    if let load = sound.load {
      guard let source = source(of: load.item), sound.isPaused || wakeAmplifier() else { return }
      sound.load = nil
      play(load, source)
    }
    if let follow = sound.follow, let loaded = sound.loaded {
      guard let item = follow else {
        sound.follow = nil
        sound.follower = nil
        deck.follow(with: nil, after: loaded.name)
        return
      }
      guard let source = source(of: item) else { return }
      sound.follow = nil
      let card = sound.follower.flatMap { $0.item.id == item.id ? $0 : nil } ?? sound.card(item)
      sound.follower = card
      deck.follow(with: Audio.Item(id: card.name, source: source), after: loaded.name)
    }
    if let item = sound.prepare, sound.loaded == nil, let source = source(of: item) {
      sound.prepare = nil
      let card = sound.card(item)
      sound.follower = card
      deck.prepare(Audio.Item(id: card.name, source: source))
    }
  }

  private func play(_ load: SoundState.Load, _ source: Audio.Source) {
    // What is open already keeps its name, so that it is not opened again.
    let known = [sound.follower, sound.loaded].compactMap { $0 }.first {
      $0.item.id == load.item.id
    }
    var card = known ?? sound.card(load.item)
    card.hasStarted = false
    sound.loaded = card
    sound.follower = nil
    if sound.isToRise {
      sound.isToRise = false
      sound.fader.rise(over: settings.rise, at: now)
      setVolume()
    }
    deck.play(Audio.Item(id: card.name, source: source), from: Duration(load.place))
    if sound.isPaused { deck.pause() }
    // It will not be told again of what is open already.
    if let tags = card.tags { tell(.opened(load.item.id, sound.generation, tags)) }
  }

  /// Where a track is; nil if the library is asked first, or if it can't be played, which is told.
  private func source(of item: Jukebox.Item) -> Audio.Source? {
    guard let place = sound.places[item.track.id] else {
      if sound.asked.insert(item.track.id).inserted { librarian.ask(.locate([item.track.id])) }
      return nil
    }
    guard let root = shelf.roots[place.medium] else {
      giveUp(item, .mediumGone)
      return nil
    }
    return place.source(at: root)
  }

  /// What was wanted of an item can't be done.
  private func giveUp(_ item: Jukebox.Item, _ fault: Fault) {
    let isLoad = sound.load?.item.id == item.id
    if isLoad { sound.load = nil }
    if case .some(.some(item)) = sound.follow { sound.follow = nil }
    if sound.prepare?.id == item.id { sound.prepare = nil }
    tell(.failed(item.id, sound.generation, fault))
    // A deck that was given nothing has nothing more to tell, so this is the end of it.
    if isLoad {
      sound.loaded = nil
      deck.stop()
      tell(.ended(sound.generation))
    }
  }

  /// The librarian's answer to `locate`.
  func located(_ tracks: [TrackID], _ places: [Place]) {
    sound.remember(places)
    sound.asked.subtract(tracks)
    renewTags(places)
    let wanted = [sound.load?.item, sound.follow ?? nil, sound.prepare].compactMap { $0 }
    for item in wanted where tracks.contains(item.track.id) && sound.places[item.track.id] == nil {
      giveUp(item, .unreadable)
    }
    carryOn()
  }

  /// A scan may have found out more of what plays, and of what follows.
  private func renewTags(_ places: [Place]) {
    for place in places {
      if let tags = sound.follower?.renewed(by: place) { sound.follower?.tags = tags }
      guard let card = sound.loaded, let tags = card.renewed(by: place) else { continue }
      sound.loaded?.tags = tags
      tell(.opened(card.item.id, sound.generation, tags))
    }
  }

  // MARK: - What the deck tells

  /// The place that is heard, in the item that the brains believe to play.
  var heard: Event? {
    guard let loaded = sound.loaded, loaded.hasStarted, let place = deck.position,
      place.id == loaded.name
    else { return nil }
    return .progressed(loaded.item.id, sound.generation, Interval(place.place))
  }

  func takeSound() {
    let now = now
    for event in deck.takeEvents() { take(event, at: now) }
  }

  /// What comes together is told as of one time: the frame that one item was left at, and the next.
  private func take(_ event: Deck.Event, at now: Instant) {
    switch event {
    case .opened(let name, let length, let format):
      guard let item = card(name)?.item else { return }
      var tags = sound.places[item.track.id]?.tags ?? Jukebox.Tags()
      tags.length = length.map { Interval($0) }
      journal.debug(
        "\(tags.path): \(format.rate) Hz, \(format.channels) channels, \(format.bits) bit")
      if sound.loaded?.name == name {
        sound.loaded?.tags = tags
      } else {
        sound.follower?.tags = tags
      }
      tell(.opened(item.id, sound.generation, tags))
    case .started(let name): started(name, at: now)
    case .left(let name, let place):
      guard let loaded = sound.loaded, loaded.name == name else { return }
      tell(.progressed(loaded.item.id, sound.generation, Interval(place)), at: now)
    case .failed(let name, let error): failed(name, error)
    // The brains say by themselves what follows, after each load and each track that starts.
    case .wantsNext: break
    case .finished:
      guard sound.load == nil else { return }
      tell(.ended(sound.generation))
    case .outputReady(let rate, let format):
      sound.output = "\(rate):\(bits(format)):2"
      journal.say("sound goes out with \(rate) Hz, \(format)")
      hasCard()
    case .outputFound: hasCard()
    case .outputRests:
      sound.output = nil
      restAmplifier()
      journal.say("the card is given back until something plays")
    case .recovered: recovered()
    case .outputLost(let reason):
      journal.warn("no sound card: \(reason); it is waited for")
      sound.hasCard = false
      sound.output = nil
      tell(.outputLost)
    case .noRealtime(let reason):
      journal.warn("no realtime priority (\(reason)); playing without")
    case .underrun(let isLate):
      sound.gaps += 1
      journal.debug(isLate ? "the decoder was late: a gap" : "the card ran dry: a gap")
    }
  }

  private func card(_ name: UInt32) -> SoundState.Card? {
    [sound.loaded, sound.follower].compactMap { $0 }.first { $0.name == name }
  }

  private func started(_ name: UInt32, at now: Instant) {
    guard sound.load == nil else { return }
    if sound.loaded?.name == name {
      guard sound.loaded?.hasStarted == false else { return }
      sound.loaded?.hasStarted = true
    } else if let follower = sound.follower, follower.name == name {
      sound.loaded = follower
      sound.loaded?.hasStarted = true
      sound.follower = nil
    } else {
      return
    }
    guard let item = sound.loaded?.item else { return }
    changeCard()
    tellClock()
    if let place = sound.places[item.track.id] { journal.say("playing \(place.path)") }
    tell(.trackStarted(item.id, sound.generation), at: now)
  }

  private func failed(_ name: UInt32, _ error: DecoderError) {
    guard let item = card(name)?.item else { return }
    let path = sound.places[item.track.id]?.path.description ?? ""
    let fault: Fault =
      switch error.kind {
      case .unreadable(ETIMEDOUT): .mediumGone
      case .unreadable: .unreadable
      case .notAudio: .unsupported
      case .damaged: .damaged
      case .missing(let package): .other("\(package) is not installed")
      }
    // What the user did on purpose is no error.
    if shelf.roots[item.track.medium] != nil { journal.warn("\(path): \(error); passed over") }
    if fault == .mediumGone { shelf.hanging.insert(item.track.medium) }
    tell(.failed(item.id, sound.generation, fault))
  }

  /// A medium on which a read hung can be read again, or at least be tried.
  private func recovered() {
    for medium in shelf.hanging where shelf.roots[medium] != nil { tell(.mediumAdded(medium)) }
    shelf.hanging = []
  }

  private func hasCard() {
    guard !sound.hasCard else { return }
    sound.hasCard = true
    openMixer()
    tell(.outputReady)
  }

  /// As MPD tells a format's samples: 16, 24, 32 or "f".
  private func bits(_ format: String) -> String {
    if format.hasPrefix("FLOAT") { return "f" }
    return format.filter(\.isNumber).isEmpty ? "*" : String(format.drop { !$0.isNumber }.prefix(2))
  }
}
