internal import Jukebox

/// One world's life, drawn from a seed.
public struct Simulation {
  public struct Failure {
    public var seed: UInt64
    public var violation: String
    public var steps: [Step]
    /// The flight record of the shortened life, ready for `jukebox replay`.
    public var record: [String]
  }

  public static let stepsAWorld = 400

  public private(set) var events = 0
  public private(set) var worlds = 0

  public init() {}

  /// Lives through worlds until `events` have been handled or a rule is broken.
  public mutating func run(events wanted: Int, seed: UInt64) -> Failure? {
    var seed = seed
    while events < wanted {
      let steps = Self.steps(seed)
      let world = Self.lived(steps)
      events += world.events
      worlds += 1
      if let violation = world.violation {
        let few = shrunk(steps) { Self.lived($0).violation == violation }
        return Failure(
          seed: seed, violation: violation, steps: few,
          record: Self.lived(few, keepsRecord: true).record)
      }
      seed &+= 1
    }
    return nil
  }

  public static func steps(_ seed: UInt64) -> [Step] {
    var random = Random(seed: seed &* 0x9E37_79B9)
    var steps: [Step] = [
      .add(count: 1 + random.below(40), asNext: false, seed: random.next()),
      .medium(0, isThere: true), .medium(1, isThere: true), .clock(minute: random.below(1_440)),
    ]
    while steps.count < stepsAWorld { steps.append(Step(&random)) }
    return steps
  }

  public static func lived(_ steps: [Step], keepsRecord: Bool = false) -> World {
    var world = World(keepsRecord: keepsRecord)
    for step in steps { world.take(step) }
    return world
  }
}
