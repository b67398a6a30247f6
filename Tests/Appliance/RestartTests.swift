import Glibc
import Jukebox
import Library
import Testing

@testable import Appliance

/// What outlives a restart, however the process ended.
@Suite(.serialized) struct RestartTests {
  @Test func `a saved session comes back as it was, and a damaged one as far as it goes`() {
    var session = SavedSession()
    session.state = [1, 2, 3]
    session.media = [
      KnownMedium(id: MediumID(3), identity: MediumIdentity(uuid: "AB-12", size: 77, label: "X"))
    ]
    var place = Place(track: TrackID(9), medium: MediumID(3), path: Path("a/b.mp3"))
    place.end = .seconds(3)
    place.gain = -6.5
    place.tags.title = "Title"
    place.tags.path = "a/b.mp3"
    place.tags.length = .seconds(200)
    session.places = [place]
    session.left = [MediumID(3): TrackID(9)]
    #expect(SavedSession(session.bytes) == session)
    for length in session.bytes.indices { _ = SavedSession(Array(session.bytes[..<length])) }
    for index in session.bytes.indices {
      var bytes = session.bytes
      bytes[index] ^= 0xFF
      _ = SavedSession(bytes)
    }
  }

  @Test func `after SIGTERM it plays on where it was, from a safe volume up`() throws {
    let box = try Box()
    try box.makeStick(tracks: [300_000, 300_000])
    try box.remote.ask("setvol 90")
    try box.plug()
    try box.remote.waitForSong(0)
    try box.remote.ask("next")
    try box.remote.wait("a second") { Double($0["elapsed"] ?? "") ?? 0 > 1 && $0["song"] == "1" }
    let asked = ContinuousClock.now
    kill(box.program.process, SIGTERM)
    #expect(try box.program.end() == -SIGTERM)
    #expect(ContinuousClock.now - asked < .seconds(5))
    let before = try box.heard.count
    try box.restart()
    let status = try box.remote.waitForSong(1)
    #expect(status["volume"] == "70")
    #expect(Double(status["elapsed"] ?? "") ?? 0 > 1)
    try box.remote.wait("sound") { Double($0["elapsed"] ?? "") ?? 0 > 1.5 }
    let after = try box.heard[before...]
    // It rises from 40 dB below what will be -15 dB in the end, the volume of 70.
    #expect(after.prefix(400).allSatisfy { $0.gain < 0.01 })
    #expect(after.suffix(400).allSatisfy { $0.gain < 0.178 })
  }

  /// How often, by JUKEBOX_KILLS; `Tests/Support/kills` gives a large number.
  private static let kills = getenv("JUKEBOX_KILLS").flatMap { Int(String(cString: $0)) } ?? 6

  @Test func `a power cut at any moment costs at most five seconds, and never the queue`() throws {
    let box = try Box(options: ["--on-plug", "left"])
    try box.makeStick(tracks: [900_000, 900_000, 900_000, 900_000])
    try box.plug()
    try box.remote.waitForSong(0)
    try box.remote.ask("add STICK")
    try box.remote.ask("setvol 60")
    try box.remote.ask("repeat 1")
    try box.remote.wait("the first save") { Double($0["elapsed"] ?? "") ?? 0 > 2.5 }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<Self.kills {
      // What was said a while ago must be there; what was said just now may be.
      let before = try box.remote.status
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        try box.remote.ask(
          ["next", "previous", "pause", "play", "seekcur +3"].randomElement() ?? "")
      }
      let moment = Int32.random(in: 0...300, using: &random)
      poll(nil, 0, moment)
      let last = try box.remote.status
      try box.cutPower()
      let after = try box.remote.wait("the stick") { $0["state"] != "stop" }
      #expect(after["playlistlength"] == "8")
      #expect(after["volume"] == "60" && after["random"] == "0" && after["repeat"] == "1")
      #expect(!box.program.latestErrors().contains("damaged"))
      if after["song"] == last["song"] {
        let (was, now) = (Double(last["elapsed"] ?? "") ?? 0, Double(after["elapsed"] ?? "") ?? 0)
        #expect(now > was - 5.1, "\(last) \(after)")
      } else {
        // Then the skip was only just made.
        #expect(after["song"] == before["song"] || moment < 100, "\(before) \(last) \(after)")
      }
    }
  }

  @Test func `a queue of ten thousand is whole after a restart without its stick`() throws {
    let box = try Box()
    try box.makeStick(tracks: Array(repeating: 2_000, count: 100))
    try box.remote.ask("single 1")
    try box.plug()
    try box.program.waitForError("100 files, 100 new")
    let list =
      ["command_list_begin"] + Array(repeating: "add STICK", count: 99) + ["command_list_end"]
    try box.remote.ask(list.joined(separator: "\n"))
    #expect(try box.remote.status["playlistlength"] == "10000")
    let songs = try box.remote.ask("playlistinfo")
    #expect(songs.count { $0.hasPrefix("file: STICK/") } == 10_000)
    kill(box.program.process, SIGTERM)
    _ = try box.program.end()
    try box.pull()
    try box.restart()
    #expect(try box.remote.status["playlistlength"] == "10000")
    #expect(try box.remote.ask("playlistinfo") == songs)
    try box.plug()
    try box.remote.ask("play 9999")
    try box.remote.wait("the last one") { $0["song"] == "9999" }
  }
}
