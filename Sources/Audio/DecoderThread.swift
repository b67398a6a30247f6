internal import CLinux
import Synchronization

/// How a decoder comes on, for those who wait for it.
final class DecoderProgress: Sendable {
  /// Tells one decoder from the next that takes its place.
  let number: UInt32
  private let since = Atomic<Int64>(0)
  private let item = Atomic<UInt32>(0)
  private let generation = Atomic<UInt32>(0)

  init(_ number: UInt32) {
    self.number = number
  }

  /// It works on this item now.
  func turn(to id: UInt32) { item.store(id, ordering: .relaxed) }

  /// It has come to this generation.
  func turn(toGeneration number: UInt32) { generation.store(number, ordering: .relaxed) }

  /// It begins a piece of work.
  func begin() { since.store(clinux_now(), ordering: .relaxed) }

  func rest() { since.store(0, ordering: .relaxed) }

  struct Work {
    var item: UInt32
    var generation: UInt32
    /// How long it works on this piece, and how long no read has come to its end, in nanoseconds.
    var time: Int64
    var readTime: Int64
  }

  /// What it works on; nil while it rests.
  var work: Work? {
    let since = since.load(ordering: .relaxed)
    guard since != 0 else { return nil }
    let now = clinux_now()
    let read = max(since, InputFile.lastRead.load(ordering: .relaxed))
    return Work(
      item: item.load(ordering: .relaxed), generation: generation.load(ordering: .relaxed),
      time: now - since, readTime: now - read)
  }
}

/// The thread that keeps the ring full: a chain, its orders, and its events.
final class DecoderThread: Sendable {
  private enum Order: Sendable {
    case play(Item, from: Duration, generation: UInt32)
    case follow(Item?)
    case followAfter(UInt32, Item?)
    case prepare(Item?)
    case lose(UInt32, andNext: Bool)
    case stop(generation: UInt32)
    case passOver(UInt32, generation: UInt32)
    case fix(rate: Int)
    case quit
  }

  let progress: DecoderProgress
  private let stage: Stage
  /// Its thread has ended.
  let isOver = Atomic<Bool>(false)
  private let orders = Mutex<[Order]>([])
  private let events = Mutex<[Chain.Event]>([])

  /// From now on nothing of the decoders before it counts any more.
  init(_ stage: Stage, number: UInt32) {
    self.stage = stage
    progress = DecoderProgress(number)
    stage.floor.withLock { $0 = number }
  }

  // MARK: Call from any thread

  func play(_ item: Item, from place: Duration, generation: UInt32) {
    order(.play(item, from: place, generation: generation))
  }

  func follow(with item: Item?) { order(.follow(item)) }

  func follow(with item: Item?, after id: UInt32) { order(.followAfter(id, item)) }

  func prepare(_ item: Item?) { order(.prepare(item)) }

  func lose(_ id: UInt32, andNext: Bool) { order(.lose(id, andNext: andNext)) }

  func stop(generation: UInt32) { order(.stop(generation: generation)) }

  /// Goes on as if an item had failed to play.
  func passOver(_ id: UInt32, generation: UInt32) { order(.passOver(id, generation: generation)) }

  /// Sends all out at one rate (Hz), whatever else the card can do.
  func fix(rate: Int) { order(.fix(rate: rate)) }

  func quit() { order(.quit) }

  /// It was asked for something that it has not begun.
  var isAsked: Bool { orders.withLock { !$0.isEmpty } }

  /// What happened since the last call.
  func takeEvents() -> [Chain.Event] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }

  private func order(_ order: Order) {
    orders.withLock { $0.append(order) }
    clinux_signal(stage.signals.decoder)
  }

  // MARK: The thread

  /// Works until told to quit.
  func run() {
    let chain = Chain(stage, progress: progress)
    var fixed: Int?
    defer { end() }
    while hasFloor {
      progress.begin()
      for order in orders.withLock({ orders in
        defer { orders = [] }
        return orders
      }) {
        switch order {
        case .play(let item, let place, let generation):
          chain.play(item, from: place, generation: generation)
        case .follow(let item): chain.follow(with: item)
        case .followAfter(let id, let item): chain.follow(with: item, after: id)
        case .lose(let id, let andNext): chain.lose(id, andNext: andNext)
        case .prepare(let item): chain.prepare(item)
        case .stop(let generation): chain.stop(generation: generation)
        case .passOver(let id, let generation): chain.passOver(id, generation: generation)
        case .fix(let rate): fixed = rate
        case .quit: return
        }
      }
      let rates = stage.rates.load(ordering: .acquiring)
      if rates != 0 {
        let index = fixed.flatMap { PCM.rates.firstIndex(of: $0) }
        let isPossible = index.map { rates & 1 << UInt32($0) != 0 } ?? false
        chain.output = isPossible ? .fixed(fixed ?? 0) : .rates(rates)
      }
      progress.begin()
      let step = chain.step()
      guard hasFloor else { return }
      publish(&chain.events)
      switch step {
      case .worked: break
      case .waiting: sleep()
      case .full:
        stage.link.wantsSpace.store(true, ordering: .sequentiallyConsistent)
        sleep()
      }
    }
  }

  private var hasFloor: Bool { stage.floor.withLock { $0 == progress.number } }

  /// One that was given up may have taken a wake-up that was meant for the next.
  private func end() {
    isOver.store(true, ordering: .releasing)
    clinux_signal(stage.signals.decoder)
    clinux_signal(stage.signals.main)
  }

  private func publish(_ new: inout [Chain.Event]) {
    guard !new.isEmpty else { return }
    let batch = new
    new = []
    events.withLock { $0 += batch }
    clinux_signal(stage.signals.main)
  }

  private func sleep() {
    progress.rest()
    clinux_await(stage.signals.decoder, -1)
    _ = clinux_take(stage.signals.decoder)
  }
}
