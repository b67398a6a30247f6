import Glibc
import Testing

@testable import Audio

/// The whole sound machine on a fake card that keeps time.
@Suite(.serialized) struct DeckTests {
  // MARK: - Exact

  @Test(arguments: [16, 24])
  func `tracks without a pause reach the card bit for bit`(bits: Int) throws {
    let card = try FakeCard()
    let noise = Noise(frames: 40_001, bits: bits)
    let paths = try noise.flacs(cutAt: [9_999, 23_456], in: card.folder)
    let session = Session(card.device)
    session.play(paths)
    #expect(session.wait(for: .finished))
    session.end()
    let samples = card.samples
    let played = samples.count / 2
    #expect(played >= noise.frames)
    #expect(Array(samples.prefix(2 * noise.frames)) == noise.samples)
    #expect(samples.dropFirst(2 * noise.frames).allSatisfy { $0 == 0 })
    #expect(card.count("xrun") == 0)
    #expect(session.events.filter { if case .started = $0 { true } else { false } }.count == 3)
  }

  /// ALSA's own `file` PCM, on nothing, which takes all at once, and on a card.
  @Test(arguments: [16, 24], [false, true])
  func `ALSA's file device holds the original samples`(bits: Int, paced: Bool) throws {
    let card = try FakeCard()
    let noise = Noise(frames: 30_011, bits: bits)
    let paths = try noise.flacs(cutAt: [12_345], in: card.folder)
    let file = card.folder / "file.raw"
    let slave = card.device.replacing("\"", with: "")
    let device = paced ? "tee:SLAVE='\(slave)',FILE=\(file),FORMAT=raw" : "file:FILE=\(file)"
    let session = Session(device, rewinding: .auto)
    session.play(paths)
    #expect(session.wait(for: .finished))
    session.end()
    let samples: [Int32] = try card.folder.read("file.raw")
    #expect(Array(samples.prefix(2 * noise.frames)) == noise.samples)
    #expect(samples.dropFirst(2 * noise.frames).allSatisfy { $0 == 0 })
  }

  @Test func `the place told is that of the frame being heard`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    session.play([try Coded.write(track: 0, frames: 60_000, in: card.folder)])
    #expect(session.wait(untilPlace: .milliseconds(50)))
    for tenth in 1...8 {
      #expect(session.wait(untilPlace: .milliseconds(100 * tenth)))
      let before = card.frame(at: now())
      let place = session.deck?.position?.place.frames(at: 44_100) ?? 0
      let after = card.frame(at: now())
      // The first frame of the file is the first of the capture.
      #expect(place >= before - 2 && place <= after + 2, "\(before) \(place) \(after)")
    }
    session.end()
  }

  // MARK: - Commands

  @Test func `pause stops the card, and resume goes on with the next frame`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    session.play([try Coded.write(track: 0, frames: 100_000, in: card.folder)])
    for tenth in 1...3 {
      #expect(session.wait(untilPlace: .milliseconds(150 * tenth)))
      session.deck?.pause()
      #expect(session.wait { _ in card.count("stop") == tenth })
      let place = session.deck?.position?.place.frames(at: 44_100)
      let last = card.heard.reversed().first { $0.gain > 0 }
      // The ramp's last frames are too soft to tell their number.
      let number = card.heard.last { $0.number != nil }?.number ?? -99
      #expect((number..<number + 30).contains((place ?? 0) - 1), "\(String(describing: last))")
      session.deck?.resume()
    }
    #expect(session.wait(for: .finished))
    session.end()
    #expect(jumpsOverSound(card.heard).isEmpty)
    #expect(greatestStep(card.heard.prefix { $0.number != 99_999 }) <= 1.01 / 352)
    #expect(card.count("xrun") == 0)
  }

  @Test func `volume changes in a ramp, soon, and loses nothing`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    session.play([try Coded.write(track: 0, frames: 60_000, in: card.folder)])
    #expect(session.wait(untilPlace: .milliseconds(300)))
    let pressed = card.frame(at: now())
    session.deck?.setVolume(decibels: -12)
    #expect(session.wait(for: .finished))
    session.end()
    let heard = card.heard
    let changed = heard.firstIndex { $0.gain < 0.9999 } ?? 0
    // 3 ms of safety before the card's place, and what the threads' waking takes.
    #expect((pressed + 100..<pressed + 1000).contains(changed), "\(pressed) \(changed)")
    #expect(jumps(Array(heard.prefix(60_000))).isEmpty)
    #expect(greatestStep(heard[..<59_000]) <= 1.01 / 352)
    #expect(abs(heard[59_000].gain - 0.251189) < 1e-5)
  }

  @Test func `volume before the first sound is in force from its first frame`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    session.deck?.setVolume(decibels: -6)
    session.play([try Coded.write(track: 0, frames: 10_000, in: card.folder)])
    #expect(session.wait(for: .finished))
    session.end()
    #expect(card.heard.prefix(10_000).allSatisfy { abs($0.gain - 0.501187) < 1e-5 })
  }

  @Test func `next and seek are heard at once, and without a step`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    let paths = try (0..<2).map { try Coded.write(track: $0, frames: 150_000, in: card.folder) }
    session.play(paths)
    #expect(session.wait(untilPlace: .milliseconds(300)))
    let items = paths.enumerated().map { Item(id: UInt32($0), source: Source(path: $1)) }
    var pressed = [card.frame(at: now())]
    session.deck?.play(items[1])
    #expect(session.wait(for: .started(id: 1)))
    #expect(session.wait(untilPlace: .milliseconds(200), of: 1))
    pressed.append(card.frame(at: now()))
    session.deck?.seek(items[1], to: .seconds(2))
    #expect(session.wait(untilPlace: .milliseconds(2200), of: 1))
    session.deck?.stop()
    #expect(session.wait { _ in card.count("stop") > 0 })
    session.end()
    let heard = card.heard
    // Where both sound, the numbers are mixed: look for the first and the last of each.
    let whole = heard.indices.filter { heard[$0].gain == 1 }
    let breaks = zip(whole, whole.dropFirst()).filter { one, next in
      heard[next].number != (heard[one].number ?? 0) + 1 || next != one + 1
    }
    for (index, from) in pressed.enumerated() {
      let first = breaks.first { $0.1 > from }
      #expect((first?.0 ?? 0) < from + 1000, "press \(index) at \(from): \(breaks)")
    }
    let numbers = Set(heard.compactMap(\.number))
    #expect(numbers.isSuperset(of: Coded.track + 500..<Coded.track + 8_000))
    #expect(numbers.isSuperset(of: Coded.track + 88_700..<Coded.track + 96_000))
    // A track's first frame may come at full gain, where the old sound is out before it is there.
    let edge = heard.firstIndex { $0.number == Coded.track } ?? heard.count
    #expect(greatestStep(heard[..<edge]) <= 1.02 / 352)
    #expect(greatestStep(heard[edge...]) <= 1.02 / 352)
    #expect(card.count("xrun") == 0)
  }

  @Test func `play after stop, and play while paused, play`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    let path = try Coded.write(track: 0, frames: 20_000, in: card.folder)
    let item = Item(id: 0, source: Source(path: path))
    session.deck?.play(item)
    #expect(session.wait(untilPlace: .milliseconds(100)))
    session.deck?.stop()
    #expect(session.wait { _ in card.count("stop") == 1 })
    session.forget()
    session.deck?.play(item)
    #expect(session.wait(for: .started(id: 0)))
    session.deck?.pause()
    #expect(session.wait { _ in card.count("stop") == 2 })
    session.forget()
    session.deck?.play(item)
    #expect(session.wait(for: .finished))
    session.end()
    // The last time all of it is heard, from its first frame on, at full gain.
    let heard = card.heard
    let start = heard.lastIndex { $0.number == 0 && $0.gain == 1 } ?? 0
    #expect(jumpsOverSound(Array(heard[start...])).isEmpty)
    #expect(numbers(Array(heard[start...])).last == 19_999)
  }

  @Test func `a seek while paused stays paused, and resume begins there`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    let path = try Coded.write(track: 0, frames: 100_000, in: card.folder)
    let item = Item(id: 0, source: Source(path: path))
    session.deck?.play(item)
    #expect(session.wait(untilPlace: .milliseconds(200)))
    session.deck?.pause()
    // At once, while the old sound still fades.
    session.deck?.seek(item, to: .seconds(1))
    #expect(session.wait { _ in card.count("stop") == 1 })
    session.deck?.seek(item, to: .seconds(2))
    #expect(!session.wait(0.3) { _ in card.count("start") > 1 })
    session.deck?.resume()
    #expect(session.wait(for: .finished))
    session.end()
    let stop = card.log.first { $0.name == "stop" }?.frame ?? 0
    let rest = Array(card.heard.dropFirst(stop))
    // 88,200 is the frame at two seconds; its gain is 0, the next ones' too small to tell.
    let first = rest.firstIndex { $0.number != nil } ?? 0
    #expect(rest[first].number == 88_200 + first)
    #expect(jumps(rest).isEmpty)
    #expect(greatestStep(rest.prefix(10_000)) <= 1.01 / 352)
    #expect(rest.last { $0.number != nil }?.number == 99_999)
  }

  // MARK: - Late and dry

  @Test func `a late decoder makes silence, and then the next frame`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    session.answers = false
    let paths = try (0..<2).map {
      try Coded.write(
        track: 0, frames: 20_000, from: 20_000 * $0, in: card.folder, name: "\($0).wav")
    }
    session.play(paths)
    #expect(session.wait(for: .underrun(late: true)))
    #expect(!session.wait(0.2) { _ in card.count("xrun") + card.count("stop") > 0 })
    session.deck?.follow(with: session.next[0])
    session.answers = true
    #expect(session.wait { $0.events.contains(.wantsNext(after: 1)) })
    #expect(session.wait(for: .finished))
    session.end()
    let heard = card.heard
    #expect(card.count("xrun") == 0)
    #expect(jumpsOverSound(heard).isEmpty)
    #expect(numbers(heard).first == 0)
    #expect(numbers(heard).last == 39_999)
    let silence = heard.count { $0.isSilent }
    #expect(silence > 6_000)
    #expect(session.events.count { $0 == .underrun(late: true) } == 1)
    #expect(greatestStep(heard.prefix { $0.number != 39_999 }) <= 1.01 / 352)
  }

  @Test func `a card that runs dry is started again, and no frame is lost`() throws {
    // Six times as fast as the clock by which the thread sleeps.
    let card = try FakeCard(speed: 6)
    let session = Session(card.device)
    session.play([try Coded.write(track: 0, frames: 200_000, in: card.folder)])
    #expect(session.wait(for: .finished))
    session.end()
    let underruns = session.events.count { $0 == .underrun(late: false) }
    #expect(underruns > 0)
    #expect(card.count("start") == underruns + 1)
    #expect(jumpsOverSound(card.heard).isEmpty)
    #expect(numbers(card.heard).last == 199_999)
  }

  // MARK: - Rates

  @Test func `a card that has both rates switches, and loses nothing`() throws {
    let card = try FakeCard(rates: "44100 48000")
    let session = Session(card.device)
    let paths = [
      try Coded.write(track: 0, frames: 20_001, in: card.folder),
      try Coded.write(track: 1, frames: 20_003, rate: 48_000, in: card.folder),
    ]
    session.play(paths)
    #expect(session.wait(for: .finished))
    session.end()
    let heard = card.heard
    #expect(heard.filter { !$0.isSilent }.map(\.number) == Self.wholeTracks([20_001, 20_003]))
    #expect(heard.allSatisfy { $0.isSilent || $0.gain == 1 })
    #expect(
      card.log.filter { $0.name == "params" }.compactMap { $0.details["rate"] }
        == ["44100", "48000"])
    // What the card plays after the last frame, and how long the new rate waits for its first.
    let silence = (heard.firstIndex { $0.number == Coded.track } ?? 0) - 20_001
    #expect(Double(silence) / 44_100 <= 0.005)
    #expect(card.count("xrun") == 0)
  }

  private static func wholeTracks(_ frames: [Int]) -> [Int?] {
    frames.enumerated().flatMap { track, count in
      (0..<count).map { track * Coded.track + $0 }
    }
  }

  @Test func `a card that has one rate gets the other resampled to the frame`() throws {
    let card = try FakeCard(rates: "48000")
    let session = Session(card.device)
    let paths = [
      try Coded.write(track: 0, frames: 22_050, in: card.folder),
      try Coded.write(track: 1, frames: 24_000, rate: 48_000, in: card.folder),
    ]
    session.play(paths)
    #expect(session.wait(for: .finished))
    session.end()
    let heard = card.heard
    let second = heard.firstIndex { $0.number == Coded.track && $0.gain == 1 } ?? 0
    #expect(abs(second - 24_000) <= 1)
    #expect(heard[second..<second + 24_000].allSatisfy { $0.gain == 1 })
    #expect(heard.dropFirst(second + 24_000).allSatisfy { $0.isSilent })
    #expect(session.events.contains(.outputReady(rate: 48_000, format: "32 bit")))
  }

  // MARK: - The silent output

  @Test func `with no card time passes all the same`() throws {
    let folder = try TemporaryFolder()
    let session = Session(OutputSettings.silent)
    let began = now()
    session.play([try Coded.write(track: 0, frames: 22_050, in: folder)])
    #expect(session.wait(for: .finished))
    let passed = now() - began
    #expect(passed >= 0.5 && passed < 2)
    session.end()
    #expect(session.events.contains(.started(id: 0)))
    #expect(!session.events.contains { if case .underrun = $0 { true } else { false } })
  }
}

/// The jumps in what was heard, with silence and what is too soft to tell left out: up to 32 frames may
/// be too soft at the end of a ramp down and the start of a ramp up, at half the volume.
func jumpsOverSound(_ heard: [Coded]) -> [(Int, Int)] {
  let told = numbers(heard)
  return zip(told, told.dropFirst()).filter { $1 < $0 + 1 || $1 > $0 + 33 }
}

/// Noise of a given width, cut into FLAC files.
struct Noise {
  let frames: Int
  let bits: Int
  /// Left and right in turn, as the top bits of 32.
  let samples: [Int32]

  init(frames: Int, bits: Int) {
    self.frames = frames
    self.bits = bits
    var state: UInt64 = 7
    samples = (0..<2 * frames).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (Int32(truncatingIfNeeded: state >> 32) >> (32 - bits)) << (32 - bits)
    }
  }

  /// Encodes the pieces between the cuts with the flac program.
  func flacs(cutAt cuts: [Int], in folder: TemporaryFolder) throws -> [String] {
    let edges = [0] + cuts + [frames]
    return try zip(edges, edges.dropFirst()).enumerated().map { index, piece in
      let bytes = samples[2 * piece.0..<2 * piece.1].flatMap { sample in
        (4 - bits / 8..<4).map { UInt8(truncatingIfNeeded: sample >> ($0 * 8)) }
      }
      let raw = folder / "noise\(index).raw"
      let file = open(raw, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
      try #require(write(file, bytes, bytes.count) == bytes.count)
      close(file)
      let path = folder / "noise\(index).flac"
      let status = run([
        "flac", "-s", "-f", "--force-raw-format", "--endian=little", "--sign=signed",
        "--channels=2", "--bps=\(bits)", "--sample-rate=44100", "-o", path, raw,
      ]).status
      try #require(status == 0)
      return path
    }
  }
}
