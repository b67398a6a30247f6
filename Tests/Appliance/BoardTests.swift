import Glibc
import Library
import Testing

/// `jukebox run` on a board: buttons, knobs, lights, keys and sticks that the kernel and udev tell of.
@Suite(.serialized, .enabled(if: Board.canMount)) struct BoardTests {
  private static let settings = """
    [media]
    folders = ["FOLDER"]
    [[button]]
    pin = 17
    press = "play-pause"
    [[button]]
    pin = 27
    press = "next"
    hold = "seek-forward"
    [[knob]]
    pins = [5, 6]
    turn = "volume 3"
    [[light]]
    pin = 22
    shows = "playing"
    """

  private func plug(_ board: Board, tracks: [[UInt8]] = [silentWAV(seconds: 13)]) throws {
    for (index, track) in tracks.enumerated() {
      try board.folder.write("music/0\(index + 1) Track.wav", track)
    }
    try board(
      "add", "block", "sda", "-", "@size=64", "DEVNAME=/dev/sda", "DEVTYPE=disk", "MAJOR=8",
      "MINOR=0", "ID_FS_USAGE=filesystem", "ID_FS_TYPE=vfat", "ID_FS_UUID_ENC=7B46-39FA",
      "ID_FS_LABEL_ENC=MUSIC")
    try board("mount", "/dev/sda", "7B46-39FA", board.path + "/music/.")
  }

  private func plugKeypad(_ board: Board) throws {
    try board("keyboard", "event7")
    try board("add", "input", "event7", "-", "DEVNAME=/dev/input/event7", "ID_INPUT_KEY=1")
    try board.machine.waitForError("/dev/input/event7: has media keys")
  }

  @Test func `a stick plays, a button pauses it, a light shows it, and a pull ends it`() throws {
    let board = try Board(settings: Self.settings)
    let remote = try board.remote
    try plug(board)
    try remote.waitForSong(0)
    try waitUntil("a light") { (try? board.levels(of: 22).last) == true }
    try board.press(17)
    try remote.wait("a pause") { $0["state"] == "pause" }
    try waitUntil("no light") { (try? board.levels(of: 22).last) == false }
    try board.press(17)
    try remote.waitForSong(0)
    try board("unmount", "7B46-39FA")
    try board.machine.waitForError("stopped, since its medium is gone")
    try remote.waitForSong(0, state: "pause")
  }

  @Test func `eject has a stick unmounted, and then says that it may be pulled out`() throws {
    let board = try Board(
      settings: Self.settings, environment: ["NOTIFY_SOCKET=/nobody/listens"])
    try board.folder.writeSystemctl()
    let remote = try board.remote
    try plug(board)
    try remote.waitForSong(0)
    try remote.ask("eject")
    try board.machine.waitForError("may be pulled out")
    #expect(try board.folder.systemctl == "stop jukebox-mount@sda.service\n")
  }

  @Test func `an amplifier is on a while before sound, and off when the card is given back`() throws
  {
    let board = try Board(
      settings: Self.settings + "\n[amplifier]\npin = 24\n[sound]\nrest = \"1 s\"\n")
    let remote = try board.remote
    try plug(board)
    try remote.waitForSong(0)
    try waitUntil("sound") { (try? cardStarts(board.path + "/card.log").count) == 1 }
    try board.press(17)
    try waitUntil("off") { (try? board.levels(of: 24).last) == false }
    try board.press(17)
    try waitUntil("sound again") { (try? cardStarts(board.path + "/card.log").count) == 2 }
    let starts = try cardStarts(board.path + "/card.log")
    let on = try board.changes(of: 24).filter(\.isHigh).map(\.time)
    #expect(on.count == 2)
    for (start, on) in zip(starts, on) { #expect(start - on >= 0.2) }
  }

  @Test func `a button skips, held it seeks, and a knob turns the volume`() throws {
    let board = try Board(settings: Self.settings)
    let remote = try board.remote
    try plug(board, tracks: [silentWAV(seconds: 2), silentWAV(seconds: 9)])
    try remote.waitForSong(0)
    try board.press(27)
    try remote.waitForSong(1)
    // Held, the music passes faster than it plays.
    let began = monotonicSeconds()
    try board.set(27, isHigh: false)
    try remote.wait("a place 3 s on") { Double($0["elapsed"] ?? "") ?? 0 > 3 }
    #expect(monotonicSeconds() - began < 3)
    try board.set(27, isHigh: true)
    // A detent to the right: A closes first.
    let volume = try #require(try Int(remote.status["volume"] ?? ""))
    for line in [5, 6] { try board.set(line, isHigh: false) }
    for line in [5, 6] { try board.set(line, isHigh: true) }
    try remote.wait("more volume") { $0["volume"] == "\(volume + 3)" }
  }

  @Test func `a bouncing contact is one press`() throws {
    let board = try Board(settings: Self.settings)
    let remote = try board.remote
    try plug(board)
    try remote.waitForSong(0)
    for _ in 0..<6 {
      try board.set(17, [false, true, false, true, false])
      try remote.wait("another state") { $0["state"] == "pause" }
      poll(nil, 0, 30)
      try board.set(17, [true, false, true])
      poll(nil, 0, 15)
      try board.press(17)
      try remote.waitForSong(0)
    }
    // One change of the light for each press, and none for what bounced.
    #expect(try board.levels(of: 22).filter { !$0 }.count == 7)
  }

  @Test func `a key of a keypad that is plugged in pauses`() throws {
    let board = try Board(settings: Self.settings)
    let remote = try board.remote
    try plug(board)
    try remote.waitForSong(0)
    try plugKeypad(board)
    let time = "\(Int(monotonicSeconds() * 1e9))"
    try board("key", "KEY_PLAYPAUSE", "1", time)
    try board("key", "KEY_PLAYPAUSE", "0", time)
    try remote.waitForSong(0, state: "pause")
    #expect(Double(try remote.status["elapsed"] ?? "") ?? 13 < 13)
  }

  @Test func `nothing wakes while nothing is touched, with lines, lights and keys bound`() throws {
    let board = try Board(
      settings: Self.settings + "\n[sound]\nrest = \"1 s\"\n")
    let remote = try board.remote
    try plug(board)
    try remote.waitForSong(0)
    try plugKeypad(board)
    try board.press(17)
    try remote.wait("a pause") { $0["state"] == "pause" }
    try waitUntil("no light") { (try? board.levels(of: 22).last) == false }
    try board.machine.waitForError("the card is given back")
    // What was paused is saved, and what was scanned is read.
    try waitUntil("ten seconds without a wake") {
      let before = try? board.wakes
      poll(nil, 0, 10_000)
      return before != nil && (try? board.wakes) == before
    }
    // It is not dead.
    try board.press(17)
    try remote.waitForSong(0)
  }

  @Test func `settings are read in their order, and the later overrule the earlier`() throws {
    let board = try Board(settings: nil)
    // Copies of the system's folders with files of settings in them, in the machine's own mounts.
    let script = """
      cd '\(board.path)' && mkdir etc share && cp -a /etc/. etc && mkdir -p etc/jukebox share/jukebox
      cp -a /usr/share/alsa share
      mount --bind etc /etc && mount --bind share /usr/share
      mount -t tmpfs none /boot && mkdir /boot/firmware
      printf '[volume]\\nsafe = 40\\n[play]\\non-plug = "start"\\n' >/usr/share/jukebox/board.toml
      printf '[volume]\\nsafe = 30\\nminimum = 11\\nmaxmum = 12\\n' >/etc/jukebox/jukebox.toml
      printf '[volume]\\nsafe = 25\\nminimum = 22\\n' >/boot/firmware/jukebox.toml
      """
    try board("call", "sh", "-ec", script.replacing("\n", with: ";"))
    try board.run(settings: "[media]\nfolders = [\"FOLDER\"]\n[volume]\nminimum = 23\n")
    let remote = try board.remote
    // Wrong entries are named with the file that they are in.
    try board.machine.waitForError("<4>/etc/jukebox/jukebox.toml:4:1: ")
    try board.machine.waitForError("did you mean maximum?")
    #expect(try remote.status["volume"] == "25")
    try remote.ask("setvol 5")
    #expect(try remote.status["volume"] == "23")
    try plug(board)
    try remote.waitForSong(0)
  }

  @Test func `SIGHUP gives a button another meaning while the music plays on`() throws {
    let board = try Board(settings: Self.settings)
    let remote = try board.remote
    try plug(board, tracks: [CodedFrames.file(track: 0, frames: 150_000), silentWAV(seconds: 2)])
    try remote.waitForSong(0)
    try board.write(
      settings: Self.settings.replacing("\"play-pause\"", with: "\"next\"")
        .replacing("pin = 22", with: "pin = 23"))
    try board("signal", "\(SIGHUP)")
    try board.machine.waitForError("the settings have been read again")
    try waitUntil("the other light") { (try? board.levels(of: 23).last) == true }
    try remote.wait("sound") { Double($0["elapsed"] ?? "") ?? 0 > 1 }
    try board.press(17)
    try remote.waitForSong(1)
    // Track 0 was heard without a gap until the button was pressed: its frames count on.
    let numbers = try CodedFrames.frames(bytes(of: board.path + "/card.raw")).compactMap(\.number)
      .filter { $0 < CodedFrames.track }
    let first = try #require(numbers.first)
    #expect(numbers.count > 40_000 && numbers == Array(first..<(first + numbers.count)))
  }

  /// The notes of a record, in hertz, by their zero crossings.
  private func notes(_ samples: [Int32]) -> [Double] {
    var notes: [Double] = []
    var (start, quiet, crossings) = (0, 0, 0)
    for (index, sample) in samples.enumerated() {
      if abs(sample) > 1 << 22 {
        if quiet > 1_000 || index == 0 { (start, crossings) = (index, 0) }
        quiet = 0
      } else {
        quiet += 1
        if quiet == 1_000, index - start > 6_000 {
          notes.append(Double(crossings) / 2 / (Double(index - 999 - start) / 44_100))
        }
      }
      if index > 0, (samples[index - 1] < 0) != (sample < 0) { crossings += 1 }
    }
    return notes
  }

  @Test func `learn asks by notes, finds the button and writes it down`() throws {
    let board = try Board(settings: nil)
    try board.write(settings: "# mine\n")
    try board("chip", "pinctrl-bcm2835")
    try board(
      "run", Program.path, "learn", "button", "press=next", "--by-sound", "--device",
      "fake:\(board.path)/card", "--config", board.path + "/settings.toml")
    try board.machine.waitForError("Now press the button")
    for _ in 0..<3 {
      try board.press(27)
      poll(nil, 0, 100)
    }
    try board.machine.waitForError("It is in \(board.path)/settings.toml")
    try waitUntil("three rising notes at the end") {
      let frames = (try? bytes(of: board.path + "/card.raw")) ?? []
      let left = frames.withUnsafeBytes { bytes in
        let samples = bytes.bindMemory(to: Int32.self)
        return stride(from: 0, to: samples.count - 1, by: 2).map { samples[$0] }
      }
      // Quiet, your turn, found.
      let rounded = notes(left).map { ($0 / 55).rounded() * 55 }
      return rounded == [440, 440, 660, 440, 550, 660]
    }
    let text = String(decoding: try bytes(of: board.path + "/settings.toml"), as: UTF8.self)
    #expect(text.hasPrefix("# mine\n"))
    #expect(text.contains("[[button]]\npin = 27\npress = \"next\""))
  }

  @Test func `doctor tells what a button does while it is pressed`() throws {
    let board = try Board(settings: nil)
    try board.write(settings: Self.settings)
    try board("chip", "pinctrl-bcm2835")
    try board("run", Program.path, "doctor", "--press", board.path + "/settings.toml")
    try board.machine.waitForError("Listening to GPIO 17, 27, 5 and 6: press and turn")
    try board.set(17, isHigh: false)
    try board.machine.waitForError("GPIO 17 low, clean\n")
    try board.set(17, isHigh: true)
    try board.machine.waitForError("GPIO 17 high, clean\n")
    try board("stop")
  }

  @Test func `a stick is one medium, whoever looks at it`() throws {
    let board = try Board(settings: Self.settings)
    try plug(board)
    try board.remote.waitForSong(0)
    try board("link", "7B46-39FA", "7B46-39FA")
    try board(
      "call", Program.path, "scan", "--library", board.path + "/state/library.db",
      board.path + "/media/7B46-39FA")
    let media = try Catalogue(Path(board.path + "/state/library.db")).media()
    #expect(media.map(\.identity.uuid) == ["7B46-39FA"])
    // The filesystem's own size, and not the device's.
    #expect(media.map(\.identity.size) == [8 << 20])
  }
}
