internal import Glibc
internal import Jukebox

/// What events cost on a long queue.
struct Cost {
  private static let items = 100_000

  private var player = Player()
  private var random = Random(seed: 1)
  private var now = Instant(nanoseconds: 0)
  private let clock = ContinuousClock()

  init(shuffle: ShuffleMode) {
    var settings = Settings()
    settings.controls.buttons = (0..<8).map { SwitchSettings(Line($0)) }
    settings.controls.knobs = [KnobSettings(a: Line(8), b: Line(9))]
    settings.controls.bindings = [
      Binding(.press(Line(0)), .next), Binding(.press(Line(1)), .togglePlayPause),
    ]
    settings.controls.turns = [Turn(knob: Line(8), use: .volume(1))]
    send(.configured(settings))
    send(.started(state: [], queue: [], seed: 1))
    send(.pressed(.replace((0..<Self.items).map { Self.track($0) })))
    send(.pressed(.setRepeat(.all)))
    send(.pressed(.setShuffle(shuffle)))
  }

  private static func track(_ number: Int) -> Track {
    Track(
      id: TrackID(Int64(number)), artist: UInt32(number / 120), album: UInt32(number / 12),
      disc: 1, number: UInt16(number % 12))
  }

  private mutating func send(_ event: Event) {
    now = now + .milliseconds(1)
    _ = player.handle(event, at: now)
  }

  private mutating func anyItem() -> ItemID {
    player.lineup.queue[random.below(player.lineup.queue.count)].id
  }

  /// Prints a line for each kind of event.
  mutating func measure() {
    var all: [Int64] = []
    let kinds: [(String, (inout Cost) -> Event)] = [
      ("edge, bounce", { .edge(Line(7), isHigh: $0.random.below(2) == 0) }),
      ("press: next", { _ in .pressed(.next) }),
      ("press: previous", { _ in .pressed(.previous) }),
      ("press: play or pause", { _ in .pressed(.togglePlayPause) }),
      ("press: volume", { .pressed(.stepVolume($0.random.below(5) - 2)) }),
      ("an item chosen", { .pressed(.select($0.anyItem())) }),
      ("track follows", { .trackStarted($0.player.following ?? ItemID(0), $0.player.generation) }),
      ("insert next", { .pressed(.insertNext([Self.track($0.random.below(Self.items))])) }),
      ("insert anywhere", { .pressed(.insert([Self.track(7)], at: $0.random.below(Self.items))) }),
      ("append", { _ in .pressed(.append([Self.track(9)])) }),
      ("move", { .pressed(.move($0.anyItem(), to: $0.random.below(Self.items))) }),
      ("remove", { .pressed(.remove($0.anyItem())) }),
    ]
    for (name, make) in kinds {
      var times: [Int64] = []
      for _ in 0..<2_000 {
        let event = make(&self)
        let start = clock.now
        _ = player.handle(event, at: now)
        let time = clock.now - start
        times.append(time.components.attoseconds / 1_000_000_000)
        send(.timerFired)
      }
      all += times
      print("  \(padded(name)) \(Self.figures(&times))")
    }
    print("  \(padded("all of them")) \(Self.figures(&all))")
  }

  private func padded(_ name: String) -> String {
    name + String(repeating: " ", count: 24 - name.count)
  }

  private static func figures(_ times: inout [Int64]) -> String {
    times.sort()
    let median = Double(times[times.count / 2]) / 1_000
    let high = Double(times[times.count * 99 / 100]) / 1_000
    return "median \(median) us, 99th percentile \(high) us"
  }

  /// How often 100,000 edges that change nothing allocate, where the counter is preloaded.
  mutating func allocations() {
    typealias Count = @convention(c) () -> UInt
    guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "allocation_count") else {
      print("  allocations: not counted")
      return
    }
    let count = unsafeBitCast(symbol, to: Count.self)
    _ = player.handle(.edge(Line(6), isHigh: false), at: now)
    _ = player.handle(.edge(Line(6), isHigh: true), at: now)
    let before = count()
    for edge in 0..<100_000 {
      _ = player.handle(.edge(Line(6), isHigh: edge % 2 == 0), at: now)
    }
    let made = count() - before
    print("  allocations in 100,000 edges that change nothing: \(made)")
  }

  static func print() {
    for mode in ShuffleMode.allCases {
      Swift.print("100,000 items, shuffle \(mode):")
      var cost = Cost(shuffle: mode)
      cost.measure()
      if mode == .off { cost.allocations() }
    }
  }

  private func print(_ line: String) {
    Swift.print(line)
  }
}
