import Testing

/// The real libudev in a made-up machine; see Tests/Testbed.
@Suite struct HotPlugTests {
  private let machine: Machine
  private var folder: String { machine.folder }

  init() throws {
    machine = try Machine()
  }

  private func start() throws -> [String] {
    try machine("start").filter { $0 != "can mount" && $0 != "can't mount" }
  }

  @Test func `what is here before the start comes first, what comes later is not missed`() throws {
    try machine.plug("sda", minor: 0, sectors: 4096)
    try machine.plug(
      "sda1", in: "/sys/devices/sda", minor: 1, sectors: 2048, Machine.filesystem("7B46-39FA"))
    try machine("add", "sound", "card0", "-", "@id=Headphones", "SOUND_INITIALIZED=1")
    let events = try start()
    #expect(events.sorted() == ["card Headphones", "plugged /dev/sda1 7B46-39FA"])
    #expect(
      try machine.plug("sdb", minor: 16, sectors: 64, Machine.filesystem("0000-0002"))
        == ["plugged /dev/sdb 0000-0002"])
  }

  @Test func `a bare disk, an encrypted part and an empty slot are no media`() throws {
    _ = try start()
    #expect(try machine.plug("sda", minor: 0, sectors: 4096) == [])
    let crypto = ["ID_FS_USAGE=crypto", "ID_FS_TYPE=crypto_LUKS", "ID_FS_UUID_ENC=x"]
    #expect(
      try machine.plug("sda1", in: "/sys/devices/sda", minor: 1, sectors: 8, crypto) == [])
    #expect(try machine.plug("sdb", minor: 16, sectors: 0) == [])
  }

  @Test(.enabled(if: Machine.canMount))
  func `a card goes into the reader's empty slot, is changed for another, and out`() throws {
    _ = try start()
    let slot = "/sys/devices/sdb"
    try machine.plug("sdb", minor: 16, sectors: 0)
    // A card makes the disk change: its size, and what udev finds on it.
    try machine(["set", slot, "@size=4096"] + Machine.filesystem("AAAA-0001", label: "ONE"))
    #expect(try machine("tell", slot, "change") == ["plugged /dev/sdb AAAA-0001"])
    #expect(
      try machine("mount", "/dev/sdb", "AAAA-0001")
        == ["added AAAA-0001 2097152 ONE vfat \(folder)/AAAA-0001"])
    try machine(["set", slot, "@size=2048"] + Machine.filesystem("AAAA-0002", label: "TWO"))
    #expect(
      try machine("tell", slot, "change") == [
        "plugged /dev/sdb AAAA-0002", "removed AAAA-0001 \(folder)/AAAA-0001",
        "added AAAA-0002 1048576 TWO vfat \(folder)/AAAA-0001",
      ])
    try machine("set", slot, "@size=0", "ID_FS_USAGE=", "ID_FS_TYPE=")
    #expect(
      try machine("tell", slot, "change") == ["removed AAAA-0002 \(folder)/AAAA-0001"])
    #expect(try machine("unmount", "AAAA-0001") == [])
  }

  @Test(.enabled(if: Machine.canMount))
  func `a label is what its owner wrote, and a name with spaces is found`() throws {
    _ = try start()
    try machine.plug(
      "sda", minor: 0, sectors: 2, Machine.filesystem("1", label: #"M\xc3\xbcsik\x20\x26\x20mehr"#))
    #expect(
      try machine("mount", "/dev/sda", "two words")
        == ["added 1 1024 Müsik & mehr vfat \(folder)/two words"])
  }

  @Test(.enabled(if: Machine.canMount))
  func `when the kernel has dropped news, what came and went meanwhile is told`() throws {
    _ = try start()
    try machine.plug("sda", minor: 0, sectors: 64, Machine.filesystem("OLD"))
    try machine("mount", "/dev/sda", "old")
    // The card's news are dropped, and the disk has gone unseen; a later look at the system tells both.
    try machine("remove", "/sys/devices/sda")
    #expect(
      try machine("lose", "add", "sound", "card1", "-", "@id=DAC", "SOUND_INITIALIZED=1").filter {
        !$0.hasPrefix("path")
      } == ["removed OLD \(folder)/old", "card DAC"])
    #expect(try machine("tell", "/sys/devices/card1", "change") == [])
  }

  @Test func `sound cards, keyboards and the supply come and go`() throws {
    _ = try start()
    // udev is through with a card when its rules have said so.
    try machine("add", "sound", "card1", "-", "@id=DAC")
    #expect(try machine("set", "/sys/devices/card1", "SOUND_INITIALIZED=1") == [])
    #expect(try machine("tell", "/sys/devices/card1", "change") == ["card DAC"])
    #expect(try machine("tell", "/sys/devices/card1", "change") == [])
    #expect(try machine("tell", "/sys/devices/card1", "remove") == ["card-gone DAC"])

    let keys = ["add", "input", "event7", "-", "DEVNAME=/dev/input/event7"]
    #expect(try machine(keys + ["ID_INPUT_KEY=1"]).last == "input /dev/input/event7")
    #expect(
      try machine("tell", "/sys/devices/event7", "remove") == ["input-gone /dev/input/event7"])
    #expect(
      try machine("add", "input", "event8", "-", "DEVNAME=/dev/input/event8", "ID_INPUT_MOUSE=1")
        .filter { !$0.hasPrefix("path") } == [])

    try machine("add", "power_supply", "ac", "-", "@type=Mains", "@online=1")
    try machine(
      "add", "power_supply", "battery", "-", "@type=Battery", "@status=Charging", "@capacity=50")
    try machine("set", "/sys/devices/ac", "@online=0")
    #expect(try machine("tell", "/sys/devices/ac", "change") == ["power onBattery"])
    try machine("set", "/sys/devices/battery", "@capacity=4")
    #expect(try machine("tell", "/sys/devices/battery", "change") == ["power lowBattery"])

    try machine("add", "hwmon", "hwmon0", "-", "@name=rpi_volt", "@in0_lcrit_alarm=0")
    try machine("set", "/sys/devices/hwmon0", "@in0_lcrit_alarm=1")
    #expect(try machine("tell", "/sys/devices/hwmon0", "change") == ["power undervoltage"])
  }
}
