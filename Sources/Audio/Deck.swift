internal import CLinux
internal import Glibc
internal import Synchronization

/// The sound machine: plays one item after another on a card, and obeys within milliseconds.
///
/// Call from one thread. It owns two more, the decoder's and the audio thread; neither ever waits for
/// this one. Whatever happens there comes out of `takeEvents` once `descriptor` is readable.
public final class Deck {
  public enum Event: Equatable, Sendable {
    /// An item is open; its length if known. The next one opens while this one still plays.
    case opened(id: UInt32, length: Duration?, StreamFormat)
    /// The item's first frame, or the first after a seek, is heard now.
    case started(id: UInt32)
    /// The item was heard up to this place, exact to the frame; what follows it starts now.
    case left(id: UInt32, at: Duration)
    /// The item can't be played, or not to its end; what follows it plays.
    case failed(id: UInt32, DecoderError)
    /// `follow` must say what comes after this item, or playing ends with it.
    case wantsNext(after: UInt32)
    /// The last item's last frame was heard.
    case finished
    /// The card plays at this rate (Hz) and format.
    case outputReady(rate: Int, format: String)
    /// The card that was lost is there; `outputReady` comes once something is played on it.
    case outputFound
    /// A read that took too long has come to its end: what could not be read may be readable again.
    case recovered
    /// The card has been given back, as `rest` asked.
    case outputRests
    /// There is no card, or it went away. It is waited for, and playing goes on where it stopped.
    case outputLost(reason: String)
    /// The audio thread has no realtime rights; it plays all the same.
    case noRealtime(reason: String)
    /// The card ran dry; `late` if the decoder was too slow, and silence was played for it.
    case underrun(late: Bool)
  }

  private let stage: Stage
  private var decoder: DecoderThread
  private let output: Output
  private var decoding: pthread_t
  private let playing: pthread_t
  private let rate: Int?
  /// Decoders that hang in a read, and were given up.
  private var hanging: [DecoderThread] = []
  /// An epoll set of what `takeEvents` sees to: the threads' eventfd, and the clock below.
  private let wait: Int32
  /// Says when to look whether the decoder hangs.
  private let clock: Int32
  /// Nothing is heard, since the decoder is late.
  private var isDry = false
  /// How long a read may take (nanoseconds) while something else is wanted, and while it is that which is wanted.
  private static let patience = (other: Int64(250_000_000), own: Int64(5_000_000_000))
  private static let mostHanging = 8
  private var generation: UInt32 = 0
  private var mark: Mark?
  /// Marks taken from the reports so far.
  private var marks: Int64 = 0
  private var isPaused = false
  /// The card is to be given back for another, and nothing to be heard meanwhile.
  private var isChanging = false
  /// What may be heard now: what was played last, and what followed since.
  private var items: [UInt32: Item] = [:]
  private var played: (item: Item, place: Duration)?
  /// What was played last can't be read; what follows it is played.
  private var hasFailed = false
  /// What `follow(with:after:)` said last.
  private var follower: (after: UInt32, item: Item?)?
  /// From reports read while the place was asked for.
  private var pending: [Event] = []

  /// Starts both threads; nothing is played yet.
  public init(_ settings: OutputSettings) {
    // The card holds at most a quarter of the ring, at the usual rates.
    var frames = 1 << 16
    while frames < 4 * settings.buffer.frames(at: 48_000) { frames *= 2 }
    stage = Stage(frames: frames, isThreaded: true)
    let decoder = DecoderThread(stage, number: 1)
    let output = Output(stage, settings)
    if let rate = settings.rate { decoder.fix(rate: rate) }
    decoding = Self.thread("decoder", stack: 1 << 20) { decoder.run() }
    playing = Self.thread("audio", stack: 1 << 18) { output.run() }
    self.decoder = decoder
    self.output = output
    rate = settings.rate
    wait = epoll_create1(Int32(EPOLL_CLOEXEC))
    clock = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
    for descriptor in [stage.signals.main, clock] {
      clinux_watch(wait, EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue, 0)
    }
  }

  /// Fades out, stops both threads, and gives the card back. A decoder that is stuck in a read is left to it.
  deinit {
    decoder.quit()
    command(.quit)
    for thread in [decoding, playing] { clinux_join(thread, 1_000_000_000) }
    close(clock)
    close(wait)
  }

  // MARK: Commands

  /// Plays an item from a place on, at once. The one announced by `follow` is open already.
  public func play(_ item: Item, from place: Duration = .zero) {
    leave()
    // Before the decoder is asked: the new sound must not find itself paused.
    if isPaused { resume() }
    load(item, from: place)
  }

  /// Goes to a place in an item; it stays paused if it is.
  public func seek(_ item: Item, to place: Duration) {
    leave()
    load(item, from: place)
  }

  private func leave() {
    generation += 1
    isDry = false
    command(.leave(generation))
    lookIn(Self.patience.other)
  }

  private func load(_ item: Item, from place: Duration) {
    if !isChanging { rest(false) }
    played = (item, place)
    hasFailed = false
    follower = nil
    items = [item.id: item]
    decoder.play(item, from: place, generation: generation)
  }

  /// Says what comes after the item now playing; nil is the end. Answers `wantsNext`, or changes the answer.
  public func follow(with item: Item?) {
    if let item { items[item.id] = item }
    decoder.follow(with: item)
  }

  /// Says what comes after the item `id`, which is heard; nil is the end.
  ///
  /// Where what was said before is in the ring already, the item is played again from the place heard
  /// now, so that nothing of the old answer is heard.
  public func follow(with item: Item?, after id: UInt32) {
    if let item { items[item.id] = item }
    follower = (id, item)
    decoder.follow(with: item, after: id)
    // It may hang in what was to follow before.
    if isDry || mark?.generation != generation { lookIn(Self.patience.other) }
  }

  /// With nothing playing: opens what `play` will ask for, so that it sounds sooner.
  public func prepare(_ item: Item?) { decoder.prepare(item) }

  /// The medium of an item is gone: what was decoded of it plays on, it fails, and what follows plays.
  ///
  /// `andNext`: so is the medium of what was to follow; `follow` must say what does.
  public func lose(_ id: UInt32, andNext: Bool) { decoder.lose(id, andNext: andNext) }

  public func pause() {
    isPaused = true
    command(.pause)
  }

  public func resume() {
    isPaused = false
    guard !isChanging else { return }
    rest(false)
    command(.resume)
  }

  public func stop() {
    played = nil
    leave()
    decoder.stop(generation: generation)
  }

  /// Gives the card back while nothing plays: what plays next opens it again.
  public func rest() { rest(true) }

  private func rest(_ rests: Bool) {
    guard stage.link.rests.exchange(rests, ordering: .acquiringAndReleasing) != rests else {
      return
    }
    clinux_signal(stage.signals.wake)
  }

  /// What is opened from now on, by its ALSA name, when no card is open.
  ///
  /// A card that is missing is looked for at once, and then so often.
  public func lookForCard(_ device: String, every patience: Duration) {
    output.look(for: device, every: patience)
  }

  /// Goes over to another card at once, at the frame that is heard now; what is not open yet is opened as
  /// `lookForCard` says.
  public func change(to device: String, every patience: Duration) {
    lookForCard(device, every: patience)
    isChanging = true
    command(.pause)
    rest(true)
  }

  /// The old card has been given back.
  private func hasChanged() {
    isChanging = false
    rest(false)
    if !isPaused { command(.resume) }
  }

  /// Sets the gain; 0 leaves the samples as they are, -infinity is silence.
  public func setVolume(decibels: Double) {
    command(.gain(decibels == -.infinity ? 0 : linear(decibels: decibels)))
  }

  private func command(_ command: Command) {
    // The ring empties within milliseconds; only a stopped machine could keep it full.
    while !stage.link.commands.push(command) { sched_yield() }
    clinux_signal(stage.signals.wake)
  }

  // MARK: Events

  /// Readable when there are events; poll it, don't read it.
  public var descriptor: Int32 { wait }

  /// What happened since the last call, in order for each kind.
  public func takeEvents() -> [Event] {
    _ = clinux_take(stage.signals.main)
    var events: [Event] = []
    if clinux_take(clock) > 0 { lookAtDecoder(&events) }
    let before = hanging.count
    hanging.removeAll { $0.isOver.load(ordering: .acquiring) }
    if hanging.count < before { events.append(.recovered) }
    for event in output.takeEvents() {
      switch event {
      case .ready(let rate, let format): events.append(.outputReady(rate: rate, format: format))
      case .rests where isChanging: hasChanged()
      case .rests: events.append(.outputRests)
      case .found: events.append(.outputFound)
      case .lost(let reason): events.append(.outputLost(reason: reason))
      case .unsuited: playAgain()
      case .noRealtime(let reason): events.append(.noRealtime(reason: reason))
      }
    }
    takeReports()
    for event in decoder.takeEvents() {
      switch event {
      case .opened(let id, let length, let format):
        events.append(.opened(id: id, length: length, format))
      case .failed(let id, let error): events.append(.failed(id: id, error))
      case .wantsNext(let id): events.append(.wantsNext(after: id))
      case .overtaken(let id): goBack(to: id)
      }
    }
    events += pending
    pending = []
    return events
  }

  /// Goes on from the place heard last, at a rate that the new card has.
  private func playAgain() {
    guard let place = position, let item = items[place.id] else {
      if let played { seek(played.item, to: played.place) }
      return
    }
    seek(item, to: place.place)
  }

  /// Plays an item on from the place heard, with what is to follow it now; too late once that has ended.
  private func goBack(to id: UInt32) {
    guard let item = items[id] else { return }
    let follower = follower?.item
    if mark?.generation != generation {
      guard let played, played.item.id == id else { return }
      seek(item, to: played.place)
    } else {
      guard let heard = position, heard.id == id else { return }
      seek(item, to: heard.place)
    }
    follow(with: follower, after: id)
  }

  /// Takes the reports, at most until so many marks have come.
  private func takeReports(until count: Int64 = .max) {
    while marks < count, let report = stage.link.reports.pop() {
      switch report {
      case .heard(let new):
        marks += 1
        let isNew = new.track != mark?.track || new.generation != mark?.generation
        if let old = mark, old.track != new.track {
          items[old.track] = nil
          if new.generation == generation, old.generation == generation {
            let frames = Int(old.position + new.clock - old.clock)
            pending.append(.left(id: old.track, at: Duration(frames: frames, at: Int(old.rate))))
          }
        }
        mark = new
        isDry = false
        if isNew, new.generation == generation { pending.append(.started(id: new.track)) }
      case .ended(let old):
        if old == generation { pending.append(.finished) }
      case .underrun(let late):
        if late {
          isDry = true
          lookIn(Self.patience.other)
        }
        pending.append(.underrun(late: late))
      }
    }
  }

  /// The item heard right now and the place in it, exact to the frame; nil before the first.
  public var position: (id: UInt32, place: Duration)? {
    let reading = stage.link.meter.reading
    takeReports(until: reading.marks)
    guard let mark else { return nil }
    // A mark may be a moment ahead of its reading: it begins just now.
    let passed = marks == reading.marks ? max(0, reading.now(at: mark.rate) - mark.clock) : 0
    return (mark.track, Duration(frames: Int(mark.position + passed), at: Int(mark.rate)))
  }

  /// The highest samples of both channels in the twentieth of a second that begins now, before the
  /// volume; 0 where nothing moves.
  ///
  /// The audio thread gives no frame back to the decoder before it is heard.
  public var peaks: (left: Float, right: Float) {
    let reading = stage.link.meter.reading
    guard reading.time >= 0, let mark else { return (0, 0) }
    let start = stage.link.frames.tail &+ UInt(max(0, reading.now(at: mark.rate) - reading.clock))
    let count = min(Int(mark.rate) / 20, stage.link.frames.available(from: start))
    var peaks: (left: Float, right: Float) = (0, 0)
    for index in 0..<max(0, count) {
      let frame = stage.link.frames.element(at: start &+ UInt(index))
      peaks = (max(peaks.left, abs(frame.left)), max(peaks.right, abs(frame.right)))
    }
    return peaks
  }

  // MARK: A decoder that hangs

  /// Looks at the decoder in so many nanoseconds.
  private func lookIn(_ nanoseconds: Int64) { clinux_set(clock, max(1, nanoseconds)) }

  /// Gives the decoder up if it hangs: soon if it is wanted for something else; else, with nothing
  /// heard, once its reads have had their time.
  private func lookAtDecoder(_ events: inout [Event]) {
    let isUnheard = mark?.generation != generation
    guard isUnheard || isDry else { return }
    guard let work = decoder.progress.work else {
      // It may not have come round to what it was asked.
      if decoder.isAsked { lookIn(Self.patience.other) }
      return
    }
    if !isUnheard, let heard = position, let item = items[heard.id] { played = (item, heard.place) }
    let follower = follower
    let isBehind = work.generation != generation
    let isWanted =
      !isBehind && (follower == nil || [played?.item.id, follower?.item?.id].contains(work.item))
    let (passed, patience) =
      isWanted ? (work.readTime, Self.patience.own) : (work.time, Self.patience.other)
    guard passed >= patience else { return lookIn(patience - passed) }
    guard hanging.count < Self.mostHanging else { return lookIn(Self.patience.own) }
    giveUp()
    guard let played else { return decoder.stop(generation: generation) }
    if isWanted {
      events.append(.failed(id: work.item, .unreadable(ETIMEDOUT)))
      if work.item == played.item.id { hasFailed = true }
    }
    if !isBehind { leave() }
    if hasFailed {
      decoder.passOver(played.item.id, generation: generation)
    } else {
      load(played.item, from: played.place)
    }
    // What could not be opened ahead has failed; its owner will say what comes instead.
    if let follower, !isWanted || follower.item?.id != work.item {
      follow(with: follower.item, after: played.item.id)
    }
  }

  /// Lets a new decoder take the place of the one that hangs, which ends by itself some day.
  private func giveUp() {
    pthread_detach(decoding)
    hanging.append(decoder)
    let next = DecoderThread(stage, number: decoder.progress.number + 1)
    if let rate { next.fix(rate: rate) }
    decoder = next
    decoding = Self.thread("decoder", stack: 1 << 20) { next.run() }
    lookIn(Self.patience.other)
  }

  // MARK: Threads

  private final class Job: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Starts a thread with a stack of that many bytes.
  private static func thread(
    _ name: String, stack: Int, _ body: @escaping @Sendable () -> Void
  ) -> pthread_t {
    let job = unsafe Unmanaged.passRetained(Job(name, body)).toOpaque()
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setstacksize(&attributes, stack)
    defer { unsafe pthread_attr_destroy(&attributes) }
    var thread = pthread_t()
    let error = unsafe pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let job = unsafe Unmanaged<Job>.fromOpaque(argument).takeRetainedValue()
        unsafe clinux_name_thread(job.name)
        job.body()
        return nil
      }, job)
    precondition(error == 0, "The system has no thread left.")
    return thread
  }
}

extension Meter.Reading {
  /// The frame heard at this moment.
  fileprivate func now(at rate: Int32) -> Int64 {
    if time < 0 { return min(clock, limit) }
    let passed = (clinux_now() - time) / 1000 * Int64(rate) / 1_000_000
    return min(clock + max(0, passed), limit)
  }
}
