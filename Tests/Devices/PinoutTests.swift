import Testing

@testable import Devices

struct PinoutTests {
  private let pinout: Pinout

  init() {
    var configuration = Configuration()
    let text = """
      [[button]]
      pin = 17
      press = "play-pause"
      hold = "power-off"
      [[knob]]
      pins = [5, 6]
      turn = "volume"
      [[light]]
      pin = 21
      """
    #expect(configuration.read(Array(text.utf8), named: "x") == [])
    pinout = Pinout(configuration)
  }

  @Test func `the header is drawn as it lies, with what is wired where`() {
    let lines = pinout.text.split(separator: "\n").map(String.init)
    #expect(lines.count == 20)
    #expect(lines[0].hasSuffix("3.3 V   1 o o 2   5 V"))
    #expect(
      lines[5] == "button, press: play-pause, hold: power-off  GPIO 17  11 o o 12  GPIO 18")
    #expect(lines[14].hasSuffix("knob A for volume   GPIO 5  29 o o 30  ground"))
    #expect(lines[19].hasSuffix("ground  39 o o 40  GPIO 21  light for state"))
  }

  /// The corners and the odd ones of the published header: raspberrypi.com, "GPIO and the 40-pin header".
  @Test(arguments: [
    (3, 2), (5, 3), (7, 4), (8, 14), (10, 15), (11, 17), (12, 18), (13, 27), (15, 22), (16, 23),
    (18, 24), (19, 10), (21, 9), (22, 25), (23, 11), (24, 8), (26, 7), (27, 0), (28, 1), (29, 5),
    (31, 6), (32, 12), (33, 13), (35, 19), (36, 16), (37, 26), (38, 20), (40, 21),
  ]) func `each pin has its number`(pin: Int, gpio: Int) {
    #expect(pinout.pins[pin - 1].gpio == gpio)
  }

  @Test func `the picture has 40 pins and the same words`() {
    let svg = pinout.svg
    #expect(svg.split(separator: "<circle").count == 41)
    #expect(svg.contains("button, press: play-pause, hold: power-off  GPIO 17"))
    #expect(svg.hasPrefix("<svg xmlns=") && svg.hasSuffix("</svg>\n"))
  }
}
