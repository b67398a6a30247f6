import Glibc
import Jukebox
import Testing

@testable import Library

/// What paths lead to, on real folders.
struct WalkTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// The entries' paths below the folder, and the reasons of what was passed over.
  private func walk(_ names: String...) -> [String] {
    Walk(names.map { Path($0.isEmpty ? folder.path : folder($0)) }).map { element in
      switch element {
      case .entry(let entry): below(entry.path)
      case .skipped(let skipped):
        "(\(skipped.name.replacing(folder.path + "/", with: "")): \(skipped.reason))"
      }
    }
  }

  private func below(_ path: Path) -> String {
    path.description.replacing(folder.path + "/", with: "")
  }

  /// A FLAC file of no samples with Vorbis comments (FLAC format, METADATA_BLOCK; Vorbis I, 5).
  private func flac(_ comments: String...) -> [UInt8] {
    func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
    let block =
      little(0) + little(comments.count)
      + comments.flatMap { little($0.utf8.count) + Array($0.utf8) }
    let info: [UInt8] = [16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x42, 0xF0, 0, 0, 0, 0]
    return Array("fLaC".utf8) + [0, 0, 0, 34] + info + [UInt8](repeating: 0, count: 16)
      + [0x84, 0, UInt8(block.count >> 8), UInt8(block.count & 0xFF)] + block
  }

  @Test func `a folder's files come in natural order, then its subfolders`() throws {
    for name in [
      "10 j.mp3", "2 b.mp3", "1 a.mp3", "CD 10/x.mp3", "CD 2/y.mp3", "CD 2/deep/z.mp3", "Intro.mp3",
    ] {
      try folder.write(name)
    }
    #expect(
      walk("") == [
        "1 a.mp3", "2 b.mp3", "10 j.mp3", "Intro.mp3", "CD 2/y.mp3", "CD 2/deep/z.mp3",
        "CD 10/x.mp3",
      ])
  }

  @Test func `tags go before names: disc, then track`() throws {
    try folder.write("a.flac", flac("TRACKNUMBER=2", "DISCNUMBER=2", "ALBUM=X"))
    try folder.write("b.flac", flac("TRACKNUMBER=1", "DISCNUMBER=2", "ALBUM=X"))
    try folder.write("c.flac", flac("TRACKNUMBER=10", "DISCNUMBER=1", "ALBUM=X"))
    try folder.write("d.flac", flac("TRACKNUMBER=9", "ALBUM=X"))
    try folder.write("08 untagged.flac")
    #expect(walk("") == ["08 untagged.flac", "d.flac", "c.flac", "b.flac", "a.flac"])
  }

  @Test func `albums that share a folder stay together, singles stand by name`() throws {
    try folder.write("A1.flac", flac("TRACKNUMBER=2", "ALBUM=X"))
    try folder.write("A2.flac", flac("TRACKNUMBER=2", "ALBUM=Y"))
    try folder.write("A3.flac", flac("TRACKNUMBER=1", "ALBUM=x"))
    try folder.write("A4.flac", flac("TRACKNUMBER=1", "ALBUM=Y"))
    try folder.write("A0.flac", flac("TRACKNUMBER=9", "ALBUM=Single"))
    try folder.write("A5.flac", flac("TITLE=Loose", "TRACKNUMBER=1"))
    #expect(walk("") == ["A0.flac", "A3.flac", "A1.flac", "A4.flac", "A2.flac", "A5.flac"])
  }

  @Test func `titles come from tags, else from names`() throws {
    try folder.write("03 - Named.flac", flac())
    try folder.write("04 x.flac", flac("TITLE=Tagged", "TRACKNUMBER=7"))
    let entries = Walk([Path(folder.path)]).compactMap { element in
      if case .entry(let entry) = element { entry } else { nil }
    }
    #expect(entries.map(\.title) == ["Named", "Tagged"])
    #expect(entries.map(\.tags.track) == [3, 7])
  }

  @Test func `what is no music is passed over in a folder, in silence`() throws {
    for name in [
      "cover.jpg", "notes.txt", "list.m3u", ".hidden.mp3", "._song.mp3", ".Trashes/a.mp3",
      "$RECYCLE.BIN/b.mp3", "System Volume Information/c.mp3", "__MACOSX/d.mp3", "noextension",
      "data.bin", "a.mp3",
    ] {
      try folder.write(name, text: "a.mp3\n")
    }
    try folder.write("really.dat", flac())
    mkfifo(folder("pipe.mp3"), 0o600)
    symlink("nowhere", folder("broken.mp3"))
    #expect(walk("") == ["a.mp3", "really.dat"])
  }

  @Test func `what the user names is tried, whatever it is called`() throws {
    try folder.write("cover.jpg")
    try folder.write(".hidden/.song.mp3")
    #expect(
      walk("cover.jpg", ".hidden/.song.mp3", "missing.mp3") == [
        "cover.jpg", ".hidden/.song.mp3", "(missing.mp3: No such file or directory)",
      ])
    #expect(walk("a/../.hidden") == ["(a/../.hidden: No such file or directory)"])
  }

  @Test func `links that go round are followed once`() throws {
    try folder.write("a/1.mp3")
    symlink("..", folder("a/up"))
    symlink("a", folder("b"))
    symlink("loop", folder("loop"))
    #expect(walk("") == ["a/1.mp3"])
    #expect(walk("a") == ["a/1.mp3"])
    #expect(walk("a", "a") == ["a/1.mp3", "a/1.mp3"])
  }

  @Test func `the first track is known before a big tree has been walked`() throws {
    for number in 1...200 { try folder.write("\(number)/x.mp3") }
    var walk = Walk([Path(folder.path)])
    var steps = 0
    var first: Walk.Step = .nothingYet
    while first == .nothingYet {
      first = walk.step()
      steps += 1
    }
    guard case .found(.entry(let entry)) = first else {
      Issue.record("\(first)")
      return
    }
    #expect(below(entry.path) == "1/x.mp3")
    #expect(steps < 10)
  }

  @Test func `a playlist's items are played, and what is wrong with them is told`() throws {
    try folder.write("m/a.mp3")
    try folder.write("m/b.flac", flac("TITLE=Own"))
    try folder.write("m/dir/c.mp3")
    try folder.write("l/inner.m3u", text: "../m/a.mp3\nouter.m3u\n")
    let outer = """
      #EXTM3U
      #EXTINF:1,Someone - Listed
      ../m/a.mp3
      #EXTINF:1,Not this
      ..\\M\\B.flac
      gone.mp3
      http://radio.example/x.mp3
      ../m/dir
      inner.m3u
      """
    try folder.write("l/outer.m3u", text: outer)
    let found = Array(Walk([Path(folder("l/outer.m3u"))]))
    let titles = found.compactMap { if case .entry(let entry) = $0 { entry.title } else { nil } }
    #expect(titles == ["Someone - Listed", "Own", "c", "a"])
    let skipped = found.compactMap { if case .skipped(let skipped) = $0 { skipped } else { nil } }
    let list = Path(folder("l/outer.m3u"))
    #expect(
      skipped == [
        Skipped(name: "gone.mp3", reason: "not found", playlist: list),
        Skipped(
          name: "http://radio.example/x.mp3", reason: "network streams are not supported",
          playlist: list),
        Skipped(name: folder("l/outer.m3u"), reason: "a playlist that leads back to itself"),
      ])
    #expect(skipped[0].description == "\(list): gone.mp3: not found")
  }

  @Test(arguments: [".", "..", "/", "C:\\", "../..", "file:///"])
  func `a playlist can't name the folders it is in`(_ target: String) throws {
    try folder.write("lists/a.mp3")
    try folder.write("lists/deep/l.m3u", text: "#EXTM3U\n\(target)\n")
    #expect(walk("lists/deep/l.m3u") == ["(\(target): holds the playlist itself)"])
  }

  @Test func `playlists are known by content, and music named like one is music`() throws {
    try folder.write("a.mp3")
    try folder.write("list", text: "[playlist]\nFile1=a.mp3\n")
    try folder.write("song.m3u", flac())
    #expect(walk("list") == ["a.mp3"])
    #expect(walk("song.m3u") == ["song.m3u"])
  }

  @Test func `junk that calls itself a playlist is refused at once`() throws {
    let huge = try folder.write("huge.m3u", text: "#EXTM3U\n")
    truncate(folder("huge.m3u"), 100 << 20)
    try folder.write("binary.pls", [UInt8](repeating: 0, count: 1000))
    let clock = ContinuousClock()
    let start = clock.now
    #expect(walk("huge.m3u") == ["(huge.m3u: too long for a playlist (100 MiB))"])
    #expect(clock.now - start < .milliseconds(200))
    #expect(walk("binary.pls") == ["(binary.pls: not a playlist, but binary data)"])
    #expect(huge.name == Path("huge.m3u"))
  }

  private let sheet = """
    PERFORMER "Band"
    TITLE "Album"
    FILE "Album.wav" WAVE
      TRACK 01 AUDIO
        TITLE "One"
        INDEX 01 00:00:00
      TRACK 02 AUDIO
        INDEX 01 01:00:00
    """

  @Test func `a cue sheet beside its file replaces it, even after conversion`() throws {
    try folder.write("Album.cue", text: sheet)
    try folder.write("Album.flac", flac("TITLE=Whole", "REPLAYGAIN_TRACK_GAIN=-3 dB"))
    try folder.write("Bonus.mp3")
    let entries = Walk([Path(folder.path)]).compactMap { element in
      if case .entry(let entry) = element { entry } else { nil }
    }
    #expect(entries.map { below($0.path) } == ["Album.flac", "Album.flac", "Bonus.mp3"])
    #expect(entries.map(\.title) == ["One", "Track 2", "Bonus"])
    #expect(entries.map(\.start) == [.zero, .seconds(60), .zero])
    #expect(entries.map(\.end) == [.seconds(60), nil, nil])
    #expect(entries[1].tags.artist == "Band")
    #expect(entries[1].tags.replayGain == ReplayGain(album: .init(gain: -3)))
    #expect(walk("Album.cue") == ["Album.flac", "Album.flac"])
  }

  @Test func `a cue sheet without its file leaves a folder's other files alone`() throws {
    try folder.write("Album.cue", text: sheet)
    try folder.write("1.mp3")
    #expect(walk("") == ["1.mp3"])
    #expect(walk("Album.cue") == ["(Album.wav: not found)", "(Album.wav: not found)"])
  }

  @Test func `two sheets of one file play it once`() throws {
    try folder.write("Album.cue", text: sheet)
    try folder.write("Album (copy).cue", text: sheet)
    try folder.write("ALBUM.WAV")
    #expect(walk("") == ["ALBUM.WAV", "ALBUM.WAV"])
  }

  @Test func `names that are no UTF-8 keep their bytes`() throws {
    let name: [UInt8] = Array("caf".utf8) + [0xE9] + Array(".mp3".utf8)
    let file = try folder.write(name)
    #expect(
      Array(Walk([Path(folder.path)])) == [
        .entry(Entry(path: file, tags: Tags(title: "caf\u{FFFD}")))
      ])
  }

  @Test func `a folder that may not be read is told of`() throws {
    try folder.write("locked/a.mp3")
    try folder.write("b.mp3")
    chmod(folder("locked"), 0)
    defer { chmod(folder("locked"), 0o755) }
    let wanted = geteuid() == 0 ? "locked/a.mp3" : "(locked: Permission denied)"
    #expect(walk("") == ["b.mp3", wanted])
  }
}
