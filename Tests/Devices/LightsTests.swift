import Glibc
import Jukebox
import Testing

@testable import Devices

struct LightsTests {
  private static let line = Line(22)

  /// The levels of the line, as "on 150" and so on, for so many changes.
  private func run(_ topics: Set<LightSettings.Topic>, _ changes: Int) -> [String] {
    var lights = Lights([LightSettings(.line(Self.line))])
    let start = Instant(nanoseconds: 5_000)
    var now = start
    var levels = lights.show(topics, at: now)
    var words: [String] = []
    for _ in 0..<changes {
      words += levels.map { "\($0.isHigh ? "on" : "off") \((now - start).milliseconds)" }
      guard let next = lights.deadline(after: now) else { break }
      now = next
      levels = lights.tick(at: now)
    }
    return words
  }

  @Test func `a code is flashed as Morse's is, again and again`() {
    // ITU-R M.1677-1: a dash is three dots, the space within a letter one, between words seven.
    #expect(
      run([.noCard], 8) == [
        "on 0", "off 150", "on 300", "off 450", "on 600", "off 1050", "on 2100", "off 2250",
      ])
  }

  @Test func `what is steady asks for no timer`() {
    #expect(run([.playing], 5) == ["on 0"])
    #expect(run([], 5) == ["off 0"])
  }

  @Test func `a line that can't breathe goes on and off`() {
    #expect(run([.paused], 3) == ["off 0", "on 2000", "off 4000"])
  }

  @Test func `the most urgent is shown, and each light can have a topic`() {
    var lights = Lights([
      LightSettings(.line(Line(1))), LightSettings(.line(Line(2)), shows: .scanning),
      LightSettings(.line(Line(3)), shows: .playing, isActiveLow: true),
    ])
    let now = Instant(nanoseconds: 0)
    let levels = lights.show([.playing, .error], at: now)
    #expect(levels.map(\.line.number) == [1, 2, 3])
    #expect(levels.map(\.isHigh) == [true, false, false])
    #expect(lights.deadline(after: now) == now + .milliseconds(150))
    #expect(lights.show([.playing, .error], at: now).isEmpty)
    #expect(lights.show([.playing], at: now).isEmpty)
    #expect(lights.deadline(after: now) == nil)
    #expect(lights.show([], at: now).map(\.line.number) == [1, 3])
  }

  @Test(arguments: [
    "on", "off", "dim", "breathe", "breathe 2 s", "code ...", "code .-/.",
  ]) func `words make patterns`(text: String) {
    #expect(LightPattern(text) != nil)
  }

  @Test(arguments: [
    "", "on 3", "blink", "breathe 1 ms", "breathe often", "code", "code x", "code /",
    "code .............",
  ]) func `other words make none`(text: String) {
    #expect(LightPattern(text) == nil)
  }

  @Test func `the kernel blinks and breathes where it can`() throws {
    let folder = try TemporaryFolder()
    for file in ["brightness", "trigger", "delay_on", "delay_off", "pattern"] {
      try folder.write("ACT/" + file, "")
    }
    try folder.write("ACT/max_brightness", "255\n")
    var lights = Lights(
      [LightSettings(.led("ACT")), LightSettings(.led("gone"))], leds: folder.path)
    #expect(lights.missing == ["gone"])
    let now = Instant(nanoseconds: 0)
    _ = lights.show([.playing], at: now)
    #expect(try folder.read("ACT/trigger") == "none")
    #expect(try folder.read("ACT/brightness") == "255")
    _ = lights.show([.scanning], at: now)
    #expect(try folder.read("ACT/trigger") == "timer")
    #expect(try folder.read("ACT/delay_on") == "150")
    #expect(try folder.read("ACT/delay_off") == "1050")
    _ = lights.show([.paused], at: now)
    #expect(try folder.read("ACT/trigger") == "pattern")
    #expect(try folder.read("ACT/pattern") == "0 2000 255 2000")
    _ = lights.show([.recording], at: now)
    #expect(
      try folder.read("ACT/pattern")
        == "255 150 255 0 0 150 0 0 255 450 255 0 0 1050 0 0")
    #expect(lights.deadline(after: now) == nil)
  }

  @Test func `where the kernel has no triggers, it is set step by step`() throws {
    let folder = try TemporaryFolder()
    try folder.write("ACT/brightness", "")
    try folder.write("ACT/max_brightness", "1")
    var lights = Lights([LightSettings(.led("ACT"))], leds: folder.path)
    let now = Instant(nanoseconds: 0)
    #expect(lights.show([.scanning], at: now).isEmpty)
    #expect(try folder.read("ACT/brightness") == "1")
    let next = try #require(lights.deadline(after: now))
    _ = lights.tick(at: next)
    #expect(try folder.read("ACT/brightness") == "0")
  }
}
