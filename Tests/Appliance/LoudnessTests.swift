import Glibc
import Jukebox
import Library
import Testing

/// `jukebox scan --loudness` beside FFmpeg's meter.
@Suite(.serialized) struct LoudnessTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// What FFmpeg's ebur128 filter says of files that are played one after the other, in LUFS.
  private func reference(_ files: [String]) throws -> Double {
    let inputs = files.flatMap { ["-i", $0] }
    let joined = files.indices.map { "[\($0):a]aresample=48000,pan=stereo|c0=c0|c1=c1[a\($0)]" }
    let names = files.indices.map { "[a\($0)]" }.joined()
    let filter =
      joined.joined(separator: ";") + ";\(names)concat=n=\(files.count):v=0:a=1,"
      + "ebur128=metadata=1,ametadata=print:key=lavfi.r128.I:file=" + folder("loudness.txt")
    try run(
      ["ffmpeg", "-v", "error", "-nostdin"] + inputs
        + ["-filter_complex", filter, "-f", "null", "-"])
    let lines = String(decoding: try bytes(of: folder("loudness.txt")), as: UTF8.self)
      .split(separator: "\n").filter { $0.hasPrefix("lavfi.r128.I=") }
    let last = try #require(lines.last)
    return try #require(Double(last.dropFirst("lavfi.r128.I=".count)))
  }

  @Test func `tracks and albums are as loud as FFmpeg's meter says, in every format`() throws {
    try run("mkdir", folder("music"))
    let sounds = [
      ("1.flac", "anoisesrc=c=pink:d=12:r=44100:a=0.4:seed=1"),
      ("2.mp3", "anoisesrc=c=brown:d=15:r=44100:a=0.9:seed=2"),
      ("3.ogg", "sine=f=330:d=9:r=48000"), ("4.m4a", "anoisesrc=c=white:d=8:a=0.1:seed=3"),
      ("5.wav", "sine=f=80:d=12:r=22050"),
    ]
    for (name, source) in sounds {
      try run(
        "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", source, "-af",
        "tremolo=f=0.2:d=0.8,pan=stereo|c0=c0|c1=0.6*c0", "-metadata", "album=A", "-metadata",
        "artist=B", folder("music/" + name))
    }
    let scan = try Program([
      "scan", "--quiet", "--loudness", "--library", folder("library.db"), folder("music"),
    ])
    #expect(try scan.end() == 0, "\(scan.errors)")
    let catalogue = try Catalogue(Path(folder("library.db")))
    let items = try catalogue.items(Query())
    #expect(items.count == sounds.count)
    for item in items {
      let gain = try #require(item.tags.replayGain.track?.gain)
      let expected = -18 - (try reference([item.path.description]))
      #expect(abs(gain - expected) < 0.15, "\(item.path): \(gain), not \(expected)")
    }
    let album = try #require(items.first?.tags.replayGain.album?.gain)
    let expected = -18 - (try reference(sounds.map { folder("music/" + $0.0) }))
    #expect(abs(album - expected) < 0.15, "the album: \(album), not \(expected)")
    let again = try Program([
      "scan", "--loudness", "--library", folder("library.db"),
    ])
    #expect(try again.end() == 0)
    #expect(again.output == "loudness of 0 tracks measured\n")
  }

  @Test func `the appliance measures what says nothing of its gain, while nothing plays`() throws {
    let box = try Box(options: ["--on-plug", "nothing", "--rest-minutes", "0"])
    mkdir(box.away("STICK"), 0o755)
    let sources = ["anoisesrc=c=pink:d=6:a=0.4:seed=1", "anoisesrc=c=brown:d=6:a=0.8:seed=2"]
    let files = try sources.enumerated().map { number, source in
      let name = "\(number).flac"
      try run(
        "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", source, "-ac", "2",
        "-metadata", "album=A", "-metadata", "artist=B", box.away("STICK") + "/" + name)
      return name
    }
    try box.plug()
    try box.program.waitForError("loudness of 2 tracks measured")
    let catalogue = try Catalogue(Path(box.folder("state/library.db")))
    let items = try catalogue.items(Query(order: [.init(.file)]))
    #expect(items.map(\.path.name.description) == files)
    for item in items {
      let gain = try #require(item.tags.replayGain.track?.gain)
      let expected = -18 - (try reference([item.path.description]))
      #expect(abs(gain - expected) < 0.15, "\(item.path): \(gain), not \(expected)")
    }
  }
}
