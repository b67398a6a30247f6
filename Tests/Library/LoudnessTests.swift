import Glibc
import Jukebox
import Testing

@testable import Library

/// Loudness against the test signals of EBU Tech 3341 (section 2.9), which say what a meter must show.
struct LoudnessTests {
  private static let rate = 48000

  /// A sine on both sides: (peak level in dBFS, seconds) one after the other.
  private static func sine(_ parts: [(Double, Double)], pitch: Double = 1000) -> [Float] {
    var samples: [Float] = []
    for (level, seconds) in parts {
      let peak = pow(10, level / 20)
      for _ in 0..<Int(seconds * Double(rate)) {
        let phase = 2 * Double.pi * pitch * Double(samples.count / 2) / Double(rate)
        samples += [Float(peak * sin(phase)), Float(peak * sin(phase))]
      }
    }
    return samples
  }

  private static func measure(_ samples: [Float]) throws -> Loudness {
    guard var meter = LoudnessMeter(rate: rate) else { throw TestFailure("no meter") }
    // In blocks of no particular length.
    var place = 0
    while place < samples.count {
      let end = min(place + 2 * 4567, samples.count)
      meter.add(samples[place..<end].span)
      place = end
    }
    return meter.loudness
  }

  @Test(arguments: [
    [(-23.0, 20.0)], [(-36, 10), (-23, 60), (-36, 10)],
    [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], [(-26, 20), (-20, 20.1), (-26, 20)],
  ])
  func `the EBU's signals of -23 LUFS are so loud`(_ parts: [(Double, Double)]) throws {
    let loudness = try Self.measure(Self.sine(parts))
    #expect(abs(try #require(loudness.integrated) + 23) <= 0.1)
    #expect(abs(try #require(loudness.adjustment).gain - 5) <= 0.1)
    #expect(abs(try #require(Loudness(together: [loudness]).integrated) + 23) <= 0.1)
  }

  @Test func `ten decibels less is ten units less, and silence has no loudness`() throws {
    let soft = try Self.measure(Self.sine([(-33, 20)]))
    #expect(abs(try #require(soft.integrated) + 33) <= 0.1)
    let silence = try Self.measure([Float](repeating: 0, count: 2 * Self.rate))
    #expect(silence.integrated == nil && silence.adjustment == nil && silence.peak == 0)
    #expect(Loudness(together: [silence, silence]).integrated == nil)
    #expect(try Self.measure([]).integrated == nil)
  }

  @Test func `tracks measured one by one are an album as loud as if they were one`() throws {
    let tracks = try [(-26.0, 20.0), (-20, 20.1), (-26, 20)].map {
      try Self.measure(Self.sine([$0]))
    }
    let album = Loudness(together: tracks)
    #expect(abs(try #require(album.integrated) + 23) <= 0.1)
    #expect(abs(20 * log10(album.peak) + 20) <= 0.1)
    // Tracks that the gate leaves out of the album.
    let quiet = try [(-72.0, 10.0), (-36, 10), (-23, 60)].map { try Self.measure(Self.sine([$0])) }
    #expect(abs(try #require(Loudness(together: quiet).integrated) + 23) <= 0.1)
  }

  /// Signals 15 to 19: the peak lies between the samples; +0.2 and -0.4 dB are allowed.
  @Test(arguments: [
    (divisor: 4, degrees: 0.0, peak: 0.5), (4, 45, 0.5), (6, 60, 0.5), (8, 67.5, 0.5),
    (4, 45, 1.41),
  ])
  func `true peaks between the samples are found`(
    _ signal: (divisor: Int, degrees: Double, peak: Double)
  ) throws {
    let samples = (0..<Self.rate).flatMap { frame -> [Float] in
      let turns = Double(frame) / Double(signal.divisor) + signal.degrees / 360
      // A soft start, since a step has peaks of its own.
      let value = signal.peak * sin(2 * .pi * turns) * min(1, Double(frame) / 4800)
      return [Float(value), Float(value)]
    }
    let difference = 20 * log10(try Self.measure(samples).peak / signal.peak)
    #expect((-0.4...0.2).contains(difference))
  }

  @Test func `what is kept of the blocks is what was put there, and junk is nothing`() throws {
    var generator = SplitMix(state: 1)
    for _ in 0..<100 {
      var blocks = GatingBlocks()
      for _ in 0..<Int.random(in: 0...3000, using: &generator) {
        blocks.add(Double.random(in: -90...40, using: &generator))
      }
      #expect(GatingBlocks(bytes: blocks.bytes) == blocks)
      let junk = (0..<30).map { _ in UInt8.random(in: 0...255, using: &generator) }
      _ = GatingBlocks(bytes: junk).integrated
    }
  }

  // MARK: - In the library

  private let library: TestLibrary
  private let folder: TemporaryFolder

  init() throws {
    library = try TestLibrary()
    folder = library.folder
    for number in 1...3 {
      try folder.track(
        "stick/Album/\(number).flac",
        ["TITLE": "T\(number)", "ALBUM": "Album", "ARTIST": "A", "TRACKNUMBER": "\(number)"])
    }
    try folder.track(
      "stick/Told.flac",
      ["TITLE": "Told", "REPLAYGAIN_TRACK_GAIN": "-6.5 dB", "REPLAYGAIN_TRACK_PEAK": "0.9"])
    try folder.track("stick/Broken.flac", ["TITLE": "Broken"])
    try library.scan(folder("stick"))
  }

  /// Measures all, each file as a sine of -26, -20 and -26 dBFS by its number; gives what was asked for.
  private func survey(_ sound: LoudnessSurvey.Sound? = nil) throws -> LoudnessSurvey.Event {
    let survey = try LoudnessSurvey(library: library.catalogue.path) { part, take in
      if let sound { return try sound(part, take) }
      let name = part.path.stem.description
      guard let number = Int(name) else { throw TestFailure("no sound is in \(name)") }
      let samples = Self.sine([[(-26.0, 20.0), (-20, 20.1), (-26, 20)][number - 1]])
      _ = take(samples.span, Self.rate)
    }
    try survey.start()
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      var waiting = pollfd(fd: survey.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&waiting, 1, 1000)
      for event in survey.takeEvents() {
        if case .progressed = event { continue }
        return event
      }
    }
    throw TestFailure("the survey does not end")
  }

  @Test func `tracks without gain tags are measured once, and their album with the last`() throws {
    #expect(try library.catalogue.unmeasuredCount() == 4)
    #expect(try survey() == .finished(4))
    let first = try library.track("T1").tags.replayGain
    #expect(abs(try #require(first.track).gain - 8) <= 0.1)
    #expect(abs(try #require(first.album).gain - 5) <= 0.1)
    #expect(abs(20 * log10(try #require(first.album?.peak)) + 20) <= 0.1)
    #expect(try library.track("T3").tags.replayGain.album == first.album)
    #expect(try library.track("Told").tags.replayGain.track == .init(gain: -6.5, peak: 0.9))
    #expect(try library.track("Broken").tags.replayGain.track == nil)
    #expect(try survey() == .finished(0), "what can't be decoded is not tried again")
  }

  @Test func `what was measured is known again elsewhere, and not of other content`() throws {
    #expect(try survey() == .finished(4))
    let gain = try library.track("T2").tags.replayGain
    try run("mv", folder("stick/Album"), folder("stick/Moved"))
    try library.scan(folder("stick"))
    #expect(try library.track("T2").tags.replayGain == gain)
    try library.catalogue.forget(try #require(try library.catalogue.media().first).id)
    try run("cp", "-r", folder("stick"), folder("other"))
    try library.scan(folder("other"), uuid: "B")
    #expect(try library.track("T2").tags.replayGain == gain)
    try folder.track("other/Moved/2.flac", ["TITLE": "Other", "ALBUM": "Album", "ARTIST": "A"])
    try library.scan(folder("other"), uuid: "B")
    #expect(try library.track("Other").tags.replayGain.track == nil)
    #expect(try survey() == .finished(1))
    #expect(try library.track("Other").tags.replayGain.track != nil)
  }

  @Test func `a survey that is stopped goes on later, one of a stick that is gone waits`() throws {
    let survey = try LoudnessSurvey(library: library.catalogue.path) { _, take in
      // Sound without an end.
      let samples = Self.sine([(-20, 0.1)])
      while take(samples.span, Self.rate) {}
    }
    try survey.start()
    survey.stop()
    #expect(try library.catalogue.unmeasuredCount() == 4)
    try run("mv", folder("stick"), folder("pulled"))
    #expect(try self.survey { _, _ in throw TestFailure("gone") } == .finished(0))
    #expect(try library.catalogue.unmeasuredCount() == 4)
    try run("mv", folder("pulled"), folder("stick"))
    #expect(try self.survey() == .finished(4))
  }

  @Test func `a cue sheet's parts are measured each for itself`() throws {
    try folder.track("disc/disc.flac", ["ALBUM": "Live"], seconds: 60)
    try folder.write(
      "disc/disc.cue",
      text: """
        FILE "disc.flac" WAVE
          TRACK 01 AUDIO
            INDEX 01 00:00:00
          TRACK 02 AUDIO
            INDEX 01 00:20:00
        """)
    try library.scan(folder("disc"), uuid: "D")
    let parts = try library.catalogue.unmeasured(
      on: try #require(try library.catalogue.media().first { $0.identity.uuid == "D" }).id,
      limit: 10)
    #expect(parts.map(\.start) == [.zero, .seconds(20)])
    #expect(parts.map(\.end) == [.seconds(20), nil])
    for (part, level) in zip(parts, [-30.0, -20]) {
      try library.catalogue.setLoudness(Self.measure(Self.sine([(level, 5)])), of: part.track)
    }
    let gains = try parts.map { try library.catalogue.item($0.track)?.tags.replayGain.track?.gain }
    #expect(zip(gains, [12.0, 2]).allSatisfy { abs(($0 ?? 0) - $1) <= 0.1 }, "\(gains)")
  }
}
