import Glibc
import Testing

/// Settings files, as `jukebox run` takes them.
@Suite(.serialized) struct RunSettingsTests {
  @Test func `what is right takes effect, what is wrong is named, and the music plays`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "settings.toml",
      Array("[volume]\nstart = 90\nsafe = 35\nmaxmum = 40\n[play]\non-plug = \"start\"\n".utf8))
    let box = try Box(options: ["--config", file], in: folder)
    try box.program.waitForError("<4>\(file):4:1: ")
    #expect(box.program.errors.contains("did you mean maximum?"))
    #expect(try box.remote.status["volume"] == "35")
    try box.makeStick(tracks: [200_000])
    try box.plug()
    try box.remote.waitForSong(0)
  }

  @Test func `the command line overrules the file`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "settings.toml", Array("[play]\non-plug = \"start\"\n".utf8))
    let box = try Box(options: ["--config", file, "--on-plug", "nothing"], in: folder)
    try box.makeStick(tracks: [20_000])
    try box.plug()
    try box.program.waitForError("STICK: 1 files")
    #expect(try box.remote.status["state"] == "stop")
    #expect(try box.remote.status["playlistlength"] == "0")
  }

  @Test func `a file that is not there is named`() throws {
    let box = try Box(options: ["--config", "/nowhere/jukebox.toml"])
    try box.program.waitForError("<4>/nowhere/jukebox.toml: there is no such file of settings")
  }

  @Test func `SIGHUP reads them again, and no frame is lost`() throws {
    let folder = try TemporaryFolder()
    let text = "[volume]\nmaximum = 100\nsafe = 100\nstart = 100\n"
    let file = try folder.write("settings.toml", Array(text.utf8))
    let box = try Box(options: ["--config", file], in: folder)
    try box.makeStick(tracks: [120_000])
    try box.plug()
    try box.remote.wait("sound") { Double($0["elapsed"] ?? "") ?? 0 > 0.3 }
    let more = "minimum = 30\n[[button]]\npin = 17\npress = \"pause\"\n"
    try folder.write("settings.toml", Array((text + more).utf8))
    kill(box.program.process, SIGHUP)
    try box.program.waitForError("the settings have been read again")
    try box.remote.wait("the end") { $0["state"] == "stop" }
    let heard = try box.heard.compactMap(\.number)
    #expect(heard == Array(0..<120_000))
    try box.remote.ask("setvol 10")
    #expect(try box.remote.status["volume"] == "30")
  }

  @Test func `a file that is written anew is read again`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("settings.toml", Array("[volume]\nstart = 40\n".utf8))
    let box = try Box(options: ["--config", file], in: folder)
    #expect(try box.remote.status["volume"] == "40")
    // As editors do: a new file takes the old one's place.
    try folder.write("settings.toml.new", Array("[volume]\nmaximum = 30\n".utf8))
    try #require(rename(file + ".new", file) == 0)
    try box.program.waitForError("the settings have been read again")
    try box.remote.wait("the maximum") { $0["volume"] == "30" }
    try folder.write("settings.toml", Array("[volume]\nmaximum = 20\n".utf8))
    try box.remote.wait("the maximum") { $0["volume"] == "20" }
  }
}
