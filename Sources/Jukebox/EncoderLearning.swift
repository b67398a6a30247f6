/// Finds out how an encoder is made from a few detents turned slowly to the right.
///
/// A knob rests at its detents. Where it rested, always at one place of the circle, at two opposite
/// ones or at all four, tells the edges a detent; the way around tells the direction.
public struct EncoderLearning: Equatable {
  /// What `KnobSettings` need to know.
  public struct Finding: Equatable, Sendable {
    public var edgesPerDetent: Int
    public var isInverted: Bool
    /// Whether the lines rest low, so that it is the high level that counts as closed.
    public var restsLow: Bool
  }

  private static let pause = Interval.milliseconds(60)
  private static let enough = 8

  private var a = true
  private var b = true
  private var quarters = 0
  private var last: Instant?
  private var rests = [0, 0, 0, 0]

  public init() {}

  /// Takes an edge; `isHigh` is the level as read, before active-low is taken into account.
  ///
  /// - Returns: the finding, once the knob has rested often enough.
  public mutating func handle(_ line: Encoder.Line, isHigh: Bool, at now: Instant) -> Finding? {
    let isRest = last.map { now - $0 >= Self.pause } ?? true
    last = now
    if isRest { rests[phase] += 1 }
    let old = phase
    switch line {
    case .a: a = isHigh
    case .b: b = isHigh
    }
    guard phase != old else { return nil }
    quarters += (phase - old) & 3 == 1 ? 1 : -1
    return rests.reduce(0, +) > Self.enough ? finding : nil
  }

  /// Around the circle as `Encoder` goes when high means open: both high, A low, both low, B low.
  private var phase: Int { a ? (b ? 0 : 3) : (b ? 1 : 2) }

  private var finding: Finding? {
    guard quarters != 0 else { return nil }
    let total = rests.reduce(0, +)
    let straight = rests[0] + rests[2]
    let edges: Int
    if max(rests[0], rests[2]) * 10 >= total * 8 {
      edges = 4
    } else if straight * 10 >= total * 8 {
      edges = 2
    } else {
      edges = 1
    }
    return Finding(
      edgesPerDetent: edges, isInverted: quarters < 0,
      restsLow: edges == 4 && rests[2] > rests[0])
  }
}
