internal import CGPIOD
internal import CLinux
internal import Glibc
public import Jukebox

/// What holds a line's level while nothing else does; it is built into the chip.
public enum Pull: String, CaseIterable, Sendable {
  case up, down, none
  case asIs = "as-is"
}

/// The GPIO lines of a board: edges in, levels out.
///
/// A line that can't be had is told in `troubles`, and the rest of the panel works.
public struct GPIO: ~Copyable {
  public struct Input: Equatable, Sendable {
    public var line: Line
    public var pull: Pull

    public init(_ line: Line, pull: Pull = .up) {
      self.line = line
      self.pull = pull
    }
  }

  /// The time is the kernel's own.
  public enum Event: Equatable, Sendable {
    case edge(Line, isHigh: Bool, at: Instant)
    /// The line was read: at the start, and after edges were lost.
    case level(Line, isHigh: Bool, at: Instant)

    var time: Instant {
      switch self {
      case .edge(_, _, let time), .level(_, _, let time): time
      }
    }
  }

  public let troubles: [LineTrouble]

  private let descriptors: Descriptors
  private var inputs: [LineRequest] = []
  private var histories: [LineHistory] = []
  private var outputs: [LineRequest] = []
  private var events: ArraySlice<Event> = []

  /// Of the chip with the label; nil for that of a board known here.
  public init(chip label: String?, inputs: [Input], outputs: [Line] = []) throws(DeviceError) {
    descriptors = try Descriptors()
    var troubles: [LineTrouble] = []
    switch Chip.find(label) {
    case .failure(let trouble): troubles.append(trouble)
    case .success(let chip):
      for input in inputs {
        do {
          let request = try LineRequest(input.line, of: chip, input.pull)
          try descriptors.add(request.descriptor)
          self.inputs.append(request)
        } catch {
          troubles.append(LineTrouble(input.line, of: chip, error))
        }
      }
      for line in outputs {
        do {
          self.outputs.append(try LineRequest(line, of: chip, isHigh: false))
        } catch {
          troubles.append(LineTrouble(line, of: chip, error))
        }
      }
    }
    self.troubles = troubles
    histories = self.inputs.map { _ in LineHistory(queue: Int(CGPIOD_QUEUE)) }
    for index in histories.indices { read(index) }
  }

  /// Readable when `next` has something to look at.
  public var descriptor: Int32 { descriptors.descriptor }

  /// Edges that the kernel saw, or must have seen, but could not keep.
  public var missedEdges: Int { histories.reduce(0) { $0 + $1.missed } }

  /// The next event, nil while there is none; never waits.
  public mutating func next() -> Event? {
    if events.isEmpty { look() }
    return events.popFirst()
  }

  /// Sets an output; one that is not held is passed over.
  public func set(_ line: Line, isHigh: Bool) {
    outputs.first { $0.line == line }?.set(isHigh: isHigh)
  }

  /// Each line has a queue of its own, and a knob's two lines tell nothing out of order. So all are
  /// read until none has more, and what they had is put in order by its time.
  private mutating func look() {
    var came: [Event] = []
    // A line that never rests is left for the next time.
    for _ in 0..<32 {
      let ready = descriptors.ready()
      if ready.isEmpty { break }
      for index in inputs.indices where ready.contains(inputs[index].descriptor) {
        let edges = inputs[index].edges()
        histories[index].take(edges)
        let line = inputs[index].line
        came += edges.map { .edge(line, isHigh: $0.isHigh, at: $0.time) }
      }
    }
    events += came.sorted { $0.time < $1.time }
    for index in histories.indices where histories[index].isDoubtful { read(index) }
  }

  private mutating func read(_ index: Int) {
    guard let isHigh = inputs[index].isHigh else { return }
    histories[index].take(level: isHigh)
    let now = Instant(nanoseconds: clinux_now())
    events.append(.level(inputs[index].line, isHigh: isHigh, at: now))
  }
}
