import Testing

/// The real libevdev on an input device that is made up; see Tests/Support/fakegpio.
struct KeysTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  @Test func `keys mean what they usually do, or what the settings say, at the kernel's time`()
    throws
  {
    #expect(
      try machine("keys", "share", "KEY_PLAYPAUSE", "KEY_F1", "KEY_A") == ["has keys true false"])
    #expect(
      try machine("key", "KEY_PLAYPAUSE", "1", "5000001000") == ["key togglePlayPause 5000001000"])
    #expect(try machine("key", "KEY_PLAYPAUSE", "0", "5000002000") == [])
    #expect(try machine("key", "KEY_F1", "1", "6000000000") == ["key clear 6000000000"])
    #expect(try machine("key", "KEY_A", "1", "7000000000") == [])
    try machine("hang-up")
  }

  @Test func `held, volume goes on, a toggle does not, and seeking ends with the key`() throws {
    try machine("keys", "share", "KEY_VOLUMEUP", "KEY_MUTE", "KEY_FASTFORWARD")
    #expect(try machine("key", "KEY_VOLUMEUP", "1", "1000") == ["key stepVolume(2) 1000"])
    #expect(try machine("key", "KEY_VOLUMEUP", "2", "2000") == ["key stepVolume(2) 2000"])
    #expect(try machine("key", "KEY_MUTE", "1", "3000") == ["key toggleMute 3000"])
    #expect(try machine("key", "KEY_MUTE", "2", "4000") == [])
    #expect(try machine("key", "KEY_FASTFORWARD", "1", "5000") == ["key beginSeekingForward 5000"])
    #expect(try machine("key", "KEY_FASTFORWARD", "0", "6000") == ["key endSeeking 6000"])
    try machine("hang-up")
  }

  @Test func `a device pulled out ends the seeking it began`() throws {
    try machine("keys", "share", "KEY_REWIND")
    try machine("key", "KEY_REWIND", "1", "5000")
    #expect(try machine("unplug") == ["key endSeeking 5000"])
    #expect(try machine("key", "KEY_REWIND", "0", "6000") == [])
    try machine("hang-up")
  }

  @Test func `a release that was dropped is made up for`() throws {
    try machine("keys", "share", "KEY_FASTFORWARD")
    try machine("key", "KEY_FASTFORWARD", "1", "5000")
    let lines = try machine("drop", "KEY_FASTFORWARD", "0")
    #expect(lines.count == 1 && lines.first?.hasPrefix("key endSeeking") == true)
    try machine("hang-up")
  }

  @Test func `a device without any such key is let alone, one with them is grabbed if asked`()
    throws
  {
    #expect(try machine("keys", "grab", "KEY_A") == ["has keys false false"])
    try machine("hang-up")
    let other = try Machine()
    #expect(try other("keys", "grab", "KEY_NEXTSONG") == ["has keys true true"])
    try other("hang-up")
  }
}
