import Glibc
import Testing

/// `jukebox run` itself, from the folder that appears to the frames that the card hears.
@Suite(.serialized) struct RunTests {
  /// The numbers of the frames that were heard, without the silence around them.
  private func numbers(_ frames: some Sequence<CodedFrames.Frame>) -> [Int] {
    frames.compactMap(\.number)
  }

  @Test func `a stick plays within a second, and no frame is lost or added at the joins`() throws {
    func play() throws -> (Box, seconds: Double) {
      let box = try Box()
      try box.makeStick(tracks: [50_000, 30_000, 40_000])
      try box.remote.ask("setvol 100")
      let plugged = monotonicSeconds()
      try box.plug()
      try box.remote.waitForSong(2)
      try box.remote.wait("the end") { $0["state"] == "stop" }
      return (box, try #require(try box.starts.first) - plugged)
    }
    var (box, seconds) = try play()
    // What else the machine does can only make it later.
    for _ in 0..<4 where seconds >= 1 { (box, seconds) = try play() }
    #expect(seconds < 1)
    let expected = [50_000, 30_000, 40_000].enumerated().flatMap { track, frames in
      (0..<frames).map { track * CodedFrames.track + $0 }
    }
    #expect(numbers(try box.heard) == expected)
    #expect(try box.heard.filter { $0.number != nil }.allSatisfy { $0.gain == 1 })
  }

  @Test func `buttons and knobs skip, seek, pause and turn the volume`() throws {
    let box = try Box()
    try box.makeStick(tracks: [261_000, 261_000, 261_000])
    try box.remote.ask("setvol 100")
    try box.plug()
    try box.remote.waitForSong(0)
    let remote = box.remote
    func press(_ line: Int) throws {
      try remote.ask("edge \(line) 0 0")
      let now = Int(monotonicSeconds() * 1e9)
      try remote.ask("edge \(line) 1 \(now)")
    }
    try press(2)
    try remote.waitForSong(1)
    try press(3)
    try remote.waitForSong(0)
    // Held, the button seeks, faster than the music plays.
    try remote.wait("sound") { Double($0["elapsed"] ?? "") ?? 0 > 0.05 }
    let before = monotonicSeconds()
    try remote.ask("edge 2 0 0")
    try remote.wait("a place 3 s on") { Double($0["elapsed"] ?? "") ?? 0 > 3.5 }
    #expect(monotonicSeconds() - before < 3)
    try remote.ask("edge 2 1 0")
    try remote.waitForSong(0)
    try press(1)
    try remote.wait("a pause") { $0["state"] == "pause" }
    try press(1)
    try remote.waitForSong(0)
    try remote.ask("turn 4 -6")
    #expect(try remote.status["volume"] == "88")
    try remote.ask("press next")
    try remote.waitForSong(1)
    try remote.wait("sound") { Double($0["elapsed"] ?? "") ?? 0 > 0.3 }
    kill(box.program.process, SIGTERM)
    #expect(try box.program.end() == -SIGTERM)

    let heard = try box.heard
    let tracks = numbers(heard).map { $0 / CodedFrames.track }
    let order = tracks.indices.filter { $0 == 0 || tracks[$0] != tracks[$0 - 1] }.map { tracks[$0] }
    #expect(order.filter { $0 < 3 }.first == 0)
    #expect(order.last == 1)
    // Twelve levels of half a decibel: the music before the last fade is at -6 dB.
    let quiet = heard.filter { abs($0.gain - 0.501187) < 0.0001 }
    #expect(quiet.count > 4_000)
    #expect(numbers(quiet).contains(CodedFrames.track + 2_000))
  }

  @Test func `as a service it has the board switched off, elsewhere it only ends`() throws {
    for isService in [true, false] {
      let folder = try TemporaryFolder()
      try folder.writeSystemctl()
      let box = try Box(
        environment: ["PATH=\(folder("bin")):/usr/bin:/bin"]
          + (isService ? ["NOTIFY_SOCKET=/nobody/listens"] : []), in: folder)
      box.remote.send("press shut-down\n")
      #expect(try box.program.end() == 0)
      #expect(try folder.systemctl == (isService ? "poweroff\n" : ""))
    }
  }

  @Test func `the volume is the card's own where it has one, and may be turned elsewhere`() throws {
    let folder = try TemporaryFolder()
    try folder.write("card.mixer", Array("207 1 3".utf8))
    let box = try Box(in: folder)
    func turn(_ words: String...) throws {
      let environment = "ALSA_CONFIG_PATH=\(FakeSound.configuration)"
      try run(
        ["env", environment, "amixer", "-D", "fake:\(folder("card"))", "sset", "Digital"] + words)
    }
    /// Half decibels above -103.5 dB, and whether it is on.
    func isAt(_ volume: Int, _ isOn: Int) -> Bool {
      (try? bytes(of: folder("card.mixer"))) == Array("\(volume) \(isOn) 3\n".utf8)
    }
    try box.makeStick(tracks: [900_000])
    try box.plug()
    try box.remote.waitForSong(0)
    try box.program.waitForError("the volume is the card's own, Digital")
    try box.remote.ask("setvol 60")
    try waitUntil("-20 dB") { isAt(167, 1) }
    try turn("--", "-10dB")
    try box.remote.wait("the level that is -10 dB") { $0["volume"] == "80" }
    try turn("off")
    try box.program.waitForError("pressed mute yes")
    try box.remote.ask("press toggle-mute")
    try waitUntil("on again") { isAt(187, 1) }
    try turn("off")
    try box.program.waitForError("pressed mute yes", count: 2)
    try box.remote.ask("setvol 70")
    try waitUntil("-15 dB, and on again") { isAt(177, 1) }
    let before = try box.heard.count
    try waitUntil("sound") { (try? box.heard.count > before + 40_000) ?? false }
    // The samples are the track's own: all of the volume is the card's.
    #expect(try box.heard.suffix(8_000).allSatisfy { $0.gain == 1 })
  }

  @Test func `a stick that is pulled and put back goes on at the same frame`() throws {
    let box = try Box()
    try box.makeStick(tracks: [600_000, 44_100])
    try box.remote.ask("setvol 100")
    try box.plug()
    try box.remote.wait("sound") { Double($0["elapsed"] ?? "") ?? 0 > 0.2 }
    try box.pull()
    try box.program.waitForError("stopped, since its medium is gone")
    try box.remote.waitForSong(0, state: "pause")
    let before = try box.heard
    try box.plug()
    try box.remote.waitForSong(0)
    try box.remote.wait("more sound") { status in
      (try? box.heard.count).map { $0 > before.count + 20_000 } ?? false
    }
    let after = Array(try box.heard[before.count...])
    // The end fades and the beginning is a ramp: frames are counted on from the last, and back from the
    // first, whose number is exact.
    let last = try #require(before.lastIndex { $0.gain > 0.9 })
    let end = try #require(before[last].number) + before[last...].count { $0.gain > 0 } - 1
    let first = try #require(after.firstIndex { $0.gain > 0.9 })
    let start = try #require(after[first].number) - after[..<first].count { $0.gain > 0 }
    #expect(abs(start - end - 1) <= 2, "goes on at \(start) after \(end)")
    #expect(
      numbers(after[first...].prefix(10_000)).elementsEqual(
        (0..<10_000).map { (after[first].number ?? 0) + $0 }))
    #expect(!box.program.errors.contains("passed over"))
  }

  @Test func `of many presses at once the last is what plays, and none is passed over`() throws {
    let box = try Box()
    try box.makeStick(tracks: Array(repeating: 100_000, count: 12))
    try box.plug()
    try box.program.waitForError("STICK: 12 files")
    try box.remote.waitForSong(0)
    // The library is asked where each of them is, and has not answered when the next is wanted.
    box.remote.send("play 4\nplay 6\nplay 8\nplay 10\n")
    for _ in 0..<4 { _ = try box.remote.answer() }
    try box.program.waitForError("playing 11 Track.wav")
    #expect(!box.program.errors.contains("passed over"))
  }

  @Test func `when a stick is pulled the next track that is here follows`() throws {
    let box = try Box(sticks: ["A", "B"])
    try box.makeStick("A", tracks: [600_000, 200_000])
    try box.makeStick("B", tracks: [60_000], first: 5)
    try box.remote.ask("setvol 100")
    try box.plug("A")
    try box.remote.waitForSong(0)
    try box.plug("B")
    try box.program.waitForError("B: 1 files")
    try box.remote.ask("add B")
    try box.pull("A")
    try box.remote.waitForSong(2)
    #expect(try box.remote.status["playlistlength"] == "3")
    try box.remote.wait("the end") { $0["state"] == "stop" }
    let heard = numbers(try box.heard)
    #expect(heard.suffix(60_000).elementsEqual((0..<60_000).map { 5 * CodedFrames.track + $0 }))
  }
}
