internal import CLinux
internal import Glibc

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
    /// The item can't be played, or not to its end; what follows it plays.
    case failed(id: UInt32, DecoderError)
    /// `follow` must say what comes after this item, or playing ends with it.
    case wantsNext(after: UInt32)
    /// The last item's last frame was heard.
    case finished
    /// The card plays at this rate (Hz) and format.
    case outputReady(rate: Int, format: String)
    /// There is no card, or it went away. It is waited for, and playing goes on where it stopped.
    case outputLost(reason: String)
    /// The audio thread has no realtime rights; it plays all the same.
    case noRealtime(reason: String)
    /// The card ran dry; `late` if the decoder was too slow, and silence was played for it.
    case underrun(late: Bool)
  }

  private let stage: Stage
  private let decoder: DecoderThread
  private let output: Output
  private var threads: [pthread_t] = []
  private var generation: UInt32 = 0
  private var mark: Mark?
  private var isPaused = false
  /// From reports read while the place was asked for.
  private var pending: [Event] = []

  /// Starts both threads; nothing is played yet.
  public init(_ settings: OutputSettings) {
    // The card holds at most a quarter of the ring, at the usual rates.
    var frames = 1 << 16
    while frames < 4 * settings.buffer.frames(at: 48_000) { frames *= 2 }
    stage = Stage(frames: frames, isThreaded: true)
    decoder = DecoderThread(stage)
    output = Output(stage, settings)
    if let rate = settings.rate { decoder.fix(rate: rate) }
    let (decoder, output) = (decoder, output)
    threads = [
      Self.thread("decoder", stack: 1 << 20) { decoder.run() },
      Self.thread("audio", stack: 1 << 18) { output.run() },
    ]
  }

  /// Fades out, stops both threads, and gives the card back.
  deinit {
    decoder.quit()
    command(.quit)
    for thread in threads { pthread_join(thread, nil) }
  }

  // MARK: Commands

  /// Plays an item from a place on, at once. The one announced by `follow` is open already.
  public func play(_ item: Item, from place: Duration = .zero) {
    generation += 1
    decoder.play(item, from: place, generation: generation)
    command(.leave(generation))
    if isPaused { resume() }
  }

  /// Goes to a place in an item; it stays paused if it is.
  public func seek(_ item: Item, to place: Duration) {
    generation += 1
    decoder.play(item, from: place, generation: generation)
    command(.leave(generation))
  }

  /// Says what comes after the item now playing; nil is the end. Answers `wantsNext`, or changes the answer.
  public func follow(with item: Item?) { decoder.follow(with: item) }

  public func pause() {
    isPaused = true
    command(.pause)
  }

  public func resume() {
    isPaused = false
    command(.resume)
  }

  public func stop() {
    generation += 1
    decoder.stop(generation: generation)
    command(.leave(generation))
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
  public var descriptor: Int32 { stage.signals.main }

  /// What happened since the last call, in order for each kind.
  public func takeEvents() -> [Event] {
    _ = clinux_take(stage.signals.main)
    var events = output.takeEvents().map { event in
      switch event {
      case .ready(let rate, let format): Event.outputReady(rate: rate, format: format)
      case .lost(let reason): Event.outputLost(reason: reason)
      case .noRealtime(let reason): Event.noRealtime(reason: reason)
      }
    }
    events += decoder.takeEvents().map { event in
      switch event {
      case .opened(let id, let length, let format): .opened(id: id, length: length, format)
      case .failed(let id, let error): .failed(id: id, error)
      case .wantsNext(let id): .wantsNext(after: id)
      }
    }
    takeReports()
    events += pending
    pending = []
    return events
  }

  private func takeReports() {
    while let report = stage.link.reports.pop() {
      switch report {
      case .heard(let new):
        let isNew = new.track != mark?.track || new.generation != mark?.generation
        mark = new
        if isNew, new.generation == generation { pending.append(.started(id: new.track)) }
      case .ended(let old):
        if old == generation { pending.append(.finished) }
      case .underrun(let late):
        pending.append(.underrun(late: late))
      }
    }
  }

  /// The item heard right now and the place in it, exact to the frame; nil before the first.
  public var position: (id: UInt32, place: Duration)? {
    let reading = stage.link.meter.reading
    takeReports()
    guard let mark else { return nil }
    var clock = reading.clock
    if reading.time >= 0 {
      let passed = (clinux_now() - reading.time) / 1000 * Int64(mark.rate) / 1_000_000
      clock += max(0, passed)
    }
    clock = min(clock, reading.limit)
    let frames = mark.position + max(0, clock - mark.clock)
    return (mark.track, Duration(frames: Int(frames), at: Int(mark.rate)))
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
