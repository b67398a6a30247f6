internal import CALSA
internal import CLinux
internal import Glibc
import Synchronization

/// Where the sound goes, and how.
public struct OutputSettings: Sendable {
  /// An ALSA PCM's name; `silent` is no card at all, only its clock.
  public var device: String
  /// How much sound the card should hold.
  public var buffer: Duration
  public var rewinding: Rewinding
  /// One rate for all (Hz); nil takes each track's own where the card can.
  public var rate: Int?

  public static let silent = "silent"

  public init(
    device: String = "default", buffer: Duration = .seconds(1), rewinding: Rewinding = .auto,
    rate: Int? = nil
  ) {
    self.device = device
    self.buffer = buffer
    self.rewinding = rewinding
    self.rate = rate
  }
}

/// Opens the card, keeps it open, and runs the audio thread's loop on it.
///
/// What may block or allocate happens here, between two runs of the loop, on the same thread.
final class Output: Sendable {
  enum Event: Equatable, Sendable {
    /// The card plays at this rate (Hz) and format.
    case ready(rate: Int, format: String)
    /// The card that was lost can be opened.
    case found
    /// The card has been given back, until something is to play.
    case rests
    /// There is no card, or it went away; it is waited for.
    case lost(reason: String)
    /// The card that is there now can't run at the rate of what was to be played on it.
    case unsuited
    /// The thread has no realtime rights; it runs all the same.
    case noRealtime(reason: String)
  }

  private let stage: Stage
  private let settings: OutputSettings
  private let events = Mutex<[Event]>([])
  /// What is opened next, and how often it is looked for where it is missing, in nanoseconds.
  private let search: Mutex<(device: String, patience: Int64)>
  private let isToLook = Atomic(false)
  /// SCHED_FIFO's priority, as other players use it: under the kernel's own threads (50).
  private static let priority: Int32 = 40
  /// Bytes of the stack, from here on, that the loop may come to use.
  private static let depth = 1 << 16

  init(_ stage: Stage, _ settings: OutputSettings) {
    self.stage = stage
    self.settings = settings
    search = Mutex((settings.device, 250_000_000))
    // Only one thread ever touches the PCM, so alsa-lib needs no locks of its own.
    unsafe setenv("LIBASOUND_THREAD_SAFE", "0", 0)
    calsa_quiet()
  }

  /// What happened since the last call; from any thread.
  func takeEvents() -> [Event] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }

  /// Looks for a card that is missing at once, then so often; an open one is not let go of for it.
  func look(for device: String, every patience: Duration) {
    search.withLock { $0 = (device, Int64(patience / .nanoseconds(1))) }
    isToLook.store(true, ordering: .releasing)
    clinux_signal(stage.signals.wake)
  }

  private func report(_ event: Event) {
    events.withLock { $0.append(event) }
    clinux_signal(stage.signals.main)
  }

  // MARK: The thread

  /// Plays until told to quit.
  func run() {
    takeRights()
    var thread = AudioThread(signals: stage.signals)
    if settings.device == OutputSettings.silent {
      runSilently(&thread)
      return
    }
    var isLost = false
    while true {
      var isResting = false
      isToLook.store(false, ordering: .relaxed)
      let search = search.withLock { $0 }
      do throws(ALSAError) {
        let pcm = try PCM(device: search.device)
        let rates = try pcm.supportedRates()
        stage.rates.store(rates, ordering: .releasing)
        clinux_signal(stage.signals.decoder)
        if isLost { report(.found) }
        switch try run(&thread, on: pcm, rates, &isLost) {
        case .quit: return
        case .rest:
          isResting = true
        case .gone, .rate:
          isLost = true
          report(.lost(reason: "the sound card is gone"))
        }
      } catch {
        if !isLost { report(.lost(reason: error.description)) }
        isLost = true
      }
      if isResting {
        report(.rests)
        while stage.link.isToRest { if wait(&thread, -1) { return } }
        continue
      }
      // A card that fails again at once must not be asked without a pause.
      if wait(&thread, search.patience) { return }
    }
  }

  /// Plays on an open device; gives the reason for the end, which is never a rate.
  private func run(
    _ thread: inout AudioThread, on pcm: borrowing PCM, _ rates: UInt32, _ isLost: inout Bool
  ) throws(ALSAError) -> AudioThread.Exit {
    var rate: Int32 = 0
    while true {
      var refused: Int32 = 0
      while rate == 0 {
        if thread.idle(stage.link) { return .quit }
        if stage.link.isToRest { return .rest }
        rate = thread.nextRate(stage.link)
        if let index = PCM.rates.firstIndex(of: Int(rate)), rates & 1 << UInt32(index) == 0 {
          if refused != rate { report(.unsuited) }
          refused = rate
          rate = 0
        }
        if rate == 0, wait(&thread, -1) { return .quit }
      }
      var card = try pcm.configure(
        rate: rate, buffer: UInt32(clamping: settings.buffer.frames(at: 1_000_000)),
        limit: stage.link.frames.capacity / 4, rewinding: settings.rewinding)
      isLost = false
      report(.ready(rate: Int(rate), format: card.format.name))
      var descriptors = [pollfd(fd: stage.signals.wake, events: Int16(POLLIN), revents: 0)]
      descriptors += pcm.descriptors()
      let exit = play(&thread, on: &card, &descriptors)
      guard case .rate(let next) = exit else { return exit }
      rate = next
    }
  }

  private func runSilently(_ thread: inout AudioThread) {
    stage.rates.store(.max, ordering: .releasing)
    clinux_signal(stage.signals.decoder)
    var rate: Int32 = 0
    while true {
      while rate == 0 {
        if thread.idle(stage.link) { return }
        rate = thread.nextRate(stage.link)
        if rate == 0, wait(&thread, -1) { return }
      }
      let size = min(
        stage.link.frames.capacity / 4, max(1024, settings.buffer.frames(at: Int(rate))))
      var card = unsafe Card(
        pcm: nil, isMapped: false, rate: rate, format: .s16, size: size, target: size,
        margin: Int(rate) * 3 / 1000, padding: Int(rate) / 50)
      report(.ready(rate: Int(rate), format: "silence"))
      var descriptors = [pollfd(fd: stage.signals.wake, events: Int16(POLLIN), revents: 0)]
      switch play(&thread, on: &card, &descriptors) {
      case .rate(let next): rate = next
      case .rest:
        rate = 0
        report(.rests)
        while stage.link.isToRest { if wait(&thread, -1) { return } }
      case .quit, .gone: return
      }
    }
  }

  private func play(
    _ thread: inout AudioThread, on card: inout Card, _ descriptors: inout [pollfd]
  ) -> AudioThread.Exit {
    unsafe descriptors.withUnsafeMutableBufferPointer { descriptors in
      guard let first = descriptors.baseAddress else { return .quit }
      return unsafe thread.run(
        stage.link, on: &card, descriptors: first, count: descriptors.count)
    }
  }

  /// Obeys for a while without a card, or until one is to be looked for; true if told to quit.
  private func wait(_ thread: inout AudioThread, _ nanoseconds: Int64) -> Bool {
    let end = clinux_now() + nanoseconds
    repeat {
      clinux_await(stage.signals.wake, nanoseconds < 0 ? -1 : max(0, end - clinux_now()))
      _ = clinux_take(stage.signals.wake)
      if thread.idle(stage.link) { return true }
    } while nanoseconds >= 0 && clinux_now() < end && !isToLook.load(ordering: .acquiring)
    return false
  }

  /// Realtime priority for this thread, and its memory locked: what it touches, and no more.
  private func takeRights() {
    var parameters = sched_param(sched_priority: Self.priority)
    let error = unsafe pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters)
    if error != 0 {
      report(.noRealtime(reason: unsafe String(cString: strerror(error))))
    }
    unsafe lock(stage.link.frames.memory)
    unsafe lock(stage.link.chunks.memory)
    unsafe lock(stage.link.commands.memory)
    unsafe lock(stage.link.reports.memory)
    var here: UInt8 = 0
    unsafe withUnsafeMutablePointer(to: &here) { place in
      unsafe lock(UnsafeMutableRawBufferPointer(start: place - Self.depth, count: Self.depth))
    }
  }

  private func lock(_ memory: UnsafeMutableRawBufferPointer) {
    unsafe mlock(memory.baseAddress, memory.count)
  }
}
