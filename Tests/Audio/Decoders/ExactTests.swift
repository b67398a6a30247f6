import Audio
import Testing

@Suite struct ExactTests {
  @Test(arguments: [(8, 1), (16, 1), (16, 2), (24, 2), (16, 6), (24, 6)])
  func `integer samples come out of WAV, AIFF and FLAC as they went in`(
    _ bits: Int, _ channels: Int
  ) throws {
    let signal = Signal.music(rate: 48000, frames: 20_011, channels: channels, bits: bits)
    var files = [try Corpus.write("exact-\(bits)-\(channels).wav", signal.wav())]
    let name = "exact-\(bits)-\(channels)"
    if bits > 8 {
      files.append(try Corpus.ffmpeg(signal, name + ".aiff", "-c:a", "pcm_s\(bits)be"))
      let flac = Corpus.folder + "/" + name + ".flac"
      try Corpus.tool("flac", ["--silent", "--force", "-o", flac, files[0]])
      files.append(flac)
      let wavPack = Corpus.folder + "/" + name + ".wv"
      try Corpus.tool("wavpack", ["-q", "-y", files[0], "-o", wavPack])
      files.append(wavPack)
    }
    for file in files {
      let decoder = try AudioFile.open(file)
      #expect(decoder.format.rate == 48000)
      #expect(decoder.format.bits == bits, "\(file)")
      #expect(decoder.format.layout == .standard(channels: channels), "\(file)")
      #expect(try decode(decoder) == signal.floats, "\(file)")
    }
  }

  @Test func `24 bits at 192 kHz come out of FLAC and ALAC as they went in`() throws {
    let signal = Signal.music(rate: 192_000, frames: 50_001, bits: 24)
    for (name, codec) in [("high.flac", "flac"), ("high.m4a", "alac")] {
      let format = codec == "alac" ? "s32p" : "s32"
      let file = try Corpus.ffmpeg(signal, name, "-c:a", codec, "-sample_fmt", format)
      let decoder = try AudioFile.open(file)
      #expect(decoder.format == StreamFormat(rate: 192_000, layout: .stereo, bits: 24))
      #expect(try decode(decoder) == signal.floats)
    }
  }

  @Test func `float samples come out of WAV as they went in`() throws {
    let signal = Signal.music(rate: 44100, frames: 10_001)
    let file = try Corpus.ffmpeg(signal, "float.wav", "-c:a", "pcm_f32le")
    let decoder = try AudioFile.open(file)
    #expect(decoder.format.bits == 0)
    #expect(try decode(decoder) == signal.floats)
  }

  @Test(arguments: [Encoding.mp3Constant, .mp3Variable, .mp3Lavc])
  func `MP3 sounds as mpg123 plays it`(_ encoding: Encoding) throws {
    let file = try Corpus.files(encoding, of: .cd)[0]
    let target = Corpus.folder + "/mpg123-\(encoding).wav"
    try Corpus.tool("mpg123", ["-q", "-e", "f32", "-w", target, file])
    try expectEqual(AudioFile.open(file), AudioFile.open(target), within: 1e-6)
  }

  @Test func `Vorbis sounds as oggdec plays it`() throws {
    let file = try Corpus.files(.vorbis, of: .cd)[0]
    let target = Corpus.folder + "/oggdec.wav"
    try Corpus.tool("oggdec", ["-Q", "-o", target, file])
    // oggdec writes 16 bits.
    try expectEqual(AudioFile.open(file), AudioFile.open(target), within: 1.01 / 32768)
  }

  @Test func `Opus sounds as opusdec plays it`() throws {
    let file = try Corpus.files(.opus, of: .dat)[0]
    let target = Corpus.folder + "/opusdec.wav"
    try Corpus.tool("opusdec", ["--quiet", "--float", file, target])
    try expectEqual(AudioFile.open(file), AudioFile.open(target), within: 1e-4)
  }

  @Test(arguments: [Encoding.aacEditList, .aacPlain, .wma, .aacMatroska, .aacADTS])
  func `AAC and WMA sound as ffmpeg plays them`(_ encoding: Encoding) throws {
    let file = try Corpus.files(encoding, of: .cd)[0]
    let target = Corpus.folder + "/ffmpeg-\(encoding).wav"
    try Corpus.tool(
      "ffmpeg", ["-v", "error", "-y", "-nostdin", "-i", file, "-c:a", "pcm_f32le", target])
    // ffmpeg leaves the padding in, which is at the end.
    try expectEqual(AudioFile.open(file), AudioFile.open(target), within: 1e-6)
  }

  @Test func `surround has its channels where the format says`() throws {
    // A tone in one channel a second shows which is which.
    let names: [ChannelLayout.Position] = [
      .left, .right, .centre, .lowFrequency, .surroundLeft, .surroundRight,
    ]
    var signal = Signal.music(rate: 48000, frames: 6 * 4800, channels: 6)
    for frame in 0..<signal.frames {
      for channel in 0..<6 where frame / 4800 != channel { signal.samples[6 * frame + channel] = 0 }
    }
    for (name, options) in [
      ("six.wav", []), ("six.flac", []), ("six.ogg", ["-c:a", "libvorbis", "-q:a", "8"]),
      ("six.m4a", ["-c:a", "aac", "-b:a", "512k"]),
      ("six.ac3.mkv", ["-c:a", "ac3", "-b:a", "640k"]),
      ("six.opus", ["-c:a", "libopus", "-b:a", "512k"]),
    ] {
      let source = try Corpus.write("six-source.wav", signal.wav())
      let file = Corpus.folder + "/" + name
      try Corpus.tool(
        "ffmpeg", ["-v", "error", "-y", "-nostdin", "-i", source] + options + [file])
      let decoder = try AudioFile.open(file)
      let positions = decoder.format.layout.positions
      #expect(positions.count == 6, "\(name)")
      let samples = try decode(decoder)
      for (index, position) in names.enumerated() where position != .lowFrequency {
        let middle = (index * 4800 + 1800)..<(index * 4800 + 3000)
        let energies = (0..<6).map { channel in
          middle.reduce(Float(0)) { $0 + samples[6 * $1 + channel] * samples[6 * $1 + channel] }
        }
        let loudest = energies.indices.max { energies[$0] < energies[$1] } ?? 0
        // What some call side others call surround.
        let found: ChannelLayout.Position =
          switch positions[loudest] {
          case .sideLeft: .surroundLeft
          case .sideRight: .surroundRight
          default: positions[loudest]
          }
        #expect(found == position, "\(name)")
      }
    }
  }

  private func expectEqual(
    _ ours: any Decoder, _ theirs: any Decoder, within tolerance: Float
  ) throws {
    let (one, two) = (try decode(ours), try decode(theirs))
    #expect(!one.isEmpty && one.count <= two.count)
    let difference = zip(one, two).reduce(0) { max($0, abs($1.0 - $1.1)) }
    #expect(difference <= tolerance)
  }
}
