import Library
import Testing

/// Files tagged by the formats' own encoders, and by hand from the specifications.
struct TagsTests {
  let folder: TemporaryFolder
  let wav: String

  init() throws {
    folder = try TemporaryFolder()
    wav = folder("in.wav")
    try folder.write("in.wav", silentWAV(frames: 44100))
  }

  private let expected = Tags(
    title: "Café del Mar", artist: "Énergie", album: "Zwölf", albumArtist: "Various", disc: 2,
    track: 7)

  @Test func `lame writes ID3v2`() throws {
    let file = folder("a.mp3")
    try run(
      "lame", "--quiet", "--id3v2-only", "--tt", "Café del Mar", "--ta", "Énergie", "--tl",
      "Zwölf", "--tn", "7/12", "--tv", "TPE2=Various", "--tv", "TPOS=2/2", "--tv",
      "TXXX=REPLAYGAIN_TRACK_GAIN=-6.48 dB", "--tv", "TXXX=replaygain_track_peak=0.988553", wav,
      file)
    let tags = Tags(of: Path(file))
    var wanted = expected
    wanted.replayGain.track = .init(gain: -6.48, peak: 0.988553)
    wanted.trackTotal = 12
    wanted.discTotal = 2
    #expect(tags == wanted)
  }

  @Test func `flac writes Vorbis comments`() throws {
    let file = folder("a.flac")
    try run(
      "flac", "-s", "-T", "title=Café del Mar", "-T", "ARTIST=Énergie", "-T", "ALBUM=Zwölf", "-T",
      "ALBUM ARTIST=Various", "-T", "DISCNUMBER=2", "-T", "TRACKNUMBER=07", "-T",
      "REPLAYGAIN_ALBUM_GAIN=+1.20 dB", "-T", "REPLAYGAIN_ALBUM_PEAK=0.5", wav, "-o", file)
    var wanted = expected
    wanted.replayGain.album = .init(gain: 1.2, peak: 0.5)
    #expect(Tags(of: Path(file)) == wanted)
  }

  @Test func `oggenc writes Vorbis comments`() throws {
    let file = folder("a.ogg")
    try run(
      "oggenc", "-Q", "-t", "Café del Mar", "-a", "Énergie", "-l", "Zwölf", "-N", "7", "-c",
      "ALBUMARTIST=Various", "-c", "DISCNUMBER=2", "-c", "REPLAYGAIN_TRACK_GAIN=3 dB", wav, "-o",
      file)
    var wanted = expected
    wanted.replayGain.track = .init(gain: 3)
    #expect(Tags(of: Path(file)) == wanted)
  }

  @Test func `opusenc writes R128 gain, 5 dB below ReplayGain`() throws {
    let file = folder("a.opus")
    try run(
      "opusenc", "--quiet", "--title", "Café del Mar", "--artist", "Énergie", "--album", "Zwölf",
      "--comment", "ALBUMARTIST=Various", "--comment", "DISCNUMBER=2", "--comment",
      "TRACKNUMBER=7", "--comment", "R128_TRACK_GAIN=-1664", "--comment", "R128_ALBUM_GAIN=256",
      wav, file)
    var wanted = expected
    wanted.replayGain = ReplayGain(track: .init(gain: -1.5), album: .init(gain: 6))
    #expect(Tags(of: Path(file)) == wanted)
  }

  @Test(arguments: ["m4a", "wma", "wv", "aiff", "wav", "mp3"])
  func `FFmpeg's files are read in each format`(_ type: String) throws {
    let file = folder("out." + type)
    try run(
      "ffmpeg", "-v", "error", "-i", wav, "-metadata", "title=Café del Mar", "-metadata",
      "artist=Énergie", "-metadata", "album=Zwölf", "-metadata", "track=7", "-write_id3v2", "1",
      file)
    let tags = Tags(of: Path(file))
    #expect(tags.title == "Café del Mar")
    #expect(tags.artist == "Énergie")
    #expect(tags.album == "Zwölf")
    #expect(tags.track == 7)
  }

  @Test func `a title that a WMA file has twice is one title`() throws {
    let file = folder("short.wma")
    try run(
      "ffmpeg", "-v", "error", "-i", wav, "-metadata", "title=T1", "-metadata", "artist=A1", file)
    let tags = Tags(of: Path(file))
    #expect(tags.title == "T1" && tags.artist == "A1")
  }

  @Test func `iTunes' own ReplayGain atoms are read`() throws {
    let plain = folder("plain.m4a")
    try run("ffmpeg", "-v", "error", "-i", wav, "-metadata", "title=T", plain)
    let bytes = try addingFreeform(
      to: plain, ["replaygain_track_gain": "-7.89 dB", "replaygain_track_peak": "0.75"])
    let tagged = try folder.write("freeform.m4a", bytes)
    #expect(Tags(of: tagged).replayGain.track == .init(gain: -7.89, peak: 0.75))
    #expect(Tags(of: tagged).title == "T")
  }

  @Test func `ID3v2, APEv2 and ID3v1 in one file complete each other, the better first`() throws {
    let frame = mpegFrames(8)
    let id3v2 = id3v2Tag([("TIT2", "From two")])
    let ape = apeTag([
      ("Title", "From APE"), ("Artist", "Ape"), ("REPLAYGAIN_TRACK_GAIN", "-2.00 dB"),
    ])
    var id3v1 =
      Array("TAG".utf8) + padded("From one", 30) + padded("One", 30) + padded("Album1", 30)
    id3v1 += padded("1999", 4) + padded("", 28) + [0, 9, 255]
    let file = try folder.write("three.mp3", id3v2 + frame + ape + id3v1)
    var wanted = Tags(
      title: "From two", artist: "Ape", album: "Album1", track: 9,
      replayGain: ReplayGain(track: .init(gain: -2)))
    wanted.date = "1999"
    #expect(Tags(of: file) == wanted)
  }

  @Test func `a tag that ends with what the next one starts with does not add to it`() throws {
    // The title is the last of an ID3v2 tag's properties, and ID3v1 has it too.
    try run("lame", "--quiet", "--add-id3v2", "--tt", "Only once", wav, folder("once.mp3"))
    #expect(Tags(of: Path(folder("once.mp3"))).title == "Only once")
  }

  @Test func `a plain ID3v2 tag says the same as one that TagLib has to read`() throws {
    func wide(_ text: String) -> [UInt8] {
      [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }
    func frame(_ id: String, _ body: [UInt8]) -> [UInt8] {
      Array(id.utf8) + [0, 0, UInt8(body.count >> 8), UInt8(body.count & 0xFF), 0, 0] + body
    }
    let latin = { (text: String) in [0] + Array(text.utf8) }
    let frames = [
      frame("TXXX", [1] + wide("Album Artist") + [0, 0] + wide("Not this one")),
      frame("TXXX", latin("REPLAYGAIN_TRACK_GAIN\0-3.5 dB")),
      frame("TIT2", [1] + wide("Grüße \u{1F3B7}") + [0, 0]),
      frame("TPE1", [1] + wide("Ёлка") + [0, 0] + wide("二胡")),
      frame("TPE2", [2] + Array(wide("Band").dropFirst(2)).swappedPairs),
      frame("TALB", [0, 0xC0, 0xEB, 0xFC, 0xE1, 0xEE, 0xEC]),
      frame("TYER", latin("1999")), frame("TDAT", latin("1705")), frame("TIME", latin("2130")),
      frame("TCON", latin("(17)(8)Fusion")), frame("TRCK", latin("3/12\0")),
      frame("COMM", latin("engiTunNORM\0 0000")), frame("COMM", latin("eng\0A word")),
      frame("USLT", latin("eng\0La la")),
    ]
    // Gain in an RVA2 frame of a channel that does not count: TagLib then reads the whole tag.
    let volume = frame("RVA2", Array("x\0".utf8) + [8, 0, 0, 0])
    func tags(_ body: [UInt8]) throws -> Tags {
      let size = [UInt8(body.count >> 14), UInt8(body.count >> 7 & 0x7F), UInt8(body.count & 0x7F)]
      let tag = Array("ID3".utf8) + [3, 0, 0, 0] + size + body
      return Tags(of: try folder.write("tag.mp3", tag + [UInt8](repeating: 0, count: 8000)))
    }
    let plain = try tags(frames.flatMap(\.self) + [UInt8](repeating: 0, count: 100))
    #expect(plain == (try tags(frames.flatMap(\.self) + volume)))
    #expect(plain.title == "Grüße \u{1F3B7}")
    #expect(plain.artist == "Ёлка, 二胡")
    #expect(plain.albumArtist == "Band")
    #expect(plain.album == "Альбом")
    #expect(plain.date == "1999-05-17T21:30")
    #expect(plain.genres == ["Rock", "Jazz", "Fusion"])
    #expect(plain.track == 3 && plain.trackTotal == 12)
    #expect(plain.comment == "A word" && plain.hasLyrics)
    #expect(plain.replayGain.track?.gain == -3.5)
  }

  @Test func `text without end is cut off, and packed text is not unpacked without end`() throws {
    let script = """
      import struct, sys, zlib
      def syncsafe(n): return bytes([n >> 21 & 127, n >> 14 & 127, n >> 7 & 127, n & 127])
      def frame(name, flags, body): return name + syncsafe(len(body)) + flags + body
      packed = zlib.compress(b"\\x03" + b"A" * 100_000_000, 9)
      frames = frame(b"TPE1", bytes(2), b"\\x03" + b"B" * 100_000)
      frames += frame(b"TIT2", bytes([0, 9]), syncsafe(100_000_001) + packed)
      frames += frame(b"TALB", bytes(2), b"\\x03Album")
      sound = open(sys.argv[1], "rb").read()
      open(sys.argv[2], "wb").write(b"ID3\\x04\\0\\0" + syncsafe(len(frames)) + frames + sound)
      """
    try run("lame", "--quiet", wav, folder("plain.mp3"))
    try run("python3", "-c", script, folder("plain.mp3"), folder("packed.mp3"))
    let tags = Tags(of: Path(folder("packed.mp3")))
    #expect(tags.title == nil)
    #expect(tags.artist == String(repeating: "B", count: 4096))
    #expect(tags.album == "Album")
  }

  @Test func `content counts, not the name`() throws {
    try run("flac", "-s", "-T", "TITLE=Inside", wav, "-o", folder("a.flac"))
    try run("mv", folder("a.flac"), folder("liar.mp3"))
    #expect(Tags(of: Path(folder("liar.mp3"))).title == "Inside")
    let flac = try bytes(of: folder("liar.mp3"))
    let both = try folder.write("both.ogg", id3v2Tag([("TPE1", "Front")], padding: 9000) + flac)
    #expect(Tags(of: both).title == "Inside")
    #expect(Tags(of: both).artist == "Front")
  }

  @Test func `what is no audio has no tags`() throws {
    #expect(Tags(of: Path(folder("missing.mp3"))) == Tags())
    #expect(Tags(of: Path(folder.path)) == Tags())
    #expect(Tags(of: try folder.write("empty.mp3")) == Tags())
    #expect(Tags(of: try folder.write("text.mp3", text: "TITLE=Not a song\n")) == Tags())
    let claim = Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F]
    #expect(Tags(of: try folder.write("claim.mp3", claim)) == Tags())
  }

  @Test(arguments: ["mp3", "flac", "ogg", "opus", "m4a", "wv", "aiff", "wav", "wma"])
  func `damaged files never crash or hang`(_ type: String) throws {
    let file = folder("whole." + type)
    try run(
      "ffmpeg", "-v", "error", "-i", wav, "-t", "0.3", "-metadata", "title=T", "-metadata",
      "artist=A", "-strict", "-2", file)
    let whole = try bytes(of: file)
    var random = SplitMix(state: 42)
    let clock = ContinuousClock()
    let start = clock.now
    for round in 0..<150 {
      var bytes = Array(
        whole.prefix(round % 3 == 0 ? Int.random(in: 0...whole.count, using: &random) : whole.count)
      )
      for _ in 0..<Int.random(in: 1...20, using: &random) where !bytes.isEmpty {
        let place = Int.random(
          in: 0..<min(bytes.count, round % 2 == 0 ? 600 : .max), using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      _ = Tags(of: try folder.write("broken." + type, bytes))
    }
    #expect(clock.now - start < .seconds(60))
  }

  // MARK: - Bytes by the specifications

  private func padded(_ text: String, _ count: Int) -> [UInt8] {
    Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
  }

  /// MPEG-1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes a frame (ISO 11172-3).
  private func mpegFrames(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { _ in [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413) }
  }

  /// ID3v2.4 with UTF-8 text frames (ID3v2.4 structure, 3.1 and 4).
  private func id3v2Tag(_ frames: [(String, String)], padding: Int = 0) -> [UInt8] {
    func syncsafe(_ size: Int) -> [UInt8] {
      [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
    }
    let body =
      frames.flatMap { name, text in
        Array(name.utf8) + syncsafe(text.utf8.count + 1) + [0, 0, 3] + Array(text.utf8)
      } + [UInt8](repeating: 0, count: padding)
    return Array("ID3".utf8) + [4, 0, 0] + syncsafe(body.count) + body
  }

  /// APEv2 with header and footer (the APEv2 specification, items of type UTF-8).
  private func apeTag(_ items: [(String, String)]) -> [UInt8] {
    func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
    let body = items.flatMap { key, value in
      little(UInt32(value.utf8.count)) + little(0) + Array(key.utf8) + [0] + Array(value.utf8)
    }
    func edge(_ flags: UInt32) -> [UInt8] {
      Array("APETAGEX".utf8) + little(2000) + little(UInt32(body.count + 32))
        + little(UInt32(items.count)) + little(flags) + [UInt8](repeating: 0, count: 8)
    }
    return edge(0xA000_0000) + body + edge(0x8000_0000)
  }

  /// Puts "----" atoms into the ilst of a file whose moov stands at the end (QuickTime atoms).
  private func addingFreeform(to path: String, _ values: [String: String]) throws -> [UInt8] {
    func atom(_ name: String, _ body: [UInt8]) -> [UInt8] {
      let size = body.count + 8
      return [24, 16, 8, 0].map { UInt8(size >> $0 & 0xFF) } + Array(name.utf8) + body
    }
    let added = values.sorted { $0.key < $1.key }.flatMap { key, value in
      atom(
        "----",
        atom("mean", [0, 0, 0, 0] + Array("com.apple.iTunes".utf8))
          + atom("name", [0, 0, 0, 0] + Array(key.utf8))
          + atom("data", [0, 0, 0, 1, 0, 0, 0, 0] + Array(value.utf8)))
    }
    var bytes = try bytes(of: path)
    for name in ["ilst", "meta", "udta", "moov"] {
      let pattern = Array(name.utf8)
      let place = try #require(
        bytes.indices.last { bytes[$0...].starts(with: pattern) && bytes[$0 - 4] == 0 })
      let old = bytes[(place - 4)..<place].reduce(0) { $0 << 8 | Int($1) }
      for (offset, shift) in [24, 16, 8, 0].enumerated() {
        bytes[place - 4 + offset] = UInt8((old + added.count) >> shift & 0xFF)
      }
      if name == "ilst" { bytes.insert(contentsOf: added, at: place - 4 + old) }
    }
    return bytes
  }
}

extension [UInt8] {
  /// Each two bytes the other way round.
  fileprivate var swappedPairs: [UInt8] {
    stride(from: 0, to: count - 1, by: 2).flatMap { [self[$0 + 1], self[$0]] }
  }
}
