import Testing

/// The real libgpiod on a made-up chip; see Tests/Support/fakegpio.
struct GPIOTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
    try machine("chip", "pinctrl-bcm2711")
  }

  @Test func `levels come first, then each edge at the kernel's time`() throws {
    try machine("level", "27", "1", "5")
    #expect(try machine("lines", "pinctrl-bcm2711", "17,27", "") == ["level 17 0", "level 27 1"])
    #expect(try machine("level", "17", "1", "123456789012345") == ["edge 17 1 123456789012345"])
    #expect(try machine("level", "27", "0", "123456789012399") == ["edge 27 0 123456789012399"])
    #expect(try machine("look", "17") == ["is high pulled up"])
  }

  @Test func `a thousand pulses come whole and in order`() throws {
    try machine("lines", "-", "17", "")
    for pulse in 0..<1000 {
      let (down, up) = (pulse * 40_000_000 + 1, pulse * 40_000_000 + 20_000_001)
      #expect(try machine("level", "17", "1", "\(down)") == ["edge 17 1 \(down)"])
      #expect(try machine("level", "17", "0", "\(up)") == ["edge 17 0 \(up)"])
    }
    #expect(try machine("missed") == ["missed 0"])
  }

  @Test(arguments: [999, 1000]) func `a burst is noticed, counted, and ends in the true level`(
    edges: Int
  ) throws {
    try machine("lines", "-", "17", "")
    let lines = try machine("burst", "17", "\(edges)", "1000", "10")
    let isHigh = edges % 2
    #expect(lines.last == "level 17 \(isHigh)")
    let times = lines.dropLast().compactMap { Int($0.split(separator: " ").last ?? "") }
    #expect(times == times.sorted())
    #expect(times.count == lines.count - 1 && times.count >= 16)
    let missed = try machine("missed").first.flatMap { Int($0.dropFirst(7)) } ?? 0
    #expect((1...(edges - times.count)).contains(missed))
    // And all is well again.
    #expect(try machine("level", "17", "\(1 - isHigh)", "99999") == ["edge 17 \(1 - isHigh) 99999"])
  }

  @Test func `two lines of a knob are told in the order they changed`() throws {
    try machine("lines", "-", "6,5", "")
    // Kept back by the machine until all have happened.
    let lines = try machine(
      "levels", "5 1 100", "6 1 200", "5 0 300", "6 0 400", "6 1 500", "5 1 600")
    #expect(
      lines == [
        "edge 5 1 100", "edge 6 1 200", "edge 5 0 300", "edge 6 0 400", "edge 6 1 500",
        "edge 5 1 600",
      ])
  }

  @Test func `a line that is held is named with its holder and the remedy, the rest works`() throws
  {
    try machine("hold", "8", "spi0 CS0")
    try machine("hold", "9", "")
    let lines = try machine("lines", "-", "8,9,17,99", "")
    #expect(
      lines == [
        "trouble GPIO 8 of pinctrl-bcm2711 is held by 'spi0 CS0': switch SPI off with "
          + "dtparam=spi=off in config.txt, or use another pin",
        "trouble GPIO 9 of pinctrl-bcm2711 is held by the kernel or a program that gave no name: "
          + "stop what holds it (gpioinfo shows it too), or use another pin",
        "trouble GPIO 99 of pinctrl-bcm2711 does not exist: allowed are 0 to 53",
        "level 17 0",
      ])
    #expect(try machine("level", "17", "1", "7") == ["edge 17 1 7"])
  }

  @Test func `a chip that is not there is named with those that are`() throws {
    #expect(
      try machine("lines", "pinctrl-rp1", "17", "") == [
        "trouble no GPIO chip 'pinctrl-rp1': there are 'pinctrl-bcm2711'; "
          + "set chip in [board] to one of them"
      ])
  }

  @Test func `a button is learned among all free lines of the header`() throws {
    try machine("hold", "2", "i2c")
    try machine("level", "27", "1", "1")
    #expect(try machine("learn", "button", "0") == ["listening 27"])
    for milliseconds in stride(from: 3000, to: 4500, by: 500) {
      #expect(try machine("level", "27", "0", "\(milliseconds)000000") == [])
      #expect(try machine("level", "27", "1", "\(milliseconds + 150)000000") == [])
      #expect(try machine("until", "\(milliseconds + 200)000000") == [])
    }
    let lines = try machine("until", "6000000000")
    #expect(lines.count == 1 && lines.first?.contains("number: 27), isActiveLow: true") == true)
  }

  @Test func `an output follows, and all lines are let go of at the end`() throws {
    let before = try machine("cost").first?.split(separator: " ")[1]
    try machine("lines", "-", "17", "22")
    #expect(try machine("look", "22") == ["is low"])
    try machine("drive", "22", "1")
    #expect(try machine("look", "22") == ["is high"])
    try machine("drive", "22", "0")
    #expect(try machine("look", "22") == ["is low"])
    try machine("no-lines")
    // Asked for anew, they are free; the first ones' descriptors are closed.
    #expect(try machine("lines", "-", "17,22", "") == ["level 17 0", "level 22 0"])
    try machine("no-lines")
    try machine("hold", "17", "me")
    #expect(try machine("lines", "-", "17", "").count == 1)
    try machine("no-lines")
    try machine("forget")
    #expect(try machine("cost").first?.split(separator: " ")[1] == before)
  }
}
