import Jukebox
import Testing

@testable import Devices

/// Settings files with something wrong in them: line and remedy are told, and the rest takes effect.
struct WrongSettingsTests {
  struct Wrong: Sendable, CustomTestStringConvertible {
    var text: String
    var line: Int
    /// What the message must say: what was found, and what to do.
    var words: [String]

    init(_ text: String, _ line: Int, _ words: String...) {
      (self.text, self.line, self.words) = (text, line, words)
    }

    var testDescription: String { text.debugDescription }
  }

  /// Each follows four lines that are right.
  private static let right = "[volume]\nstart = 33\n[[button]]\npin = 4\npress = \"stop\"\n"

  static let wrong: [Wrong] = [
    // Types.
    Wrong("[play]\non-plug = 3", 7, "on-plug is 3", "auto, nothing, start"),
    Wrong("[sound]\nmixer = 5", 7, "mixer is 5", "text in \"quotes\""),
    Wrong("[sound]\ncards = \"usb\"", 7, "cards is 'usb'", "a list of texts"),
    Wrong("[sound]\ncards = [\"usb\", 1]", 7, "cards is 1", "text in \"quotes\""),
    Wrong("[keys]\ngrab = \"yes\"", 7, "grab is 'yes'", "true and false"),
    Wrong("[times]\nhold = 600", 7, "hold is 600", "\"1 ms\" to \"5 s\""),
    Wrong("[times]\nhold = \"600\"", 7, "hold is '600'", "\"1 ms\" to \"5 s\""),
    Wrong("[times]\nhold = \"1 day\"", 7, "hold is '1 day'", "\"1 ms\" to \"5 s\""),
    Wrong("[sound]\noffset = \"-3 dB\"", 7, "offset is '-3 dB'", "numbers from -60 to 12"),
    Wrong("[sound]\noffset = 40.5", 7, "offset is 40.5", "numbers from -60 to 12"),
    Wrong("[play]\nsave-every = 2026-11-30", 7, "a date or time", "\"1 s\" to \"1 h\""),
    Wrong("board = 4", 6, "there is no key 'board' here"),
    // Keys.
    Wrong("[bord]\nchip = \"x\"", 6, "no key 'bord'", "did you mean board?"),
    Wrong("[play]\nautplay = \"never\"", 7, "no key 'autplay'", "did you mean autoplay?"),
    Wrong("[[button]]\npin = 17\npres = \"next\"\npress = \"play\"", 8, "did you mean press?"),
    Wrong("[keys]\nKEY_PLAYPAUS = \"play\"", 7, "did you mean KEY_PLAYPAUSE?"),
    Wrong("[interruption.linein]\ndoes = \"mix\"", 6, "no key 'linein'", "did you mean line-in?"),
    // Words.
    Wrong("[[button]]\npin = 17\npress = \"nxet\"", 8, "press is 'nxet'", "did you mean next?"),
    Wrong("[[button]]\npin = 17\npress = \"volume-up 500\"", 8, "a number from 1 to 100"),
    Wrong("[[button]]\npin = 17\nhold = \"sleep\"", 8, "hold is 'sleep'", "such as \"sleep 10 s\""),
    Wrong("[[button]]\npin = 17\npress = \"play-album X\"", 8, "play-album TITLE / ARTIST"),
    Wrong("[play]\nautoplay = \"allways\"", 7, "did you mean always?"),
    Wrong("[[light]]\npin = 22\nshows = \"stat\"", 8, "did you mean state?"),
    Wrong("[[knob]]\npins = [5, 6]\nturn = \"volum\"", 8, "did you mean volume?"),
    Wrong("[volume]\nmaximum = 101", 6, "this is not TOML"),
    Wrong(
      "[" + String(repeating: "a.", count: 60_000) + "a]", 6, "a line with more than 1000 dots"),
    Wrong("[volume.quiet]\nfrom = \"25:00\"\nto = \"7:00\"\nmaximum = 30", 7, "from is '25:00'"),
    Wrong("[volume.quiet]\nfrom = \"22:00\"", 6, "from, to and maximum together"),
    Wrong("[patterns]\nplaying = \"code .x\"", 7, "playing is 'code .x'", "\"breathe 4 s\""),
    // Pins.
    Wrong("[[button]]\npin = 4\npress = \"next\"", 7, "which the button in line 3 has"),
    Wrong("[[knob]]\npins = [5, 5]", 7, "which the knob in line 6 has"),
    Wrong("[[button]]\npin = 28\npress = \"next\"", 7, "pin is 28", "GPIO numbers from 0 to 27"),
    Wrong("[[button]]\npin = -1\npress = \"next\"", 7, "pin is -1", "GPIO numbers from 0 to 27"),
    Wrong("[[button]]\npin = \"GPIO17\"\npress = \"next\"", 7, "pin is 'GPIO17'", "0 to 27"),
    Wrong("[[button]]\npress = \"next\"", 6, "the button has no pin", "pin = 0 to 27"),
    Wrong("[[button]]\npin = 17", 6, "this button does nothing", "press, double"),
    Wrong("[[knob]]\npins = 5", 7, "pins is 5", "a pair of GPIO numbers"),
    Wrong("[[knob]]\npins = [5, 6, 7]", 7, "pins is a list", "a pair of GPIO numbers"),
    Wrong("[[knob]]\npins = [5, 6]\ndetent = 3", 8, "detent is 3", "1, 2 and 4"),
    Wrong("[[knob]]\npins = [5, 6]\npush-turn = \"tracks\"", 6, "no switch to push", "push = PIN"),
    Wrong("[[chord]]\npins = [4, 17]\npress = \"mute\"", 7, "pins is 17", "pins of buttons"),
    Wrong("[[light]]\nshows = \"state\"", 6, "a light has no place", "led ="),
    Wrong("[button]\npin = 17\npress = \"next\"", 6, "this is not TOML"),
    // What is not TOML at all.
    Wrong("[[button]\npin = 17\npress = \"next\"", 6, "not TOML", "[[button]]"),
    Wrong("[play\nautoplay = \"never\"", 6, "not TOML", "a heading such as [board]"),
    Wrong("[play]\nautoplay = never", 7, "not TOML", "words in \"quotes\""),
    Wrong("[play]\nautoplay = \"never", 7, "not TOML", "words in \"quotes\""),
    Wrong("[play]\nautoplay: \"never\"", 7, "not TOML", "KEY = VALUE"),
    Wrong("[sound]\ncards = [\"usb\", \"hat\"", 7, "not TOML", "lists in [brackets]"),
    Wrong("[play]\nautoplay = \"never\"\nautoplay = \"always\"", 8, "not TOML", "KEY = VALUE"),
    Wrong("[play]\n\0\nautoplay = \"never\"", 7, "not TOML", "KEY = VALUE"),
  ]

  @Test(arguments: wrong) func `a wrong entry is told, and the rest takes effect`(wrong: Wrong) {
    var configuration = Configuration()
    let text = Self.right + wrong.text + "\n"
    let faults = configuration.read(Array(text.utf8), named: "jukebox.toml")
    #expect(faults.count == 1, "\(faults)")
    #expect(faults.first?.place.line == wrong.line)
    let message = faults.first.map { "\($0)" } ?? ""
    #expect(message.hasPrefix("jukebox.toml:\(wrong.line):"))
    for words in wrong.words { #expect(message.contains(words)) }
    #expect(message.contains("allowed") || message.contains("did you mean"))
    #expect(configuration.brains.volume.start == 33)
    #expect(configuration.brains.controls.buttons.first == SwitchSettings(Line(4)))
    #expect(configuration.brains.controls.bindings.first == Binding(.press(Line(4)), .stop))
  }

  @Test func `there are more than 40 of them`() {
    #expect(Set(Self.wrong.map(\.text)).count >= 40)
  }

  private func read(_ bytes: [UInt8]) -> (Configuration, [SettingsFault]) {
    var configuration = Configuration()
    let faults = configuration.read(bytes, named: "x")
    return (configuration, faults)
  }

  @Test func `tabs, a byte order mark, Windows' line ends and an empty file are nothing wrong`() {
    let text = "[play]\r\n\tautoplay\t=\t\"never\"\r\n\r\n[volume]\r\n  start = 5\r\n"
    let (configuration, faults) = read([0xEF, 0xBB, 0xBF] + Array(text.utf8))
    #expect(faults == [])
    #expect(configuration.brains.autoplay == .never)
    #expect(configuration.brains.volume.start == 5)
    #expect(read([]).1 == [])
    #expect(read([]).0 == Configuration())
    #expect(read(Array("\n\n# nothing\n".utf8)).1 == [])
  }

  @Test func `Latin-1 is told with its line, which alone is left out`() {
    let latin = Array("# Lautst".utf8) + [0xE4] + Array("rke\n[volume]\nstart = 5\n".utf8)
    let (configuration, faults) = read(latin)
    #expect(faults.map { "\($0)" } == ["x:1:9: \(faults.first?.sentence ?? "")"])
    #expect(faults.first?.sentence.contains("saved as UTF-8") == true)
    #expect(configuration.brains.volume.start == 5)
  }

  @Test func `UTF-16 and ten megabytes of junk are refused in few words`() {
    let wide = Array("[volume]\nstart = 5\n".utf8).flatMap { [$0, 0] as [UInt8] }
    #expect((1...25).contains(read([0xFF, 0xFE] + wide).1.count))
    var random = Random(seed: 1)
    let piece = (0..<1024).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let junk = (0..<(10 << 10)).flatMap { _ in piece }
    let (configuration, faults) = read(junk)
    #expect(faults.count == 1)
    #expect(faults.first?.sentence.contains("longer than 256 KB") == true)
    #expect(configuration == Configuration())
  }

  @Test func `several wrong lines are told at once, in their order`() {
    let (configuration, faults) = read(
      Array(
        """
        [play]
        autoplay = never
        on-plug = "strat"
        shuffle = "songs"
        [[button]
        pin = 4
        press = "next"
        [[button]]
        pin = 17
        press = "next"
        """.utf8))
    #expect(faults.map(\.place.line) == [2, 3, 5])
    #expect(configuration.shuffle == .songs)
    #expect(configuration.brains.controls.buttons == [SwitchSettings(Line(17))])
  }

  @Test func `damage of every kind crashes nothing`() {
    var random = Random(seed: 7)
    let whole = Array((Self.right + Self.wrong.map(\.text).joined(separator: "\n")).utf8)
    for _ in 0..<100 {
      var bytes = whole
      for _ in 0...random.below(20) {
        let place = random.below(bytes.count)
        switch random.below(3) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + random.below(30)))
        default: bytes.insert(contentsOf: Array("[\"=\n{".utf8).shuffled(using: &random), at: place)
        }
      }
      let (_, faults) = read(bytes)
      #expect(faults.allSatisfy { $0.place.line >= 1 && !$0.sentence.isEmpty })
    }
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    #expect(!read(Array("a = ".utf8) + deep).1.isEmpty)
  }
}
