internal import Jukebox

/// What one line has told, to find what it did not.
///
/// The kernel keeps a few edges for a slow reader and drops the rest. libgpiod 2 numbers them; with the
/// older one, two edges the same way say that one between them is missing, and as many edges at once as
/// the kernel keeps, that more may be.
struct LineHistory {
  struct Edge: Equatable {
    var time: Instant
    var isHigh: Bool
    /// Counts from 1, 0 where it is not told.
    var sequence: UInt64
  }

  /// Edges that never came; a full queue of the older library counts as one, as it can't tell.
  private(set) var missed = 0
  /// Whether the line's level should be read, as the edges may not tell it.
  private(set) var isDoubtful = false
  private var isHigh: Bool?
  private var sequence: UInt64 = 0
  private var wasFull = false
  private let queue: Int

  /// `queue` is how many edges the kernel keeps.
  init(queue: Int) {
    self.queue = queue
  }

  /// Takes in what was read at once.
  mutating func take(_ edges: [Edge]) {
    for edge in edges {
      let lost =
        edge.sequence > 0
        ? Int(edge.sequence) - Int(sequence) - 1 : edge.isHigh == isHigh ? 1 : 0
      if lost > 0 {
        missed += lost
        isDoubtful = true
      }
      sequence = edge.sequence
      isHigh = edge.isHigh
    }
    if edges.count >= queue, sequence == 0 {
      wasFull = true
      isDoubtful = true
    }
  }

  /// Takes in the level that was read, when nothing more was waiting.
  mutating func take(level: Bool) {
    if wasFull { missed += 1 }
    wasFull = false
    isDoubtful = false
    isHigh = level
  }
}
