import Glibc
import Testing

/// A whole appliance in a folder: the real binary on a fake sound card, with sticks, and a remote.
final class Box {
  let folder: TemporaryFolder
  private(set) var program: Program
  private(set) var remote: Remote
  private let options: [String]
  private let environment: [String]

  /// Where sticks are while they are plugged in, and while they are not.
  func plugged(_ name: String) -> String { folder("media/\(name)") }
  func away(_ name: String) -> String { folder("away/\(name)") }
  let sticks: [String]

  /// Starts with all sticks away; `state` is the folder of its state, its own if nil.
  init(
    sticks: [String] = ["STICK"], state: String? = nil, options: [String] = [],
    environment: [String] = [], in folder: TemporaryFolder? = nil
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    for inner in ["media", "away", "state"] { mkdir(folder(inner), 0o755) }
    self.folder = folder
    self.sticks = sticks
    var words = ["--state", state ?? folder("state"), "--device", "fake:\(folder("card"))"]
    for stick in sticks { words += ["--media", folder("media/\(stick)")] }
    self.options = words + options + ["--verbose"]
    self.environment =
      ["ALSA_CONFIG_PATH=\(FakeSound.configuration)", "RUNTIME_DIRECTORY=\(folder.path)"]
      + environment
    program = try Program(["run"] + self.options, environment: self.environment)
    remote = try Remote(folder("socket"))
    remote.journal = { [program] in program.latestErrors() }
  }

  /// Nothing is written into the folder any more when it is removed.
  deinit {
    program.stop()
  }

  /// Starts it anew, after it has ended.
  func restart() throws {
    program = try Program(["run"] + options, environment: environment)
    remote = try Remote(folder("socket"))
    remote.journal = { [program] in program.latestErrors() }
  }

  /// Ends it as a power cut would, and starts it anew.
  func cutPower() throws {
    kill(program.process, SIGKILL)
    _ = try program.end()
    try restart()
  }

  // MARK: - Sticks

  func plug(_ name: String = "STICK") throws {
    try #require(rename(away(name), plugged(name)) == 0)
  }

  func pull(_ name: String = "STICK") throws {
    try #require(rename(plugged(name), away(name)) == 0)
  }

  /// Makes a stick that is away, with tracks of so many frames; `first` is the first one's number.
  func makeStick(_ name: String = "STICK", tracks: [Int], first: Int = 0) throws {
    for (index, frames) in tracks.enumerated() {
      let number = String(index + 101).dropFirst()
      try folder.write(
        "away/\(name)/\(number) Track.wav", CodedFrames.file(track: first + index, frames: frames))
    }
  }

  // MARK: - What was heard

  var heard: [CodedFrames.Frame] {
    get throws { CodedFrames.frames(try bytes(of: folder("card.raw"))) }
  }

  var starts: [Double] {
    get throws { try cardStarts(folder("card.log")) }
  }
}

/// When a fake card's clock started, by its log, in seconds of the monotonic clock.
func cardStarts(_ log: String) throws -> [Double] {
  String(decoding: try bytes(of: log), as: UTF8.self).split(separator: "\n").compactMap { line in
    let words = line.split(separator: " ")
    return words.count > 1 && words[1] == "start" ? Double(words[0]) : nil
  }
}

/// Seconds of the monotonic clock.
func monotonicSeconds() -> Double {
  // Not by timespec's fields: which module they belong to depends on what else is compiled along.
  var time: (seconds: Int, nanoseconds: Int) = (0, 0)
  withUnsafeMutableBytes(of: &time) { bytes in
    guard let base = bytes.baseAddress else { return }
    _ = clock_gettime(CLOCK_MONOTONIC, base.assumingMemoryBound(to: timespec.self))
  }
  return Double(time.seconds) + Double(time.nanoseconds) / 1e9
}

enum FakeSound {
  /// ALSA's configuration with the fake card, which is built once.
  static let configuration: String = {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    try? run(root + "/Tests/Support/fakecard/build.sh")
    return root + "/.build/fakecard/asound.conf"
  }()
}

extension FakeSound {
  /// The fake GPIO chip, to be preloaded.
  static let chip: String = {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    try? run(root + "/Tests/Support/fakegpio/build.sh")
    return root + "/.build/fakegpio/fakegpio.so"
  }()
}

/// 24-bit WAV files whose frames say which they are: left the frame's number in all of the test's
/// sound, right a constant, which shows the gain.
enum CodedFrames {
  static let track = 1 << 18
  private static let level: Int32 = 0x40_0000

  struct Frame: Equatable {
    /// Nil where the gain is too small to tell.
    var number: Int?
    var gain: Double
  }

  static func file(track: Int, frames: Int, rate: Int = 44_100) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var data: [UInt8] = []
    data.reserveCapacity(frames * 6)
    for frame in 0..<frames {
      data += little(track * Self.track + frame, 3)
      data += little(Int(level), 3)
    }
    return Array("RIFF".utf8) + little(36 + data.count, 4) + Array("WAVEfmt ".utf8)
      + little(16, 4) + little(1, 2) + little(2, 2) + little(rate, 4) + little(rate * 6, 4)
      + little(6, 2) + little(24, 2) + Array("data".utf8) + little(data.count, 4) + data
  }

  /// What a card heard that plays 32 bits.
  static func frames(_ bytes: [UInt8]) -> [Frame] {
    let samples: [Int32] = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
    return (0..<samples.count / 2).map { index in
      let gain = Double(samples[2 * index + 1]) / Double(level) / 256
      let number = Double(samples[2 * index]) / 256 / gain
      return Frame(number: gain > 0.02 ? Int(number.rounded()) : nil, gain: gain)
    }
  }
}

/// A remote that speaks MPD's protocol over the socket.
final class Remote {
  private let descriptor: Int32
  private var input: [UInt8] = []
  /// What the appliance says meanwhile, for a test that fails.
  var journal: () -> String = { "" }

  struct Refused: Error, CustomStringConvertible {
    let description: String
  }

  /// Waits until it is listened to.
  ///
  /// One that does not block sends what the other end takes, and no more.
  init(_ path: String, isBlocking: Bool = true) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { room in
      for (index, byte) in path.utf8.enumerated() { room[index] = byte }
    }
    let deadline = ContinuousClock.now + Program.patience
    while true {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      let isOpen = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      if isOpen {
        self.descriptor = descriptor
        break
      }
      close(descriptor)
      try #require(.now < deadline, "\(path) is not listened to")
      poll(nil, 0, 5)
    }
    try #require(line() == "OK MPD 0.23.5")
    if !isBlocking { try #require(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0) }
  }

  deinit {
    close(descriptor)
  }

  func send(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0x4000) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Reads what is there, and forgets it.
  func drop() {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while read(descriptor, &bytes, bytes.count) > 0 {}
  }

  /// The next line of an answer.
  func line() throws -> String {
    while true {
      if let end = input.firstIndex(of: 0x0A) {
        defer { input.removeFirst(end + 1) }
        return String(decoding: input[..<end], as: UTF8.self)
      }
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      try #require(poll(&wait, 1, 20_000) > 0, "the appliance does not answer")
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(descriptor, &bytes, bytes.count)
      try #require(count > 0, "the appliance has hung up")
      input += bytes[..<count]
    }
  }

  /// The lines of an answer, up to its OK.
  func answer() throws -> [String] {
    var lines: [String] = []
    while true {
      let line = try line()
      if line == "OK" { return lines }
      if line.hasPrefix("ACK") { throw Refused(description: line) }
      lines.append(line)
    }
  }

  @discardableResult
  func ask(_ command: String) throws -> [String] {
    send(command + "\n")
    return try answer()
  }

  var status: [String: String] {
    get throws { Self.pairs(try ask("status")) }
  }

  static func pairs(_ lines: [String]) -> [String: String] {
    Dictionary(
      lines.map { line in
        let colon = line.firstIndex(of: ":") ?? line.endIndex
        return (String(line[..<colon]), String(line[colon...].dropFirst(2)))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Asks for the status, whenever something may have changed, until it is as wanted.
  @discardableResult
  func wait(
    _ comment: String, until isSo: ([String: String]) -> Bool
  ) throws -> [String: String] {
    let deadline = ContinuousClock.now + Program.patience
    while true {
      let status = try status
      if isSo(status) { return status }
      try #require(.now < deadline, "not yet: \(comment); \(status); \(journal())")
      poll(nil, 0, 10)
    }
  }

  /// Waits until the song at a place of the queue plays, or is about to.
  @discardableResult
  func waitForSong(_ place: Int, state: String = "play") throws -> [String: String] {
    try wait("\(state) of song \(place)") { $0["state"] == state && $0["song"] == String(place) }
  }
}
