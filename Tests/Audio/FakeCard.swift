import Glibc
import Testing

@testable import Audio

/// A fake sound card (Tests/Support/fakecard): its device name, its log, what it played.
final class FakeCard {
  struct Event {
    /// Seconds of the monotonic clock.
    var time: Double
    var name: String
    /// Frames played so far.
    var frame: Int
    var details: [String: String]
  }

  let folder: TemporaryFolder
  let device: String
  private let speed: Double

  /// Built once, before ALSA reads its configuration for the first time.
  private static let isBuilt: Bool = {
    var parts = #filePath.split(separator: "/").dropLast(3)[...]
    let root = "/" + parts.joined(separator: "/")
    parts = []
    let (status, output) = run([root + "/Tests/Support/fakecard/build.sh"])
    let path = output.split(separator: "\n").last.map(String.init) ?? ""
    return status == 0 && setenv("ALSA_CONFIG_PATH", path, 1) == 0
  }()

  init(speed: Double = 1, rates: String = "", rewinds: Bool = true) throws {
    try #require(Self.isBuilt)
    folder = try TemporaryFolder()
    self.speed = speed
    device =
      "fake:OUT=\(folder / "card"),SPEED=\(speed),RATES=\"\(rates)\",REWIND=\(rewinds ? 1 : 0)"
  }

  // MARK: The plug

  func pull() throws {
    let file = open(folder / "card.gone", O_WRONLY | O_CREAT, 0o644)
    try #require(file >= 0)
    close(file)
  }

  func plug() { unlink(folder / "card.gone") }

  // MARK: The log

  var log: [Event] {
    guard let bytes: [UInt8] = try? folder.read("card.log") else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard words.count >= 3, let time = Double(words[0]), let frame = Int(words[2]) else {
        return nil
      }
      var details: [String: String] = [:]
      for word in words.dropFirst(3) {
        let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
        if pair.count == 2 { details[pair[0]] = pair[1] }
      }
      return Event(time: time, name: words[1], frame: frame, details: details)
    }
  }

  func count(_ name: String) -> Int { log.count { $0.name == name } }

  /// The frame being heard at a time; while the card stands still, the next one.
  func frame(at time: Double) -> Int {
    var frame = 0
    var running: Event?
    for event in log where event.time <= time {
      switch event.name {
      case "start": running = event
      case "stop", "xrun", "gone", "close":
        running = nil
        frame = event.frame
      default: break
      }
    }
    guard let running, let rate = running.details["rate"].flatMap(Double.init) else { return frame }
    return running.frame + Int((time - running.time) * rate * speed)
  }

  // MARK: The capture

  /// All samples played, as 32-bit integers, left and right in turn.
  var samples: [Int32] { (try? folder.read("card.raw")) ?? [] }

  /// The frames played, decoded from the code of `Coded`; only for what was played at 32 bits.
  var heard: [Coded] {
    let samples = samples
    return (0..<samples.count / 2).map { Coded(samples[2 * $0], samples[2 * $0 + 1]) }
  }
}

/// A frame that says which it is: left its number as 24 bits, right a constant that shows the gain.
struct Coded: Equatable {
  /// The number; nil where it can't be told, since the gain is too small.
  var number: Int?
  var gain: Double

  static let track = 1 << 18

  init(_ left: Int32, _ right: Int32) {
    gain = Double(right) / 0x1p30
    if gain > 0.02 { number = Int((Double(left) / 256 / gain).rounded()) }
  }

  var isSilent: Bool { gain == 0 }

  /// Writes a track's frames; gives its path.
  static func write(
    track: Int, frames: Int, rate: Int = 44_100, from first: Int = 0, in folder: TemporaryFolder,
    name: String? = nil
  ) throws -> String {
    let path = folder / (name ?? "\(track).wav")
    var file = try WAVFile(path: Array(path.utf8), rate: rate, channels: 2, format: .int24)
    var bytes: [UInt8] = []
    for frame in first..<first + frames {
      let number = track * Coded.track + frame
      for value in [number, 1 << 22] {
        bytes += [value & 255, value >> 8 & 255, value >> 16].map { UInt8($0) }
      }
    }
    try file.write(bytes: bytes.span.bytes)
    try file.close()
    return path
  }
}

/// A deck, and a test that listens to it.
final class Session {
  private(set) var deck: Deck?
  private(set) var events: [Deck.Event] = []
  /// What to play after an item, when it is asked for.
  var next: [UInt32: Item] = [:]
  /// Whether questions of what comes next are answered.
  var answers = true

  init(
    _ device: String, rewinding: Rewinding = .always, buffer: Duration = .seconds(1),
    rate: Int? = nil
  ) {
    deck = Deck(
      OutputSettings(device: device, buffer: buffer, rewinding: rewinding, rate: rate))
  }

  /// Plays the files one after another, with their places as names.
  func play(_ paths: [String], from place: Duration = .zero) {
    let items = paths.enumerated().map {
      Item(id: UInt32($0), source: Source(path: Array($1.utf8)))
    }
    for (item, following) in zip(items, items.dropFirst()) { next[item.id] = following }
    if let first = items.first { deck?.play(first, from: place) }
  }

  /// Handles events until `condition` holds; false if it does not within `seconds`.
  func wait(_ seconds: Double = 10, until condition: (Session) -> Bool) -> Bool {
    let end = now() + seconds
    while true {
      handle()
      if condition(self) { return true }
      guard now() < end, let deck else { return false }
      var descriptor = pollfd(fd: deck.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&descriptor, 1, 2)
    }
  }

  func wait(_ seconds: Double = 10, for event: Deck.Event) -> Bool {
    wait(seconds) { $0.events.contains(event) }
  }

  /// Lets it play until the place heard is there.
  func wait(untilPlace place: Duration, of id: UInt32 = 0) -> Bool {
    wait { session in
      guard let position = session.deck?.position, position.id == id else { return false }
      return position.place >= place
    }
  }

  func handle() {
    guard let deck else { return }
    let new = deck.takeEvents()
    events += new
    for case .wantsNext(let id) in new where answers { deck.follow(with: next[id]) }
  }

  func forget() { events = [] }

  /// Ends the deck; its threads are gone when this returns.
  func end() { deck = nil }
}

/// Seconds of the monotonic clock.
func now() -> Double { seconds(of: CLOCK_MONOTONIC) }

/// Seconds of one of the system's clocks.
func seconds(of clock: clockid_t) -> Double {
  // Not by timespec's fields: which module they belong to depends on what else is compiled along.
  var time: (seconds: Int, nanoseconds: Int) = (0, 0)
  withUnsafeMutableBytes(of: &time) { bytes in
    guard let base = bytes.baseAddress else { return }
    _ = clock_gettime(clock, base.assumingMemoryBound(to: timespec.self))
  }
  return Double(time.seconds) + Double(time.nanoseconds) / 1e9
}

/// Numbers in the order heard, without silence and what is too soft to tell.
func numbers(_ heard: [Coded]) -> [Int] { heard.compactMap(\.number) }

/// Where the numbers heard jump: (index in what was heard, from, to). A run of frames too soft to tell
/// counts as heard, if the numbers go on behind it as many further.
func jumps(_ heard: [Coded]) -> [(index: Int, from: Int, to: Int)] {
  var jumps: [(index: Int, from: Int, to: Int)] = []
  var last: (index: Int, number: Int)?
  for (index, frame) in heard.enumerated() {
    guard let number = frame.number else { continue }
    if let last, number != last.number + 1 { jumps.append((index, last.number, number)) }
    last = (index, number)
  }
  return jumps
}

/// The greatest step of gain from one frame to the next.
func greatestStep(_ heard: some Sequence<Coded>) -> Double {
  zip(heard, heard.dropFirst()).map { abs($0.gain - $1.gain) }.max() ?? 0
}
