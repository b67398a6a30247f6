internal import Glibc
public import Jukebox

/// A line or a chip that can't be had, and what to do about it.
public struct LineTrouble: Error, Equatable, Sendable, CustomStringConvertible {
  /// Nil where it is the whole chip.
  public var line: Line?
  public var description: String
}

extension LineTrouble {
  /// Asks the chip who holds the line.
  init(_ line: Line, of chip: Chip, _ error: DeviceError) {
    let info = chip.info(of: line)
    let sentence = Self.sentence(
      error.code, chip: chip.label, count: chip.count, holder: info?.holder, line: line)
    self.init(line: line, description: sentence)
  }

  static func sentence(
    _ code: Int32, chip: String, count: Int, holder: String?, line: Line
  ) -> String {
    let name = "GPIO \(line.number) of \(chip)"
    if line.number >= count {
      return "\(name) does not exist: allowed are 0 to \(count - 1)"
    }
    if let holder {
      let who = holder.isEmpty ? "the kernel or a program that gave no name" : "'\(holder)'"
      return "\(name) is held by \(who): \(remedy(for: holder)), or use another pin"
    }
    return "\(name) can't be had: \(DeviceError(call: "request", code: code))"
  }

  /// The Raspberry Pi's own drivers are named; see its overlays/README.
  private static func remedy(for holder: String) -> String {
    let holder = holder.lowercased()
    let drivers = [
      ("spi", "switch SPI off with dtparam=spi=off in config.txt"),
      ("i2c", "switch I2C off with dtparam=i2c_arm=off in config.txt"),
      ("i2s", "switch I2S off with dtparam=i2s=off in config.txt"),
      ("ir-receiver", "take dtoverlay=gpio-ir out of config.txt"),
      ("w1", "take dtoverlay=w1-gpio out of config.txt"),
      ("uart", "take enable_uart=1 out of config.txt"),
      ("jukebox", "stop the jukebox that runs already: systemctl stop jukebox"),
    ]
    return drivers.first { holder.contains($0.0) }?.1
      ?? "stop what holds it (gpioinfo shows it too)"
  }
}

extension Chip {
  /// The chip with the label; nil for the first of the known boards.
  static func find(_ label: String?) -> Result<Chip, LineTrouble> {
    var chips: [Chip] = []
    var refused: [String] = []
    for path in paths {
      do {
        chips.append(try Chip(path))
      } catch {
        if error.code == EACCES || error.code == EPERM { refused.append(path) }
      }
    }
    let wanted = label.map { [$0] } ?? usualLabels
    for name in wanted {
      if let chip = chips.first(where: { $0.label == name }) { return .success(chip) }
    }
    return .failure(
      LineTrouble(
        line: nil,
        description: absence(
          of: label, found: chips.map(\.label), refused: refused)))
  }

  static func absence(of label: String?, found: [String], refused: [String]) -> String {
    let wanted = label.map { "GPIO chip '\($0)'" } ?? "GPIO chip of a known board"
    if !refused.isEmpty {
      return "no permission for \(refused.joined(separator: ", ")): add the user to group gpio"
        + " (sudo usermod -aG gpio USER), then log in again"
    }
    if found.isEmpty {
      return "no \(wanted): this machine has no GPIO at all; without it, the panel is of no use"
    }
    return "no \(wanted): there are \(found.map { "'\($0)'" }.joined(separator: ", "));"
      + " set chip in [board] to one of them"
  }
}
