import Glibc
@testable import Library
import Testing

/// `jukebox playlist`, `jukebox picture` and `jukebox media` themselves.
@Suite(.serialized) struct LibraryCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for number in 1...5 {
      try folder.write("music/Band/Album/0\(number) Song \(number).wav", silentWAV(seconds: 0.01))
    }
    try #require(try jukebox(["scan", "--quiet"], [folder("music")]).status == 0)
  }

  private func jukebox(
    _ command: [String], _ words: [String] = []
  ) throws -> (status: Int32, output: String, errors: String) {
    let program = try Program(command + ["--library", folder("library.db")] + words)
    let status = try program.end()
    return (status, program.output, program.errors)
  }

  private func titles(_ list: String) throws -> [String] {
    try jukebox(["playlist", "show", list]).output.split(separator: "\n").map {
      String($0.split(separator: "\t")[1])
    }
  }

  @Test func `a list is made, added to, shown, cut, saved, read by a scan and removed`() throws {
    let name = "Robert'); DROP TABLE \"playlist\";--"
    #expect(try jukebox(["playlist", "new", name], ["--where", "title=Song 2"]).status == 0)
    #expect(try jukebox(["playlist", "new", name]).status == 1)
    let lastTwo = ["--sort", "-title", "--limit", "2"]
    #expect(try jukebox(["playlist", "add", name], lastTwo).status == 0)
    #expect(try jukebox(["playlist", "add", name], ["song", "1"]).status == 0)
    #expect(try titles(name) == ["Song 2", "Song 5", "Song 4", "Song 1"])
    #expect(try jukebox(["playlist", "take", name], ["3", "1"]).status == 0)
    #expect(try titles(name) == ["Song 5", "Song 1"])
    #expect(try jukebox(["playlist", "take", name], ["3"]).errors.contains("it has 2 tracks"))
    #expect(try jukebox(["playlist", "list"]).output == "\(name)\t2 tracks\t\n")
    let count = try jukebox(["query"], ["--where", "playlist^robert", "--count"]).output
    #expect(count.hasPrefix("2 "))

    #expect(try jukebox(["playlist", "save", name], [folder("music/saved.m3u8")]).status == 0)
    let saved = String(decoding: try bytes(of: folder("music/saved.m3u8")), as: UTF8.self)
    #expect(
      saved == "#EXTM3U\n#EXTINF:0,Band - Song 5\nBand/Album/05 Song 5.wav\n"
        + "#EXTINF:0,Band - Song 1\nBand/Album/01 Song 1.wav\n")
    #expect(try jukebox(["playlist", "remove", name]).status == 0)
    #expect(try jukebox(["playlist", "show", name]).status == 1)
    #expect(try jukebox(["scan", "--quiet"], [folder("music")]).status == 0)
    #expect(try titles("saved") == ["Song 5", "Song 1"])
    #expect(try jukebox(["playlist", "remove", "saved"]).errors.contains("no list of your own"))
  }

  @Test func `a wrong word after playlist, media or picture says what is allowed`() throws {
    for (words, sentence) in [
      (["playlist", "nw", "x"], "did you mean new?"), (["playlist", "new"], "a NAME after it"),
      (["playlist", "add", "x"], "nothing to add"), (["playlist", "take", "x", "0"], "1 is the"),
      (["media", "forgte", "x"], "did you mean forget?"), (["picture"], "allowed is one"),
      (["picture", "a", "--size", "0"], "1 to 10000"),
    ] {
      let program = try Program(words)
      #expect(try program.end() == 2)
      #expect(program.errors.contains(sentence), "\(program.errors)")
    }
  }

  @Test func `the picture of a file or a track is given, scaled and kept`() throws {
    try run(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=400x300", "-frames:v", "1",
      folder("music/Band/Album/Cover.png"))
    #expect(try jukebox(["scan", "--quiet"], [folder("music")]).status == 0)
    let json = try jukebox(["query", "--json", "--limit", "1"]).output
    let id = try #require(json.split(separator: ":")[1].split(separator: ",").first)
    let cache = ["--cache", folder("cache")]
    #expect(
      try jukebox(["picture", "--to", folder("whole")], ["--track", String(id)]).status == 0)
    #expect(try bytes(of: folder("whole")) == bytes(of: folder("music/Band/Album/Cover.png")))
    for words in [["--track", String(id)], [folder("music/Band/Album/01 Song 1.wav")]] {
      let scaled = ["picture", "--size", "100", "--to", folder("scaled")] + cache
      #expect(try jukebox(scaled, words).status == 0)
      #expect(try bytes(of: folder("scaled")).starts(with: [0xFF, 0xD8, 0xFF]))
    }
    #expect(try Path(folder("cache")).listing().count == 1)
    let none = try jukebox(["picture", "--to", folder("none")], [folder("library.db")])
    #expect(none.status == 1 && none.errors.contains("there is no picture"))
  }

  @Test func `media are listed, away when their folder is gone, and forgotten`() throws {
    let here = try jukebox(["media"]).output
    #expect(here.hasPrefix("here\t5 tracks\tmusic\t\(folder("music"))\t"))
    let uuid = try #require(here.split(separator: "\t").last?.split(separator: "\n").first)
    try run("mv", folder("music"), folder("elsewhere"))
    let scan = try jukebox(["scan", "--quiet"], [folder("music")])
    #expect(scan.status == 0 && scan.output.contains("its tracks are away"))
    #expect(try jukebox(["media"]).output.hasPrefix("away\t5 tracks"))
    #expect(try jukebox(["query", "--count"]).output == "0 tracks, 0 seconds\n")
    #expect(try jukebox(["media", "forget"], [String(uuid)]).status == 0)
    #expect(try jukebox(["media"]).output == "")
    #expect(try jukebox(["media", "forget"], [String(uuid)]).status == 1)
  }
}
