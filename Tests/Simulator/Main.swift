internal import Glibc
internal import Jukebox

/// `Simulator [EVENTS [SEED]]`: lives through random worlds and tells whether a rule was broken.
/// `Simulator cost`: prints what events cost.
@main
struct Main {
  static func main() {
    if CommandLine.arguments.dropFirst().first == "cost" { return Cost.print() }
    let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
    var simulation = Simulation()
    let clock = ContinuousClock()
    let start = clock.now
    let failure = simulation.run(
      events: numbers.first.map { Int($0) } ?? 1_000_000, seed: numbers.dropFirst().first ?? 1)
    let time = clock.now - start
    guard let failure else {
      print("\(simulation.events) events in \(simulation.worlds) worlds, \(time): no rule broken")
      return
    }
    print("# seed \(failure.seed): \(failure.violation)")
    for step in failure.steps { print("# \(step)") }
    for line in failure.record { print(line) }
    exit(1)
  }
}
