public import Jukebox

/// What a contact did at one change: the edges until it rested.
public struct Burst: Equatable, Sendable {
  public var line: Line
  /// The level that it came to.
  public var isHigh: Bool
  /// Edges beyond the one that was meant.
  public var bounces: Int
  /// From the first edge to the last.
  public var width: Interval
  var last: Instant

  /// A line that was still for so long rests: longer than any pause within a bounce; see `Contact`.
  static let rest = Interval.milliseconds(10)
}

/// Edges put together to bursts, line by line.
struct Bursts {
  private var open: [Line: (first: Instant, burst: Burst)] = [:]

  /// When the next burst may be over.
  var deadline: Instant? { open.values.map { $0.burst.last + Burst.rest }.min() }

  mutating func edge(_ line: Line, isHigh: Bool, at time: Instant) -> Burst? {
    guard let (first, old) = open[line], time - old.last < Burst.rest else {
      let over = open[line]?.burst
      let new = Burst(line: line, isHigh: isHigh, bounces: 0, width: .zero, last: time)
      open[line] = (time, new)
      return over
    }
    let burst = Burst(
      line: line, isHigh: isHigh, bounces: old.bounces + 1, width: time - first, last: time)
    open[line] = (first, burst)
    return nil
  }

  /// The bursts that are over, in the order of their ends.
  mutating func timePassed(at now: Instant) -> [Burst] {
    let over = open.values.map(\.burst).filter { now - $0.last >= Burst.rest }
    for burst in over { open[burst.line] = nil }
    return over.sorted { $0.last < $1.last }
  }
}

/// What the lines of the settings do, or all free lines where they name none.
public struct Presses: ~Copyable {
  private var gpio: GPIO
  private var bursts = Bursts()
  public let lines: [Line]
  public let troubles: [LineTrouble]

  public init(_ configuration: Configuration) throws(DeviceError) {
    var inputs = configuration.inputs
    var troubles: [LineTrouble] = []
    if inputs.isEmpty {
      let (free, trouble) = GPIO.freeLines(of: configuration.chip)
      inputs = free.map { GPIO.Input($0) }
      troubles = trouble.map { [$0] } ?? []
    }
    gpio = try GPIO(chip: configuration.chip, inputs: inputs)
    let lost = gpio.troubles.compactMap(\.line)
    lines = inputs.map(\.line).filter { !lost.contains($0) }
    self.troubles = troubles.isEmpty ? gpio.troubles : troubles
  }

  /// Readable when a line has moved.
  public var descriptor: Int32 { gpio.descriptor }

  /// When `next` is due though no line has moved; nil while all rest.
  public var deadline: Instant? { bursts.deadline }

  /// What came to its end since.
  public mutating func next(at now: Instant) -> [Burst] {
    var over: [Burst] = []
    while let event = gpio.next() {
      guard case .edge(let line, let isHigh, let time) = event else { continue }
      if let burst = bursts.edge(line, isHigh: isHigh, at: time) { over.append(burst) }
    }
    return over + bursts.timePassed(at: now)
  }
}
