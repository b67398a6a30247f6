internal import CLinux
import Synchronization

/// The thread that keeps the ring full: a chain, its orders, and its events.
final class DecoderThread: Sendable {
  private enum Order: Sendable {
    case play(Item, from: Duration, generation: UInt32)
    case follow(Item?)
    case followAfter(UInt32, Item?)
    case prepare(Item?)
    case lose(UInt32)
    case stop(generation: UInt32)
    case fix(rate: Int)
    case quit
  }

  private let stage: Stage
  private let orders = Mutex<[Order]>([])
  private let events = Mutex<[Chain.Event]>([])

  init(_ stage: Stage) {
    self.stage = stage
  }

  // MARK: Call from any thread

  func play(_ item: Item, from place: Duration, generation: UInt32) {
    order(.play(item, from: place, generation: generation))
  }

  func follow(with item: Item?) { order(.follow(item)) }

  func follow(with item: Item?, after id: UInt32) { order(.followAfter(id, item)) }

  func prepare(_ item: Item?) { order(.prepare(item)) }

  func lose(_ id: UInt32) { order(.lose(id)) }

  func stop(generation: UInt32) { order(.stop(generation: generation)) }

  /// Sends all out at one rate (Hz), whatever else the card can do.
  func fix(rate: Int) { order(.fix(rate: rate)) }

  func quit() { order(.quit) }

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
    let chain = Chain(stage)
    var fixed: Int?
    while true {
      for order in orders.withLock({ orders in
        defer { orders = [] }
        return orders
      }) {
        switch order {
        case .play(let item, let place, let generation):
          chain.play(item, from: place, generation: generation)
        case .follow(let item): chain.follow(with: item)
        case .followAfter(let id, let item): chain.follow(with: item, after: id)
        case .lose(let id): chain.lose(id)
        case .prepare(let item): chain.prepare(item)
        case .stop(let generation): chain.stop(generation: generation)
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
      let step = chain.step()
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

  private func publish(_ new: inout [Chain.Event]) {
    guard !new.isEmpty else { return }
    let batch = new
    new = []
    events.withLock { $0 += batch }
    clinux_signal(stage.signals.main)
  }

  private func sleep() {
    clinux_await(stage.signals.decoder, -1)
    _ = clinux_take(stage.signals.decoder)
  }
}
