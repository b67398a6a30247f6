import Glibc
import Testing

/// `jukebox play` itself, on a terminal and without, with the output that makes no sound.
@Suite(.serialized) struct PlayTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for (number, title) in ["One", "Two", "Three"].enumerated() {
      try folder.write("album/0\(number + 1) \(title).wav", silentWAV(seconds: 30))
    }
    try folder.write("short/01 Short.wav", silentWAV(seconds: 0.1))
    try folder.write("short/02 Brief.wav", silentWAV(seconds: 0.1))
    try folder.write("bad.mp3", Array("this is no music\n".utf8))
  }

  private func play(_ words: String..., columns: UInt16? = nil) throws -> Program {
    try Program(["play", "--device", "silent"] + words, columns: columns)
  }

  // MARK: - Without a terminal

  @Test func `without a terminal there is a line an event`() throws {
    let program = try play(folder("short"))
    #expect(try program.end() == 0)
    #expect(program.output == "playing 01 Short (0:00)\nplaying 02 Brief (0:00)\n")
  }

  @Test func `what can't be played is named and skipped`() throws {
    let program = try play(folder("bad.mp3"), folder("gone.wav"), folder("short/01 Short.wav"))
    #expect(try program.end() == 0)
    #expect(program.output == "playing 01 Short (0:00)\n")
    #expect(program.errors.contains("jukebox: \(folder("bad.mp3")): "))
    #expect(program.errors.contains("jukebox: \(folder("gone.wav")): No such file or directory\n"))
  }

  @Test func `a rate that the card does not have is told`() throws {
    let program = try play("--rate", "12345", folder("short"))
    #expect(try program.end() == 0)
    #expect(program.errors == "jukebox: silent has no 12345 Hz: playing at 44100 Hz\n")
  }

  @Test func `the exit status says whether anything was played`() throws {
    #expect(try play(folder("bad.mp3")).end() == 1)
    #expect(try play(folder("gone.wav")).end() == 1)
    #expect(try play(folder("album"), "--bits", "16").end() == 2)
    try folder.write("empty/cover.jpg")
    let empty = try play(folder("empty"))
    #expect(try empty.end() == 1)
    #expect(empty.errors == "jukebox: nothing to play was found\n")
  }

  @Test func `a file is written, and never over what is read`() throws {
    let file = folder("short/03 out.wav")
    #expect(try Program(["play", "--to", file, folder("short")]).end() == 0)
    let again = try Program(["play", "--to", file, folder("short")])
    #expect(try again.end() == 0)
    #expect(again.output == "writing 01 Short (0:00)\nwriting 02 Brief (0:00)\n")
    #expect(again.errors.contains("\(file): passed over"))
    // The data chunk comes last: both tracks' frames, 4 bytes each.
    let bytes = try bytes(of: file)
    let data = try #require(bytes.firstRange(of: Array("data".utf8)))
    #expect(bytes.count - data.upperBound - 4 == 2 * 4410 * 4)
    #expect(try Program(["play", "--to", folder("no/where.wav"), folder("short")]).end() == 1)
    #expect(try Program(["play", "--to", folder("o.wav"), folder("bad.mp3")]).end() == 1)
  }

  @Test func `help and version go to stdout, wrong usage to stderr`() throws {
    let help = try Program(["play", "--help"])
    #expect(try help.end() == 0)
    #expect(help.output.contains("--replaygain off|track|album") && help.errors.isEmpty)
    let wrong = try Program(["plya"])
    #expect(try wrong.end() == 2)
    #expect(wrong.output.isEmpty && wrong.errors.hasSuffix("did you mean play?\n"))
  }

  // MARK: - On a terminal

  @Test func `keys pause, move and end it`() throws {
    let program = try play(folder("album"), columns: 80)
    try program.wait(for: "playing 01 One 0:00 / 0:30  0 dB")
    #expect(program.isRaw)
    program.send(" ")
    try program.wait(for: "paused 01 One")
    program.send(" ")
    try program.wait(for: "playing 01 One")
    program.send("n")
    try program.wait(for: "playing 02 Two 0:00")
    program.send(" ")
    try program.wait(for: "paused 02 Two 0:00")
    program.send("\u{1B}[C")
    try program.wait(for: "paused 02 Two 0:05")
    program.send("\u{1B}[C")
    try program.wait(for: "paused 02 Two 0:10")
    program.send("\u{1B}[D")
    try program.wait(for: "paused 02 Two 0:05")
    program.send("p")
    try program.wait(for: "playing 02 Two 0:00")
    program.send("p")
    try program.wait(for: "playing 01 One 0:00")
    program.send("-")
    try program.wait(for: "-2 dB")
    program.send("q")
    #expect(try program.end() == 0)
    #expect(!program.isRaw)
  }

  @Test func `the clock on the line runs`() throws {
    let program = try play(folder("album"), columns: 80)
    try program.wait(for: "0:01 / 0:30")
    try program.wait(for: "0:02 / 0:30")
    program.send("q")
    #expect(try program.end() == 0)
  }

  @Test func `seeking past the end is next, and next past the last is the end`() throws {
    let program = try play("--start", "27", folder("album"), columns: 80)
    try program.wait(for: "playing 01 One 0:27")
    program.send("\u{1B}[C")
    try program.wait(for: "playing 02 Two")
    program.send("nn")
    #expect(try program.end() == 0)
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
  func `a signal gives the terminal back, then ends it`(_ signal: Int32) throws {
    let program = try play(folder("album"), columns: 80)
    try program.wait(for: "playing 01 One")
    kill(program.process, signal)
    #expect(try program.end() == -signal)
    #expect(!program.isRaw)
  }

  @Test(arguments: [SIGSEGV, SIGABRT, SIGILL])
  func `a crash gives the terminal back`(_ signal: Int32) throws {
    let program = try play(folder("album"), columns: 80)
    try program.wait(for: "playing 01 One")
    #expect(program.isRaw)
    kill(program.process, signal)
    #expect(try program.end() == -signal)
    #expect(!program.isRaw)
  }

  @Test func `Ctrl-C ends it`() throws {
    let program = try play(folder("album"), columns: 80)
    try program.wait(for: "playing 01 One")
    program.send("\u{3}")
    #expect(try program.end() == -SIGINT)
    #expect(!program.isRaw)
  }

  @Test func `Ctrl-Z gives the terminal back, and going on takes it again`() throws {
    let program = try play(folder("album"), columns: 80)
    try program.wait(for: "playing 01 One")
    program.send("\u{1A}")
    try program.waitUntilStopped()
    #expect(!program.isRaw)
    kill(program.process, SIGCONT)
    try program.wait(for: "playing 01 One")
    #expect(program.isRaw)
    program.send("q")
    #expect(try program.end() == 0)
  }

  @Test func `a name can't give the terminal orders`() throws {
    try folder.write("evil/01 a\u{1B}[2Jb\u{7}.wav", silentWAV(seconds: 5))
    let program = try play(folder("evil"), columns: 80)
    try program.wait(for: "playing 01 a [2Jb  0:00")
    program.send("q")
    #expect(try program.end() == 0)
    #expect(!program.output.contains("\u{1B}[2J") && !program.output.contains("\u{7}"))
  }

  @Test func `the line fits a narrow terminal`() throws {
    let program = try play(folder("album"), columns: 30)
    try program.wait(for: "playing 01 One 0:00 / 0:30")
    program.send("q")
    #expect(try program.end() == 0)
    for line in program.output.split(whereSeparator: { $0 == "\r" || $0 == "\r\n" }) {
      #expect(line.replacing("\u{1B}[K", with: "").count < 30)
    }
  }
}
