import Jukebox
import Testing

@testable import Devices

struct SettingsEditTests {
  private func edited(
    _ text: String, _ finding: Learning.Finding, _ actions: [(key: String, action: String)]
  ) -> String {
    var edit = SettingsEdit(text)
    edit.put(finding, doing: actions)
    var configuration = Configuration()
    #expect(configuration.read(Array(edit.text.utf8), named: "x") == [])
    return edit.text
  }

  private func button(_ pin: UInt16, isActiveLow: Bool = true) -> Learning.Finding {
    .button(SwitchSettings(Line(pin), isActiveLow: isActiveLow), bounce: .zero)
  }

  @Test func `an empty file gets its first entry`() {
    #expect(
      edited("", button(17, isActiveLow: false), [("press", "next"), ("hold", "stop")]) == """
        [[button]]
        pin = 17
        active = "high"
        press = "next"
        hold = "stop"

        """)
  }

  @Test func `a new entry goes to the end, all else stays`() {
    let text = """
      # My settings.
      [volume]   # not too loud
      maximum = 80

      [[light]]
      pin = 22


      """
    var knob = KnobSettings(a: Line(5), b: Line(6))
    knob.encoder.edgesPerDetent = 2
    knob.encoder.isInverted = true
    #expect(
      edited(text, .knob(knob), [("turn", "volume")]) == """
        # My settings.
        [volume]   # not too loud
        maximum = 80

        [[light]]
        pin = 22

        [[knob]]
        pins = [5, 6]
        detent = 2
        inverted = true
        turn = "volume"

        """)
  }

  @Test func `an entry for the same pin is changed where it stands, comments and all`() {
    let text = """
      [[button]]
      pin = 17 # the red one
      press = "stop"   # "#1"
      pull = "up"

      # The green one.
      [[button]]
      pin = 27
      press = "next"
      """
    #expect(
      edited(text, button(17, isActiveLow: false), [("press", "play"), ("hold", "power-off")])
        == """
        [[button]]
        pin = 17 # the red one
        press = "play"   # "#1"
        pull = "up"
        hold = "power-off"
        active = "high"

        # The green one.
        [[button]]
        pin = 27
        press = "next"
        """)
  }

  @Test func `what else had the pin is commented out`() {
    let text = """
      [[light]]
      pin = 17

      # Loud and soft.
      [[knob]]
      pins = [5, 6]
      turn = "volume"
      """
    #expect(
      edited(text, button(6), [("press", "mute")]) == """
        [[light]]
        pin = 17

        # Loud and soft.
        # [[knob]]
        # pins = [5, 6]
        # turn = "volume"

        [[button]]
        pin = 6
        press = "mute"

        """)
  }

  @Test func `the lines of Windows end as they did`() {
    let text = "[[button]]\r\npin = 17\r\npress = \"stop\"\r\n"
    let changed = edited(text, button(17), [("press", "play")])
    #expect(changed == "[[button]]\r\npin = 17\r\npress = \"play\"\r\n")
  }
}
