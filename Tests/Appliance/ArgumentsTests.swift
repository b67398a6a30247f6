import Devices
import Library
import Testing

@testable import Appliance

struct ArgumentsTests {
  private func command(_ words: String...) throws -> Command {
    try Command(words.map { Array($0.utf8) })
  }

  private func play(_ words: String...) throws -> PlayOptions? {
    guard case .play(let options) = try Command((["play"] + words).map { Array($0.utf8) }) else {
      return nil
    }
    return options
  }

  @Test func `play takes its options anywhere, as two words or one`() throws {
    var wanted = PlayOptions()
    wanted.device = "hw:0"
    wanted.rate = .hertz(48000)
    wanted.start = .milliseconds(1500)
    wanted.volume = -6.5
    wanted.loudness = .album
    wanted.bufferMilliseconds = 500
    wanted.rewind = .never
    wanted.isVerbose = true
    wanted.paths = [Path("a.mp3"), Path("b")]
    #expect(
      try play(
        "--device", "hw:0", "a.mp3", "--rate=48000", "--start=1.5", "--volume", "-6.5",
        "--replaygain", "album", "b", "--buffer-ms", "500", "--rewind=never", "--verbose") == wanted
    )
  }

  @Test func `without options the samples stay as they are`() throws {
    let options = try #require(try play("a"))
    #expect(options.device == "default")
    #expect(options.rate == .source)
    #expect(options.volume == 0)
    #expect(options.loudness == .off)
    #expect(options.file == nil)
  }

  @Test func `a file is written in the size asked for`() throws {
    let options = try #require(try play("--to", "o.wav", "--bits", "24", "a"))
    #expect(options.file == Path("o.wav"))
    #expect(options.bits == .twentyFour)
  }

  @Test func `what follows two dashes is a path, and so is one dash`() throws {
    #expect(
      try play("-", "--", "--bits", "--help")?.paths == [Path("-"), Path("--bits"), Path("--help")])
  }

  @Test func `a path keeps bytes that are no UTF-8`() throws {
    let path: [UInt8] = [0x63, 0xE9]
    guard case .play(let options) = try Command([Array("play".utf8), path]) else {
      Issue.record("not play")
      return
    }
    #expect(options.paths == [Path(path)])
  }

  @Test func `the other commands`() throws {
    #expect(try command("demo", "f") == .demo(folder: Path("f")))
    #expect(try command("replay", "--", "-f") == .replay(file: Path("-f")))
    #expect(try command("--help") == .help(.general))
    #expect(try command("-h") == .help(.general))
    #expect(try command("play", "--bits", "--help") == .help(.play))
    #expect(try command("demo", "--help") == .help(.general))
    #expect(try command("--version") == .version)
  }

  /// The whole sentence for one of each kind, as the user reads it.
  @Test(arguments: [
    (
      ["ply", "a"],
      "'ply' is no command: allowed are play, run, demo, replay, scan, query, media, playlist, picture, check-config, pinout, learn, doctor, --help and --version; did you mean play?"
    ),
    (
      [],
      "no command is given: allowed are play, run, demo, replay, scan, query, media, playlist, picture, check-config, pinout, learn, doctor, --help and --version"
    ),
    (["play"], "play has nothing to play: allowed is play PATH..."),
    (
      ["play", "--bits", "20", "--to", "x", "a"],
      "--bits is '20': allowed is 16, 24 and 32; the nearest is 16"
    ),
    (
      ["play", "--volume=3", "a"],
      "--volume is '3': allowed is a number of decibels from -100 to 0; the nearest is 0"
    ),
    (
      ["play", "--rewind", "alwasy", "a"],
      "--rewind is 'alwasy': allowed is auto, always and never; did you mean always?"
    ),
    (
      ["play", "a", "--start"],
      "--start ends the command line: allowed is --start a number of seconds from 0 on"
    ),
    (
      ["play", "--to", "x", "--device", "y", "a"],
      "--to stands with --device: allowed is one of the two"
    ),
    (["play", "--bits", "16", "a"], "--bits stands without --to: allowed are both or none"),
    (["play", "--verbose=yes", "a"], "--verbose is given a value: allowed is none"),
    (["demo"], "demo is followed by nothing: allowed is one FOLDER"),
    (["replay", "a", "b"], "replay is followed by 2 words: allowed is one FILE"),
  ])
  func `wrong usage is told in one sentence`(_ words: [String], _ sentence: String) throws {
    let error = #expect(throws: UsageError.self) { try Command(words.map { Array($0.utf8) }) }
    #expect(error?.description == sentence)
  }

  @Test(arguments: [
    ("--devcie", "--device"), ("--replygain", "--replaygain"), ("--buffer", "--buffer-ms"),
    ("--bit", "--bits"), ("--xyzzy", nil), ("-volume", "--volume"),
  ])
  func `a misspelt option is told its right spelling`(_ word: String, _ near: String?) throws {
    let error = #expect(throws: UsageError.self) { try play(word, "1", "a") }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("'\(word)' is no option of play: allowed are --device, "))
    #expect(near.map { text.hasSuffix("; did you mean \($0)?") } ?? !text.contains("did you mean"))
  }

  @Test(arguments: [
    ("--bits", "many"), ("--rate", "0"), ("--rate", "sauce"), ("--rate", "1e5"), ("--start", "-1"),
    ("--start", "nan"), ("--start", "1e400"), ("--volume", "inf"), ("--volume", "0x1"),
    ("--volume", ""), ("--replaygain", "Album"), ("--buffer-ms", "19"), ("--rewind", ""),
    ("--device", ""), ("--to", ""), ("--rate", "99999999999999999999"),
  ])
  func `a wrong value is refused`(_ option: String, _ value: String) {
    let error = #expect(throws: UsageError.self) { try play(option, value, "a") }
    #expect(error?.description.hasPrefix("\(option) is '\(value)': allowed is ") == true)
  }

  @Test func `what the user wrote can't upset the terminal`() {
    let error = #expect(throws: UsageError.self) { try command("\u{1B}[2Jplay\n") }
    #expect(error?.description.hasPrefix("' [2Jplay ' is no command") == true)
  }

  @Test(arguments: [
    ("kitten", "sitting", 3), ("", "abc", 3), ("ab", "ba", 1), ("same", "same", 0),
    ("Sunday", "Saturday", 3),
  ])
  func `the distance of two spellings`(_ a: String, _ b: String, _ distance: Int) {
    #expect(editDistance(a, b) == distance)
  }
}
