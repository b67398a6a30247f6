import Glibc
import Testing

@testable import Audio

@Suite struct BadInputTests {
  private static let noise: [UInt8] = {
    var random = Seeded(state: 3)
    return (0..<1 << 20).map { _ in UInt8.random(in: 0...255, using: &random) }
  }()

  @Test(arguments: ["empty.mp3", "text.mp3", "picture.mp3", "noise.mp3", "huge.mp3", "zeros.mp3"])
  func `what is no sound is refused at once`(_ name: String) throws {
    let bytes: [UInt8] =
      switch name {
      case "text.mp3": Array(String(repeating: "This is no music. ", count: 5000).utf8)
      case "picture.mp3": [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + Self.noise
      case "noise.mp3": Self.noise
      // A tag that claims 256 MB, with nothing behind it.
      case "huge.mp3": Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F] + Self.noise
      case "zeros.mp3": [UInt8](repeating: 0, count: 1 << 20)
      default: []
      }
    let file = try Corpus.write(name, bytes)
    let start = cpuTime()
    let error = #expect(throws: DecoderError.self) { try AudioFile.open(file) }
    #expect(error?.kind == .notAudio)
    // Searching a debug build's megabyte; a hang would be seconds.
    #expect(cpuTime() - start < 1)
  }

  @Test func `what is no regular file is refused`() throws {
    let fifo = Corpus.folder + "/fifo.mp3"
    #expect(mkfifo(fifo, 0o600) == 0)
    for (path, code) in [(Corpus.folder, EISDIR), (fifo, EINVAL), ("/nowhere/a.mp3", ENOENT)] {
      let error = #expect(throws: DecoderError.self) { try AudioFile.open(path) }
      #expect(error?.kind == .unreadable(code))
    }
  }

  @Test(arguments: Encoding.allCases)
  func `a file cut short plays what is there, or is refused`(_ encoding: Encoding) throws {
    let whole = try Corpus.files(encoding, of: encoding.album)[1]
    let bytes = try Corpus.bytes(whole)
    let straight = try decode(AudioFile.open(whole))
    for part in 1..<16 {
      let file = try Corpus.write(
        "cut-\(encoding)-\(part).\(encoding.suffix)", Array(bytes[..<(bytes.count * part / 16)]))
      let decoder: any Decoder
      do { decoder = try AudioFile.open(file) } catch {
        #expect(error.kind == .damaged || error.kind == .notAudio)
        // An MP4's index is at its end; a page of Opus and a frame of TTA hold a second.
        #expect(part < 5 || ["m4a", "opus", "tta"].contains(encoding.suffix))
        continue
      }
      let samples = try decode(decoder)
      #expect(samples.count <= straight.count + 2 * 4096)
      let peak = samples.reduce(0) { max($0, abs($1)) }
      #expect(peak <= 1.5)
      if encoding.isLossless { #expect(samples == Array(straight[..<samples.count])) }
      if encoding.isLossless, encoding != .wavPack, encoding != .tta {
        #expect(samples.count * 16 >= straight.count * (part - 5))
      }
      try decoder.seek(to: 100)
      _ = try read(decoder, 100)
    }
  }

  @Test(arguments: Encoding.allCases)
  func `a file cut anywhere harms nothing that follows it`(_ encoding: Encoding) throws {
    let bytes = try Corpus.bytes(Corpus.files(encoding, of: encoding.album)[3])
    let good = Signal.music(rate: encoding.album.signal.rate, frames: 3000)
    let cuts = [42, 120, 600, 1200] + (1..<16).map { bytes.count * $0 / 16 }
    var items = try cuts.enumerated().map { index, cut in
      let path = try Corpus.write(
        "short-\(encoding)-\(index).\(encoding.suffix)", Array(bytes[..<min(cut, bytes.count)]))
      return Item(id: UInt32(index), source: Source(path: path))
    }
    let last = try Corpus.write("after-\(encoding).wav", good.wav())
    items.append(Item(id: 99, source: Source(path: last)))
    let target = Corpus.folder + "/bounce-\(encoding).wav"
    let bounce = Bounce(
      to: Array(target.utf8), format: .float32, rate: encoding.album.signal.rate, volume: 0)
    var following = items.dropFirst()
    _ = try bounce.render(items[0], from: .zero, next: { following.popFirst() }, report: { _ in })
    #expect(try decode(AudioFile.open(target)).suffix(6000).elementsEqual(good.floats))
  }

  @Test(arguments: [0, 1, 1000, 1 << 31, 0xFFFF_FFFF])
  func `a WAV plays what is there, whatever its header claims`(_ claim: Int) throws {
    let signal = Signal.music(rate: 44100, frames: 5000)
    let file = try Corpus.write("claim-\(claim).wav", signal.wav(dataSize: claim))
    let samples = try decode(AudioFile.open(file))
    if claim == 1000 {
      #expect(samples == Array(signal.floats[..<500]))
    } else if claim > 1000 {
      #expect(samples == signal.floats)
    } else {
      #expect(samples.isEmpty || samples == signal.floats)
    }
  }

  @Test(arguments: Encoding.allCases)
  func `damage in the middle leaves the rest in its place`(_ encoding: Encoding) throws {
    let whole = try Corpus.files(encoding, of: encoding.album)[0]
    let straight = try decode(AudioFile.open(whole))
    var bytes = try Corpus.bytes(whole)
    for index in bytes.count / 2..<bytes.count / 2 + 40 { bytes[index] ^= 0x5A }
    let file = try Corpus.write("damaged-\(encoding).\(encoding.suffix)", bytes)
    let samples = try decode(AudioFile.open(file))
    #expect(samples.reduce(0) { max($0, abs($1)) } <= 1.5)
    switch encoding {
    case .vorbis, .opus, .tta:
      // A page of Ogg or a frame of TTA, which may hold a second, is lost.
      #expect(straight.count - samples.count <= 2 * 2 * encoding.album.signal.rate)
    case .mp3Nogap, .mp3NogapTags, .mp3Untagged, .mp3Constant, .mp3Loud, .mp3Variable, .mp3Average,
      .mp3Lavc:
      #expect(abs(straight.count - samples.count) <= 2 * 2 * 1152)
    case .aacEditList, .aacExactEditList, .aacSMPB:
      #expect(samples.count == straight.count)
    default:
      #expect(samples.count == straight.count)
      #expect(samples[..<20_000] == straight[..<20_000])
      #expect(samples.suffix(20_000) == straight.suffix(20_000))
    }
  }

  @Test func `tags before and after the sound are passed over`() throws {
    let ape: [UInt8] =
      Array("APETAGEX".utf8) + little(2000, 4) + little(32 + 4 * 16, 4) + little(0, 4)
      + little(Int(0xA000_0000), 4) + little(0, 8)
    let filler = (0..<16).flatMap { _ in [0xFF, 0xFB, 0x90, 0x44] as [UInt8] }
    let foot =
      Array("APETAGEX".utf8) + little(2000, 4) + little(32 + 4 * 16, 4) + little(0, 4)
      + little(Int(0x8000_0000), 4) + little(0, 8)
    let tail = ape + filler + foot + Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)
    let id3 = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 0, count: 128)
    for encoding in [Encoding.mp3Untagged, .mp3Variable, .flac, .wav, .aacPlain, .vorbis] {
      let plain = try Corpus.files(encoding, of: .cd)[3]
      let bytes = try Corpus.bytes(plain)
      let heads = encoding == .flac || encoding == .wav ? id3 + id3 : id3
      let isMP3 = encoding == .mp3Untagged || encoding == .mp3Variable
      let file = try Corpus.write(
        "tagged.\(encoding.suffix)", heads + bytes + (isMP3 ? tail : []))
      #expect(try decode(AudioFile.open(file)) == decode(AudioFile.open(plain)), "\(encoding)")
    }
  }

  @Test func `a lying ID3 tag in front of MP3 does no harm`() throws {
    let plain = try Corpus.files(.mp3Constant, of: .cd)[3]
    let tag = Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F]
    let file = try Corpus.write("lying.mp3", tag + Corpus.bytes(plain))
    #expect(try decode(AudioFile.open(file)) == decode(AudioFile.open(plain)))
  }

  @Test func `junk between MP3 frames is passed over without noise`() throws {
    let plain = try Corpus.bytes(Corpus.files(.mp3Untagged, of: .cd)[0])
    let half = plain.count / 2
    let file = try Corpus.write(
      "junk.mp3", Array(plain[..<half]) + Self.noise[..<100_000] + Array(plain[half...]))
    let samples = try decode(AudioFile.open(file))
    let total = Corpus.Album.cd.lengths[0]
    #expect(abs(samples.count / 2 - total) < 20 * 1152)
    #expect(samples.reduce(0) { max($0, abs($1)) } < 1.2)
    // The second half is heard to its end.
    let whole = try decode(AudioFile.open(Corpus.files(.mp3Untagged, of: .cd)[0]))
    #expect(Array(samples.suffix(40_000)) == Array(whole.suffix(40_000)))
  }

  @Test(arguments: [100, 20_000])
  func `junk in an MP3 leaves what its tag says of the ends in force`(size: Int) throws {
    let plain = try Corpus.files(.mp3Variable, of: .cd)[0]
    let bytes = try Corpus.bytes(plain)
    let half = bytes.count / 2
    let file = try Corpus.write(
      "junk-\(size).mp3", Array(bytes[..<half]) + Self.noise[..<size] + Array(bytes[half...]))
    let (samples, whole) = try (decode(AudioFile.open(file)), decode(AudioFile.open(plain)))
    #expect(samples.count == whole.count)
    #expect(Array(samples.prefix(10_000)) == Array(whole.prefix(10_000)))
    #expect(Array(samples.suffix(10_000)) == Array(whole.suffix(10_000)))
  }

  @Test func `of two MP3s joined into one file both are heard`() throws {
    let files = try Array(Corpus.files(.mp3Variable, of: .cd)[...1])
    let file = try Corpus.write("joined.mp3", files.flatMap { try Corpus.bytes($0) })
    let total = Corpus.Album.cd.lengths[...1].reduce(0, +)
    let heard = try decode(AudioFile.open(file)).count / 2
    // The encoder's delay and padding are heard too, and the second file's tag as a frame.
    #expect((total..<total + 6 * 1152).contains(heard))
  }

  @Test func `a change of rate inside an MP3 is told before its first frame`() throws {
    let one = Signal.music(rate: 44100, frames: 30_000)
    let two = Signal.music(rate: 48000, frames: 30_000, channels: 1)
    let options = ["-c:a", "libmp3lame", "-write_xing", "0", "-id3v2_version", "0"]
    let parts = try [("rate-1.mp3", one), ("rate-2.mp3", two)].flatMap { name, signal in
      let source = try Corpus.write(name + ".wav", signal.wav())
      let target = Corpus.folder + "/" + name
      try Corpus.tool(
        "ffmpeg", ["-v", "error", "-y", "-nostdin", "-i", source] + options + [target])
      return try Corpus.bytes(target)
    }
    let decoder = try AudioFile.open(Corpus.write("rates.mp3", parts))
    try expectChange(decoder, from: (44100, 2), to: (48000, 1), each: 30_000)
  }

  @Test func `a chained Ogg changes its format in mid file`() throws {
    let parts = try [(44100, 2), (48000, 1)].flatMap { rate, channels in
      let signal = Signal.music(rate: rate, frames: 30_000, channels: channels)
      let source = try Corpus.write("chain-\(rate).wav", signal.wav())
      let target = Corpus.folder + "/chain-\(rate).ogg"
      try Corpus.tool("oggenc", ["--quiet", "-s", "\(rate)", "-o", target, source])
      return try Corpus.bytes(target)
    }
    let decoder = try AudioFile.open(Corpus.write("chained.ogg", parts))
    #expect(decoder.length == 60_000)
    try expectChange(decoder, from: (44100, 2), to: (48000, 1), each: 30_000)
    try decoder.seek(to: 29_990)
    #expect(decoder.format.rate == 44100)
    #expect(try read(decoder, 100).count == 20)
    try decoder.seek(to: 30_000)
    #expect(decoder.format.rate == 48000)
  }

  @Test func `chained Opus changes its channels in mid file`() throws {
    let parts = try [2, 1].flatMap { channels in
      let signal = Signal.music(rate: 48_000, frames: 30_000, channels: channels)
      let source = try Corpus.write("chain-\(channels).wav", signal.wav())
      let target = Corpus.folder + "/chain-\(channels).opus"
      try Corpus.tool("opusenc", ["--quiet", "--serial", "\(channels)", source, target])
      return try Corpus.bytes(target)
    }
    let decoder = try AudioFile.open(Corpus.write("chained.opus", parts))
    #expect(decoder.length == 60_000)
    try expectChange(decoder, from: (48_000, 2), to: (48_000, 1), each: 30_000)
    try decoder.seek(to: 29_990)
    #expect(try read(decoder, 100).count == 20)
    try decoder.seek(to: 30_000)
    #expect(decoder.format.channels == 1)
  }

  private func expectChange(
    _ decoder: any Decoder, from first: (rate: Int, channels: Int),
    to second: (rate: Int, channels: Int), each frames: Int
  ) throws {
    var counts = [0, 0]
    while true {
      let format = decoder.format
      let count = try read(decoder, 1000).count / format.channels
      if count == 0 { break }
      let isFirst = (format.rate, format.channels) == first
      #expect(isFirst || (format.rate, format.channels) == second)
      counts[isFirst ? 0 : 1] += count
    }
    // An untagged MP3 has up to two MPEG frames more than the original.
    #expect((frames - 1..<frames + 3 * 1152).contains(counts[0]))
    #expect((frames - 1..<frames + 3 * 1152).contains(counts[1]))
  }

  @Test(arguments: Encoding.gapless.filter { ![.opus, .wav, .mp3Lavc].contains($0) })
  func `a file of one frame plays one frame`(_ encoding: Encoding) throws {
    // ffmpeg's MP3 of one frame has 47, as every player says.
    let signal = Signal.music(rate: 44100, frames: 1)
    let source = try Corpus.write("one-\(encoding).wav", signal.wav())
    let target = Corpus.folder + "/one-\(encoding).\(encoding.suffix)"
    try encoding.encode([source], to: [target], in: Corpus.folder)
    let decoder = try AudioFile.open(target)
    let samples = try decode(decoder)
    #expect(samples.count == 2)
    if encoding.isLossless { #expect(samples == signal.floats) }
  }

  @Test(arguments: [(Encoding.wav, "pcm_s16le"), (.aiff, "pcm_s16be"), (.flac, "flac")])
  func `a file of no frames is at its end at once`(
    _ encoding: Encoding, _ codec: String
  ) throws {
    let signal = Signal(rate: 44100, channels: 2, bits: 16, samples: [])
    let source = try Corpus.write("none.wav", signal.wav())
    let target = Corpus.folder + "/none-\(encoding).\(encoding.suffix)"
    try Corpus.tool(
      "ffmpeg", ["-v", "fatal", "-y", "-nostdin", "-i", source, "-c:a", codec, target])
    let decoder = try AudioFile.open(target)
    #expect(try decode(decoder).isEmpty)
    try decoder.seek(to: 10)
    #expect(try decode(decoder).isEmpty)
  }

  @Test func `numbers that are none, and giants, are made harmless`() throws {
    let values: [Float] = [.nan, .infinity, -.infinity, 1e30, 0.5, -0.25, .signalingNaN, 2]
    let bytes = values.flatMap { little(Int($0.bitPattern), 4) }
    let format =
      little(3, 2) + little(1, 2) + little(44100, 4) + little(176_400, 4) + little(4, 2)
      + little(32, 2)
    let riff = little(36 + bytes.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + format
    let file = try Corpus.write(
      "wild.wav", Array("RIFF".utf8) + riff + Array("data".utf8) + little(bytes.count, 4) + bytes)
    #expect(try decode(AudioFile.open(file)) == [0, 8, -8, 8, 0.5, -0.25, 0, 2])
  }

  private func cpuTime() -> Double {
    seconds(of: CLOCK_THREAD_CPUTIME_ID)
  }
}
