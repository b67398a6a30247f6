import Glibc
import Jukebox
import Testing

@testable import Library

/// `jukebox scan` and `jukebox query` themselves.
@Suite(.serialized) struct ScanTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func makeMusic(_ count: Int) throws {
    for number in 0..<count {
      try folder.write(
        "music/Band \(number / 20)/Album/\(number % 20 + 11) Title \(number).wav",
        silentWAV(seconds: 0.01))
    }
  }

  private func ask(_ words: String...) throws -> String {
    let program = try Program(["query", "--library", folder("library.db")] + words)
    #expect(try program.end() == 0, "\(program.errors)")
    return program.output
  }

  @Test func `what is scanned can be asked for`() throws {
    try makeMusic(40)
    try folder.write("music/broken.mp3", Array("no music".utf8))
    let scan = try Program([
      "scan", "--library", folder("library.db"), "--report", folder("music"),
    ])
    #expect(try scan.end() == 0, "\(scan.errors)")
    #expect(scan.output.contains("41 files, 41 new and 1 failed"))
    #expect(scan.output.hasSuffix("\nbroken.mp3: no audio is in it\n"))
    #expect(try ask("--count") == "40 tracks, 0 seconds\n")
    #expect(try ask("--where", "artist=band 1", "--count") == "20 tracks, 0 seconds\n")
    let titles = try ask("--where", "title~title 2", "--sort", "-title", "--limit", "2")
    #expect(
      titles.split(separator: "\n").map { $0.prefix { $0 != "\t" } } == ["Title 29", "Title 28"])
    #expect(try ask("--group", "artist", "--json").hasPrefix(#"{"title":"Band 0","tracks":20,"#))
    #expect(try ask("titl 39").hasPrefix("Title 39\tBand 1\tAlbum\t"))
    #expect(try ask("--explain", "--where", "artist=x").contains("trackArtist"))
  }

  @Test func `a wrong query says what is allowed`() throws {
    for (words, sentence) in [
      (["--where", "artst=x"], "did you mean artist?"),
      (["--where", "artist>=x"], "artist=VALUE, artist~VALUE and artist^VALUE"),
      (["--where", "year=soon"], "whole numbers"),
      (["--group", "mood"], "allowed are title, album"),
      (["--limit", "-1"], "a whole number"), (["word", "--group", "album"], "WORDs alone"),
    ] {
      let query = try Program(["query", "--library", folder("library.db")] + words)
      #expect(try query.end() == 2)
      #expect(query.errors.contains(sentence), "\(query.errors)")
    }
  }

  @Test func `a library on a read-only medium is asked, and not changed`() throws {
    try makeMusic(5)
    let scan = ["scan", "--quiet", "--library", folder("card/library.db"), folder("music")]
    try run("mkdir", folder("card"))
    #expect(try Program(scan).end() == 0)
    let before = try bytes(of: folder("card/library.db"))
    // A mount of this shell's own, where it may; what may not be written is no different to look at.
    try folder.write(
      "ask.sh",
      Array(
        """
        cd "$1" && mount --bind -o ro card card && mount -o remount,bind,ro card 2>mount.txt &&
        "$2" query --library card/library.db --count >count.txt 2>errors.txt &&
        "$2" query --library card/library.db --where artist="band 0" --json >json.txt &&
        "$2" query --library card/library.db titl >search.txt
        "$2" scan --quiet --library card/library.db music 2>scan.txt; echo $? >status.txt

        """.utf8))
    do {
      try run("unshare", "--mount", "--map-root-user", "true")
    } catch {
      try Test.cancel("mounts of one's own are not allowed here")
    }
    try run(
      "unshare", "--mount", "--map-root-user", "sh", folder("ask.sh"), folder.path, Program.path)
    func said(_ file: String) throws -> String {
      String(decoding: try bytes(of: folder(file)), as: UTF8.self)
    }
    #expect(try said("errors.txt") == "")
    #expect(try said("count.txt") == "5 tracks, 0 seconds\n")
    #expect(try said("json.txt").split(separator: "\n").count == 5)
    #expect(try said("search.txt").split(separator: "\n").count == 5)
    #expect(try said("status.txt") == "1\n")
    #expect(try said("scan.txt").contains("can't be written"))
    #expect(try bytes(of: folder("card/library.db")) == before)
    #expect(try Path(folder("card")).listing().map(\.description) == ["library.db"])
  }

  @Test func `a damaged library is put aside, and scanning fills a new one`() throws {
    try makeMusic(30)
    let scan = ["scan", "--quiet", "--library", folder("library.db"), folder("music")]
    #expect(try Program(scan).end() == 0)
    let whole = try bytes(of: folder("library.db"))
    var random = Dice(state: 1)
    for damage in ["header", "cut", "noise"] {
      var damaged = whole
      switch damage {
      case "header":
        damaged.replaceSubrange(0..<16, with: Array("not SQLite at all".utf8.prefix(16)))
      case "cut": damaged.removeLast(damaged.count / 2)
      default:
        for place in 4096..<damaged.count {
          damaged[place] = UInt8.random(in: 0...255, using: &random)
        }
      }
      try run("rm", "-f", folder("library.db-wal"), folder("library.db-shm"))
      try folder.write("library.db", damaged)
      let again = try Program(scan)
      #expect(try again.end() == 0, "\(damage): \(again.errors)")
      #expect(again.errors.contains("it is kept as"), "\(damage)")
      #expect(try ask("--count") == "30 tracks, 0 seconds\n", "\(damage)")
    }
  }
}

/// A small generator with a fixed seed (Steele and others, 2014).
private struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
