import Testing

@testable import Audio

struct BounceTests {
  @Test(arguments: [(WAVFile.Format.int16, 16), (.int24, 24), (.int32, 24), (.float32, 24)])
  func `the file holds the tracks' own samples`(format: WAVFile.Format, bits: Int) throws {
    let folder = try TemporaryFolder()
    let noise = Noise(frames: 50_021, bits: bits)
    let paths = try noise.flacs(cutAt: [1, 20_000, 43_210], in: folder)
    let bounced = try bounce(paths, to: folder / "out.wav", format: format)
    #expect(bounced.frames == noise.frames)
    #expect(try decoded(folder, "out.wav") == noise.samples)
    #expect(bounced.events.contains(.writing(rate: 44_100)))
  }

  @Test func `the same input gives the same bytes`() throws {
    let folder = try TemporaryFolder()
    let paths = try Noise(frames: 30_000, bits: 24).flacs(cutAt: [10_000], in: folder)
    for name in ["one.wav", "two.wav"] {
      _ = try bounce(paths, to: folder / name, format: .int16, volume: -7)
    }
    let one: [UInt8] = try folder.read("one.wav")
    let two: [UInt8] = try folder.read("two.wav")
    #expect(one == two)
  }

  @Test func `it begins where it is told, at once`() throws {
    let folder = try TemporaryFolder()
    let noise = Noise(frames: 50_000, bits: 24)
    let paths = try noise.flacs(cutAt: [], in: folder)
    let bounced = try bounce(
      paths, to: folder / "out.wav", format: .int24, from: .milliseconds(500))
    #expect(bounced.frames == 50_000 - 22_050)
    #expect(try decoded(folder, "out.wav") == Array(noise.samples[(2 * 22_050)...]))
  }

  @Test func `a bad file is named and passed over`() throws {
    let folder = try TemporaryFolder()
    let noise = Noise(frames: 9_000, bits: 16)
    var paths = try noise.flacs(cutAt: [4_000], in: folder)
    try folder.write([0, 1, 2], "bad.flac")
    paths.insert(folder / "bad.flac", at: 1)
    paths.insert(folder / "missing.flac", at: 0)
    let bounced = try bounce(paths, to: folder / "out.wav", format: .int16)
    #expect(bounced.frames == 9_000)
    #expect(try decoded(folder, "out.wav") == noise.samples)
    let failed = bounced.events.compactMap { if case .failed(let id, _) = $0 { id } else { nil } }
    #expect(failed == [0, 2])
  }

  @Test func `with nothing to play there is no file`() throws {
    let folder = try TemporaryFolder()
    let bounced = try bounce([folder / "missing.wav"], to: folder / "out.wav", format: .int16)
    #expect(bounced.frames == 0)
    #expect(run(["test", "-e", folder / "out.wav"]).status == 1)
  }

  @Test func `tracks of two rates come to one, each as long as it is`() throws {
    let folder = try TemporaryFolder()
    let paths = [
      try Coded.write(track: 0, frames: 44_101, in: folder),
      try Coded.write(track: 1, frames: 48_001, rate: 48_000, in: folder),
      try Coded.write(track: 2, frames: 22_051, in: folder),
    ]
    let bounced = try bounce(paths, to: folder / "out.wav", format: .int32, rate: 48_000)
    // 44,101 and 22,051 frames last 48,001.09 and 24,001.09 frames at 48 kHz.
    #expect(bounced.frames == 48_001 + 48_001 + 24_001)
  }

  @Test func `hundreds of one-frame tracks pass, resampled or not`() throws {
    let folder = try TemporaryFolder()
    let path = try Coded.write(track: 0, frames: 1, in: folder)
    let paths = Array(repeating: path, count: 1500)
    for rate in [44_100, 88_200] {
      let bounced = try bounce(paths, to: folder / "out.wav", format: .int16, rate: rate)
      #expect(bounced.frames == 1500 * rate / 44_100)
      #expect(!bounced.events.contains { if case .failed = $0 { true } else { false } })
    }
  }

  // MARK: -

  private func bounce(
    _ paths: [String], to path: String, format: WAVFile.Format, rate: Int? = nil,
    volume: Double = 0, from place: Duration = .zero
  ) throws -> (frames: Int, events: [Bounce.Event]) {
    let items = paths.enumerated().map { Item(id: UInt32($0), source: Source(path: $1)) }
    var events: [Bounce.Event] = []
    var rest = items.dropFirst()
    let bounce = Bounce(to: Array(path.utf8), format: format, rate: rate, volume: volume)
    let frames = try bounce.render(
      items[0], from: place, next: { rest.popFirst() }, report: { events.append($0) })
    return (frames, events)
  }

  /// A WAV file's samples as sox reads them, as the top bits of 32.
  private func decoded(_ folder: TemporaryFolder, _ name: String) throws -> [Int32] {
    let raw = folder / "decoded.raw"
    let sox = ["sox", folder / name, "-t", "raw", "-e", "signed", "-b", "32", "-L", raw]
    try #require(run(sox).status == 0)
    return try folder.read("decoded.raw")
  }
}
