import Glibc
import Testing

/// The socket, with good and with bad remotes.
@Suite(.serialized) struct SocketTests {
  @Test func `idle tells of what changes`() throws {
    let box = try Box()
    try box.makeStick(tracks: [100_000, 100_000])
    let other = try Remote(box.folder("socket"))
    box.remote.send("idle player\n")
    try box.plug()
    #expect(try box.remote.answer() == ["changed: player"])
    try box.remote.waitForSong(0)
    // What changed meanwhile is told first.
    box.remote.send("idle mixer playlist\n")
    #expect(try box.remote.answer() == ["changed: playlist"])
    box.remote.send("idle mixer\n")
    try other.ask("setvol 33")
    #expect(try box.remote.answer() == ["changed: mixer"])
    box.remote.send("idle mixer\nnoidle\n")
    #expect(try box.remote.answer() == [])
  }

  @Test func `songs are told in MPD's words`() throws {
    let box = try Box()
    try box.makeStick(tracks: [200_000, 100_000])
    try box.plug()
    try box.program.waitForError("2 files, 2 new")
    try box.remote.waitForSong(0)
    let song = Remote.pairs(try box.remote.ask("currentsong"))
    #expect(song["file"] == "STICK/01 Track.wav")
    #expect(song["Title"] == "Track" && song["Pos"] == "0" && song["Id"] == "1")
    #expect(song["duration"] == "4.535")
    let list = try box.remote.ask("playlistinfo 1:")
    #expect(list.first == "file: STICK/02 Track.wav" && list.contains("Pos: 1"))
    let status = try box.remote.wait("the format") { $0["audio"] != nil }
    #expect(status["audio"] == "44100:32:2" && status["duration"] == "4.535")
    #expect(status["nextsong"] == "1" && status["nextsongid"] == "2")
    #expect(throws: Remote.Refused.self) { try box.remote.ask("play 2") }
    #expect(throws: Remote.Refused.self) { try box.remote.ask("add NOWHERE") }
    #expect(throws: Remote.Refused.self) { try box.remote.ask("press nothing") }
    try box.remote.ask("eject")
    try box.program.waitForError("may be pulled out")
  }

  @Test func `remotes that flood, say nothing or don't listen keep nobody waiting`() throws {
    let box = try Box()
    try box.makeStick(tracks: [400_000])
    try box.plug()
    try box.remote.waitForSong(0)
    let silent = try (0..<10).map { _ in try Remote(box.folder("socket")) }
    silent[0].send("command_list_begin\nstatus\n")
    silent[1].send("play")
    let flood = try Remote(box.folder("socket"), isBlocking: false)
    let deaf = try Remote(box.folder("socket"), isBlocking: false)
    let status = String(repeating: "status\n", count: 4_000)
    let lists = String(repeating: "commands\n", count: 4_000)
    for _ in 0..<20 {
      flood.send(status)
      flood.drop()
      deaf.send(lists)
      let asked = ContinuousClock.now
      try box.remote.ask("ping")
      #expect(ContinuousClock.now - asked < .seconds(1))
    }
    box.program.expectNoHoldUp()
  }

  @Test func `a second appliance does not take the socket away`() throws {
    let box = try Box()
    let other = try Program(
      ["run", "--state", box.folder("other"), "--device", "silent"],
      environment: ["RUNTIME_DIRECTORY=\(box.folder.path)"])
    try other.waitForError("<4>\(box.folder("socket")): no remotes")
    try box.remote.ask("ping")
  }

  private static let mpc = access("/usr/bin/mpc", X_OK) == 0

  @Test(.enabled(if: mpc, "mpc is not installed"))
  func `mpc speaks to it`() throws {
    let box = try Box()
    try box.makeStick(tracks: [200_000, 200_000])
    try box.plug()
    try box.program.waitForError("2 files, 2 new")
    func mpc(_ words: String...) throws -> String {
      let program = try Program(path: "/usr/bin/mpc", ["--host", box.folder("socket")] + words)
      #expect(try program.end() == 0, "\(words) \(program.errors)")
      return program.output
    }
    #expect(try mpc("playlist") == "Track\nTrack\n")
    #expect(try mpc("next").contains("#2/2"))
    #expect(try mpc("volume", "40").contains("volume: 40%"))
    #expect(try mpc("pause").contains("[paused]"))
    #expect(try mpc("seek", "2").contains("0:02/0:05"))
    #expect(try mpc("toggle").contains("[playing]"))
    #expect(try mpc("add", "STICK").isEmpty)
    #expect(try mpc("status").contains("#2/4"))
    #expect(try mpc("del", "1").isEmpty)
    #expect(try mpc("clear").isEmpty == false)
  }
}
