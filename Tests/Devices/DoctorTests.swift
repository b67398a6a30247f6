import Testing

@testable import Devices

/// The doctor in a machine made of files.
struct DoctorTests {
  private let root: TemporaryFolder
  private var configuration = Configuration()

  init() throws {
    root = try TemporaryFolder()
    for folder in [
      "proc", "proc/self", "proc/asound", "proc/sys", "proc/sys/kernel", "proc/device-tree", "sys",
      "sys/class", "sys/class/thermal", "sys/class/thermal/thermal_zone0", "sys/class/hwmon",
      "sys/class/hwmon/hwmon0", "sys/class/hwmon/hwmon1", "var",
    ] { try root.make(folder) }
    try root.write("proc/sys/kernel/osrelease", "6.6.31+rpt-rpi-v8\n")
    try root.write("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0")
    try root.write(
      "proc/asound/cards",
      " 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones\n"
        + "                      bcm2835 Headphones\n"
        + " 1 [DAC            ]: USB-Audio - USB DAC\n                      A USB DAC\n")
    try root.write("sys/class/thermal/thermal_zone0/temp", "48312\n")
    try root.write("sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    try root.write("sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    try root.write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    try root.write(
      "proc/self/mountinfo",
      "26 1 179:2 / / rw,noatime - ext4 /dev/root rw\n"
        + "40 26 8:1 / /run/jukebox/media/7B46-39FA ro,nosuid - vfat /dev/sda1 ro\n")
  }

  private func finding(_ subject: String) -> [Doctor.Finding] {
    Doctor(configuration, root: root.path).findings().filter { $0.subject == subject }
  }

  private func words(_ subject: String) -> [String] {
    finding(subject).map { "\($0.verdict.rawValue): \($0.words)" }
  }

  @Test func `a fit machine is called so`() throws {
    #expect(words("kernel") == ["ok: 6.6.31+rpt-rpi-v8"])
    #expect(words("board") == ["ok: Raspberry Pi 4 Model B Rev 1.4"])
    #expect(words("sound") == ["ok: Headphones and DAC"])
    #expect(words("temperature") == ["ok: 48 °C"])
    #expect(words("supply") == ["ok: voltage is right"])
    let free = words("storage").first?.split(separator: " ").compactMap { Int($0) }.first
    #expect(try #require(free) > 0)
    #expect(words("media") == ["ok: /run/jukebox/media/7B46-39FA"])
  }

  @Test func `a USB card's formats and the storage's health are told`() throws {
    // As the kernel's sound/usb/proc.c and drivers/mmc/core/mmc.c write them.
    for folder in [
      "proc/asound/DAC", "sys/dev", "sys/dev/block", "sys/dev/block/179:2",
      "sys/dev/block/device", "sys/fs", "sys/fs/ext4", "sys/fs/ext4/mmcblk0p2",
    ] { try root.make(folder) }
    try root.write(
      "proc/asound/DAC/stream0",
      """
      USB DAC at usb-0000:01:00.0-1.2, high speed : USB Audio

      Playback:
        Status: Stop
        Interface 1
          Altset 1
          Format: S16_LE
          Channels: 2
          Rates: 44100, 48000, 96000
        Interface 1
          Altset 2
          Format: S24_3LE
          Channels: 2
          Rates: 44100, 48000, 96000

      Capture:
        Interface 2
          Altset 1
          Format: S8
          Rates: 8000

      """)
    #expect(
      words("sound") == ["ok: Headphones and DAC (S16_LE S24_3LE at 44100 48000 96000 Hz)"])
    try root.write("sys/dev/block/179:2/uevent", "MAJOR=179\nMINOR=2\nDEVNAME=mmcblk0p2\n")
    try root.write("sys/fs/ext4/mmcblk0p2/errors_count", "0\n")
    try root.write("sys/dev/block/device/life_time", "0x01 0x03\n")
    #expect(words("storage").dropFirst() == ["ok: 30 % of its writes are used"])
    try root.write("sys/fs/ext4/mmcblk0p2/errors_count", "4\n")
    try root.write("sys/dev/block/device/life_time", "0x0b 0x01\n")
    #expect(
      words("storage").dropFirst() == [
        "fault: 4 errors of mmcblk0p2's filesystem: back up /var/lib/jukebox, then repair it (fsck)"
          + " or take a new card", "warning: 100 % of its writes are used: take a new one soon",
      ])
  }

  @Test mutating func `what is wrong is told with the remedy`() throws {
    try root.write("sys/class/thermal/thermal_zone0/temp", "82500\n")
    try root.write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    try root.write("proc/self/mountinfo", "26 1 179:2 / / ro,noatime - ext4 /dev/root ro\n")
    configuration.cards = ["sndrpihifiberry"]
    #expect(
      words("temperature") == ["warning: 82 °C: the board slows down; give it a heat sink or air"])
    #expect(finding("supply").first?.verdict == .fault)
    #expect(
      words("sound") == [
        "fault: none of sndrpihifiberry: there are Headphones and DAC; set cards in [sound]"
      ])
    #expect(words("storage").contains { $0.hasPrefix("warning: the system is read-only") })
    try root.write("proc/asound/cards", "--- no soundcards ---\n")
    #expect(finding("sound").first?.verdict == .fault)
  }
}
