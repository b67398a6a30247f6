import Library
import Testing

@testable import Appliance

struct StatusLineTests {
  private let line = StatusLine(
    state: .playing, title: "03 A Long Title Indeed - Somebody", position: .seconds(62),
    length: .seconds(192), volume: -6)

  @Test(arguments: [
    (80, "playing 03 A Long Title Indeed - Somebody 1:02 / 3:12  -6 dB"),
    (50, "playing 03 A Long Title Indeed… 1:02 / 3:12  -6 dB"),
    (38, "playing 03 A Long Title I… 1:02 / 3:12"),
    (26, "playing 03 A Long Ti… 1:02"),
    (20, "playing 03 A Long T…"),
    (6, "playi…"),
    (0, ""),
  ])
  func `the line fits, and what matters least goes first`(_ columns: Int, _ text: String) {
    #expect(line.text(columns: columns) == text)
  }

  @Test func `no title, however strange, makes the line wider than the screen`() {
    var random = SystemRandomNumberGenerator()
    let pieces = [
      "a", " ", "日本", "e\u{301}", "👨‍👩‍👧", "🇩🇪", "\u{202E}", "\t", "\u{1B}[31m", "한", "ｱ", "☎️", "\u{AD}",
    ]
    for _ in 0..<300 {
      var line = line
      line.title = (0..<20).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      for columns in 0..<70 {
        let text = line.text(columns: columns)
        #expect(displayWidth(text) <= columns)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
      }
    }
  }

  /// The columns that xterm gives them (Unicode Standard Annex 11, and emoji as wide).
  @Test(arguments: [
    ("abc", 3), ("日本語", 6), ("한글", 4), ("ｱｲｳ", 3), ("ＡＢ", 4), ("e\u{301}", 1), ("é", 1),
    ("🎵", 2), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("☎️", 2), ("☎", 1), ("नि", 1), ("…", 1), ("", 0),
  ])
  func `columns of characters`(_ text: String, _ columns: Int) {
    #expect(displayWidth(text) == columns)
  }

  @Test func `what a terminal would obey never reaches it`() {
    #expect(
      printable("a\u{1B}[2J\u{7}\nb\u{9B}c\u{202E}d\u{2028}e\u{200D}f") == "a [2J  b cd e\u{200D}f")
  }

  @Test(arguments: [
    (0, "0:00"), (59, "0:59"), (60, "1:00"), (3599, "59:59"), (3600, "1:00:00"),
    (36_610, "10:10:10"), (-5, "0:00"),
  ])
  func `a time as on a clock`(_ seconds: Int, _ text: String) {
    #expect(clock(.seconds(seconds)) == text)
    #expect(clock(.seconds(seconds) + .milliseconds(seconds < 0 ? 0 : 999)) == text)
  }

  @Test(arguments: [
    (0.0, "0 dB"), (-6, "-6 dB"), (-1.5, "-1.5 dB"), (-0.04, "0 dB"), (-59.96, "-60 dB"),
  ])
  func `decibels to a tenth`(_ value: Double, _ text: String) {
    #expect(decibels(value) == text)
  }

  @Test func `an entry is called by number, title and artist`() {
    let tags = Tags(title: "Song", artist: "Singer", track: 3)
    #expect(Entry(path: Path("/x/y.mp3"), tags: tags).label == "03 Song - Singer")
    #expect(Entry(path: Path("/x/y.mp3"), tags: Tags()).label == "y.mp3")
  }
}
