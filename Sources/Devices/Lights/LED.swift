internal import Glibc
internal import Jukebox

/// A light of /sys/class/leds; the kernel's own triggers blink it, without a wake-up of ours.
struct LED {
  let name: String
  private let folder: String
  private let maximum: Int

  /// Nil where there is none of the name.
  init?(_ name: String, in folder: String) {
    self.name = name
    self.folder = "\(folder)/\(name)/"
    guard let text = try? Configuration.contents(of: self.folder + "max_brightness"),
      let maximum = Int(String(decoding: text.filter { $0 > 0x20 }, as: UTF8.self)), maximum > 0
    else { return nil }
    self.maximum = maximum
  }

  /// Whether the kernel does it all; else the light must be set step by step.
  func show(_ pattern: LightPattern, isActiveLow: Bool) -> Bool {
    let steps = pattern.steps.map { step in
      var step = step
      if isActiveLow { step.level = 100 - step.level }
      return step
    }
    if steps.count == 1 {
      return write("none", to: "trigger") && set(level: steps[0].level)
    }
    if steps.count == 2, steps.allSatisfy({ !$0.glides }), write("timer", to: "trigger") {
      let on = steps.first { $0.level == 100 }?.length ?? .zero
      let off = steps.first { $0.level == 0 }?.length ?? .zero
      return write("\(on.milliseconds)", to: "delay_on")
        && write("\(off.milliseconds)", to: "delay_off")
    }
    // The trigger glides from each level to the next; the same level twice, the second time for
    // nothing, is a jump. See the kernel's sysfs-class-led-trigger-pattern.
    guard write("pattern", to: "trigger") else { return false }
    let pairs = steps.map { step in
      let level = brightness(step.level)
      return "\(level) \(step.length.milliseconds)" + (step.glides ? "" : " \(level) 0")
    }
    return write(pairs.joined(separator: " "), to: "pattern")
  }

  func set(isOn: Bool) {
    _ = set(level: isOn ? 100 : 0)
  }

  private func set(level: Int) -> Bool { write("\(brightness(level))", to: "brightness") }

  private func brightness(_ level: Int) -> Int {
    level == 0 ? 0 : max(1, maximum * level / 100)
  }

  private func write(_ text: String, to file: String) -> Bool {
    let descriptor = unsafe open(folder + file, O_WRONLY | O_CLOEXEC | O_TRUNC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return unsafe Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
  }
}
