import Glibc
import Testing

/// `jukebox run --panel terminal` in a terminal: keys are presses, and the screen shows what is.
@Suite(.serialized) struct PanelTests {
  private static let settings = """
    [volume]
    start = 60
    [[button]]
    pin = 17
    press = "play-pause"
    double = "stop"
    [[button]]
    pin = 27
    press = "next"
    hold = "seek-forward"
    [[switch]]
    pin = 9
    on = "mute-on"
    off = "mute-off"
    [[knob]]
    pins = [5, 6]
    detent = 2
    turn = "volume 3"
    [[light]]
    pin = 22
    shows = "playing"
    """

  private func box(in folder: TemporaryFolder) throws -> [String] {
    for inner in ["media", "state"] { mkdir(folder(inner), 0o755) }
    for track in 0..<2 {
      try folder.write(
        "media/STICK/0\(track + 1) Track.wav", silentWAV(seconds: 40, of: 0x20))
    }
    try folder.write("settings.toml", Array(Self.settings.utf8))
    return [
      "run", "--panel", "terminal", "--state", folder("state"), "--media", folder("media/STICK"),
      "--config", folder("settings.toml"), "--device", "fake:\(folder("card"))",
    ]
  }

  @Test func `a recorded session of presses gives the expected states and screens`() throws {
    let folder = try TemporaryFolder()
    let terminal = try Terminal(in: folder, box(in: folder))
    let remote = try Remote(folder("socket"))
    try remote.waitForSong(0)
    try terminal.wait(for: "│ playing 01 Track 0:")
    try terminal.wait(for: "-20 dB")
    try terminal.wait(for: "│ ● playing")
    try terminal.wait(for: " a  press: play-pause, double: stop    s  press: next, hold: seek-f")
    try terminal.wait(for: " d  on: mute-on, off: mute-off    ← →  volume ")
    // It may be the press of a double one, so it acts a little later.
    try terminal.type("a")
    try remote.wait("a pause") { $0["state"] == "pause" }
    try terminal.wait(for: "│ paused 01 ")
    try terminal.wait(for: "│ ○ playing")
    try terminal.wait(for: "L ····")
    try terminal.type("a")
    try remote.waitForSong(0)
    try terminal.wait(for: "L ██")
    try terminal.type("s")
    try remote.waitForSong(1)
    try terminal.wait(for: "│ playing 02 Track")
    let began = monotonicSeconds()
    try terminal.type("S")
    try terminal.wait(for: "[s] press: next")
    try remote.wait("a place 5 s on") { Double($0["elapsed"] ?? "") ?? 0 > 5 }
    #expect(monotonicSeconds() - began < 5)
    try terminal.type("s")
    try terminal.wait(for: " s  press: next")
    // Two edges a detent, each with its bounce.
    try terminal.type("Right")
    try remote.wait("more volume") { $0["volume"] == "63" }
    try terminal.type("Left")
    try remote.wait("less volume") { $0["volume"] == "60" }
    try terminal.type("d")
    try terminal.wait(for: "[d] on: mute-on")
    try terminal.wait(for: "  muted")
    try terminal.type("d")
    try terminal.wait(for: "-20 dB")
    try terminal.type("a", "a")
    try remote.wait("a stop") { $0["state"] == "stop" }
    try terminal.wait(for: "│ stopped")
    // All else that is written scrolls below.
    #expect(terminal.screen.split(separator: "└")[1].contains("<6>playing 02 Track.wav"))
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGABRT])
  func `the terminal is as it was after any end`(_ signal: Int32) throws {
    let folder = try TemporaryFolder()
    let terminal = try Terminal(in: folder, box(in: folder))
    try terminal.wait(for: "│ playing 01")
    let process = try terminal.process
    kill(try #require(process), signal)
    try terminal.wait(for: "ended \(128 + signal)")
    try waitUntil("its settings") { access(folder("after"), F_OK) == 0 }
    #expect(try bytes(of: folder("after")) == bytes(of: folder("before")))
    // Nothing stands still any more.
    try terminal.type("seq 100", "Enter")
    try terminal.wait(for: "100\n")
    #expect(!terminal.screen.contains("jukebox ─"))
  }

  @Test func `it is drawn ten times a second at most, and not while nothing changes`() throws {
    let folder = try TemporaryFolder()
    let program = try Program(
      box(in: folder), columns: 80,
      environment: [
        "ALSA_CONFIG_PATH=\(FakeSound.configuration)", "RUNTIME_DIRECTORY=\(folder.path)",
      ])
    let remote = try Remote(folder("socket"))
    try remote.waitForSong(0)
    func drawn(in seconds: Double) -> (count: Int, seconds: Double) {
      let before = program.latestOutput().utf8.count
      let began = monotonicSeconds()
      poll(nil, 0, Int32(seconds * 1000))
      let output = program.latestOutput()
      let count = output.utf8.dropFirst(before).count { $0 == 0x37 /* of ESC 7 */ }
      return (count, monotonicSeconds() - began)
    }
    let playing = drawn(in: 1)
    #expect(playing.count > 0 && Double(playing.count) <= playing.seconds * 10 + 1)
    program.send("a")
    try remote.wait("a pause") { $0["state"] == "pause" }
    try program.wait(for: "│ paused")
    // What was released and has fallen silent is drawn once more.
    _ = drawn(in: 0.5)
    let before = program.latestOutput()
    poll(nil, 0, 1000)
    #expect(program.latestOutput() == before)
  }
}
