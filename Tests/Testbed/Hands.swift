import CFakeGPIO
import CUmockdev
import Devices
import Glibc
import Jukebox

/// The made-up machine's GPIO chip, and the real `GPIO` on it.
struct Hands: ~Copyable {
  private var lines: GPIO?
  private var listening: Listening?
  private var keys: Keys?
  /// The pipe that stands for an input device, and its end that events go in by.
  private let pipe: String
  private var input: Int32 = -1

  init(_ folder: String) {
    pipe = folder + "/event0"
  }

  /// Whether the words were a command of this.
  mutating func handle(
    _ words: [Substring], _ testbed: UnsafeMutablePointer<UMockdevTestbed>
  ) throws -> Bool {
    let numbers = words.dropFirst().map { Int64($0) ?? 0 }
    switch words.first {
    case "chip": chip(String(words[1]), testbed)
    case "hold": fakegpio_hold(UInt32(numbers[0]), String(words[2]))
    case "lines": try begin(words)
    case "no-lines": lines = nil
    case "level": fakegpio_set(UInt32(numbers[0]), numbers[1] == 1, UInt64(numbers[2]))
    case "levels":
      for word in words.dropFirst() {
        let edge = word.split(separator: " ").map { Int64($0) ?? 0 }
        fakegpio_set(UInt32(edge[0]), edge[1] == 1, UInt64(edge[2]))
      }
    case "forget": fakegpio_forget()
    case "burst":
      // Line, how many edges, the first one's time, the time between.
      for index in 0..<numbers[1] {
        let line = UInt32(numbers[0])
        fakegpio_set(line, !fakegpio_get(line), UInt64(numbers[2] + index * numbers[3]))
      }
    case "learn":
      lines = nil
      listening = try Listening(
        for: words[1] == "knob" ? .knob : .button, chip: nil,
        at: Instant(nanoseconds: numbers[1]))
      print("listening", listening?.lines.count ?? 0, separator: "\t")
    case "until":
      guard let finding = listening?.next(at: Instant(nanoseconds: numbers[0])) else { break }
      print("found", finding, separator: "\t")
    case "drive": lines?.set(Line(UInt16(numbers[0])), isHigh: numbers[1] == 1)
    case "look":
      print(
        "is", fakegpio_get(UInt32(numbers[0])) ? "high" : "low",
        fakegpio_is_pulled_up(UInt32(numbers[0])) ? "pulled up" : "", separator: "\t")
    case "keys":
      for name in words.dropFirst(2) { fakekeys_have(MediaKey.code(String(name)) ?? 0) }
      mkfifo(pipe, 0o600)
      keys = try Keys(["KEY_F1": .clear], grab: words[1] == "grab")
      print("has keys", try keys?.add(pipe) ?? false, fakekeys_is_grabbed(), separator: "\t")
      input = open(pipe, O_WRONLY | O_NONBLOCK)
    case "keyboard":
      input = open(keyboard(String(words[1]), testbed), O_RDWR | O_CLOEXEC)
    case "key":
      fakekeys_write(input, MediaKey.code(String(words[1])) ?? 0, Int32(numbers[1]), numbers[2])
    case "drop": fakekeys_drop(input, MediaKey.code(String(words[1])) ?? 0, numbers[1] == 1)
    case "unplug": keys?.remove(pipe)
    case "hang-up":
      close(input)
      unlink(pipe)
    case "missed": print("missed", lines?.missedEdges ?? -1, separator: "\t")
    default: return false
    }
    return true
  }

  /// Prints the events.
  mutating func drain() {
    while let key = keys?.next() { print("key", key.command, key.at.nanoseconds, separator: "\t") }
    while let event = lines?.next() {
      switch event {
      case .edge(let line, let isHigh, let time):
        print("edge", line.number, isHigh ? 1 : 0, time.nanoseconds, separator: "\t")
      case .level(let line, let isHigh, _):
        print("level", line.number, isHigh ? 1 : 0, separator: "\t")
      }
    }
  }

  private func chip(_ label: String, _ testbed: UnsafeMutablePointer<UMockdevTestbed>) {
    fakegpio_label(label)
    let description = """
      P: /devices/gpiochip0
      N: gpiochip0
      E: DEVNAME=/dev/gpiochip0
      E: SUBSYSTEM=gpio
      A: dev=254:0\\n

      """
    umockdev_testbed_add_from_string(testbed, description, nil)
  }

  /// Where a pipe stands for a device with keys, before udev tells of it.
  private func keyboard(
    _ name: String, _ testbed: UnsafeMutablePointer<UMockdevTestbed>
  ) -> String {
    guard let root = umockdev_testbed_get_root_dir(testbed) else { return "" }
    defer { g_free(root) }
    let devices = String(cString: root) + "/dev"
    for folder in ["", "/input"] { mkdir(devices + folder, 0o755) }
    let path = devices + "/input/" + name
    mkfifo(path, 0o600)
    return path
  }

  private mutating func begin(_ words: [Substring]) throws {
    let label = words[1] == "-" ? nil : String(words[1])
    let inputs = words[2].split(separator: ",").compactMap { UInt16($0) }.map {
      GPIO.Input(Line($0))
    }
    let outputs = words[3].split(separator: ",").compactMap { UInt16($0) }.map { Line($0) }
    let lines = try GPIO(chip: label, inputs: inputs, outputs: outputs)
    for trouble in lines.troubles { print("trouble", trouble, separator: "\t") }
    self.lines = consume lines
  }
}
