import Audio
import Glibc
import Testing

struct WAVFileTests {
  /// Samples of every format with the corner values in, and as 32-bit integers (int) what they mean.
  private func bytes(_ format: WAVFile.Format, frames: Int) -> [UInt8] {
    var state: UInt32 = 7
    return (0..<2 * frames).flatMap { _ -> [UInt8] in
      state = state &* 1_664_525 &+ 1_013_904_223
      let word = format == .float32 ? (Float(state >> 8) / 16_777_216 - 0.5).bitPattern : state
      return (0..<format.bytes).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) }
    }
  }

  private func write(_ bytes: [UInt8], to path: String, _ format: WAVFile.Format) throws {
    var file = try WAVFile(path: Array((path).utf8), rate: 44_100, channels: 2, format: format)
    let block = 1_013 * 2 * format.bytes
    for place in stride(from: 0, to: bytes.count, by: block) {
      try file.write(
        bytes: bytes.span.extracting(place..<min(place + block, bytes.count)).bytes)
    }
    try file.close()
  }

  @Test(arguments: WAVFile.Format.allCases)
  func `sox and ffmpeg read back every sample`(format: WAVFile.Format) throws {
    let folder = try TemporaryFolder()
    let source = bytes(format, frames: 50_001)
    try write(source, to: folder / "a.wav", format)
    let (bits, encoding, codec) =
      switch format {
      case .int16: ("16", "signed-integer", "s16le")
      case .int24: ("24", "signed-integer", "s24le")
      case .int32: ("32", "signed-integer", "s32le")
      case .float32: ("32", "floating-point", "f32le")
      }
    try #require(
      run(["sox", "-D", folder / "a.wav", "-t", "raw", "-b", bits, "-e", encoding, folder / "sox"])
        .status == 0)
    let ffmpeg = run([
      "ffmpeg", "-v", "error", "-i", folder / "a.wav", "-f", codec, folder / "ffmpeg",
    ])
    try #require(ffmpeg.status == 0 && ffmpeg.output == "")
    let heardByFFmpeg: [UInt8] = try folder.read("ffmpeg")
    #expect(heardByFFmpeg == source)
    // sox works in 32-bit integers.
    if format != .float32 {
      let heardBySox: [UInt8] = try folder.read("sox")
      #expect(heardBySox == source)
    }
    let probe = run([
      "ffprobe", "-v", "error", "-show_entries", "stream=sample_rate,channels,codec_name",
      "-of", "csv=p=0", folder / "a.wav",
    ])
    #expect(probe.output == "pcm_\(codec),44100,2\n")
  }

  @Test func `the same samples make the same file`() throws {
    let folder = try TemporaryFolder()
    let source = bytes(.float32, frames: 1_000)
    try write(source, to: folder / "a.wav", .float32)
    try write(source, to: folder / "b.wav", .float32)
    let first: [UInt8] = try folder.read("a.wav")
    let second: [UInt8] = try folder.read("b.wav")
    #expect(first == second)
    #expect(first.prefix(4) == Array("RIFF".utf8)[...])
  }

  @Test func `a file cut off is whole up to its last second`() throws {
    let folder = try TemporaryFolder()
    let second = bytes(.int16, frames: 44_100)
    var file = try WAVFile(
      path: Array((folder / "a.wav").utf8), rate: 44_100, channels: 2, format: .int16)
    for _ in 0..<3 { try file.write(bytes: second.span.bytes) }
    try file.write(bytes: second.span.extracting(first: 40_000).bytes)
    let copy = run(["cp", folder / "a.wav", folder / "cut.wav"])
    try file.close()
    try #require(copy.status == 0)
    #expect(run(["soxi", "-s", folder / "cut.wav"]).output == "132300\n")
    #expect(run(["soxi", "-s", folder / "a.wav"]).output == "142300\n")
  }

  @Test func `a file left without close is complete all the same`() throws {
    let folder = try TemporaryFolder()
    do {
      var file = try WAVFile(
        path: Array((folder / "a.wav").utf8), rate: 48_000, channels: 1, format: .int24)
      try file.write(bytes: bytes(.int24, frames: 500).span.bytes)
    }
    #expect(run(["soxi", "-s", folder / "a.wav"]).output == "1000\n")
  }

  @Test func `errors bear the system's code and words`() throws {
    let folder = try TemporaryFolder()
    let missing = #expect(throws: SoundFileError.self) {
      _ = try WAVFile(
        path: Array((folder / "no/a.wav").utf8), rate: 44_100, channels: 2, format: .int16)
    }
    #expect(missing?.code == ENOENT)
    #expect(missing?.description == "No such file or directory")
    let full = #expect(throws: SoundFileError.self) {
      _ = try WAVFile(path: Array(("/dev/full").utf8), rate: 44_100, channels: 2, format: .int16)
    }
    #expect(full?.code == ENOSPC)
    #expect(full?.description == "No space left on device")
  }

  @Test func `a disk that fills up is an error, and what fitted is kept`() async throws {
    // A limit on the size of files stands in for the disk: the same path, with EFBIG.
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      let folder = try TemporaryFolder()
      var file = try WAVFile(
        path: Array((folder / "a.wav").utf8), rate: 44_100, channels: 2, format: .int16)
      let block = [UInt8](repeating: 1, count: 40_000)
      try file.write(bytes: block.span.bytes)
      try file.write(bytes: block.span.bytes)
      let error = #expect(throws: SoundFileError.self) { try file.write(bytes: block.span.bytes) }
      #expect(error?.code == EFBIG)
      #expect(error?.description == "File too large")
      try file.close()
      let frames = run(["soxi", "-s", folder / "a.wav"]).output
      #expect(frames.dropLast() >= "24900" && frames.count == 6)
    }
  }
}
