internal import Jukebox

/// What the batteries, the mains and the board's own guard of its supply tell together.
struct PowerSupplies {
  struct Supply: Equatable {
    var isBattery: Bool
    /// Whether the mains are there, or the battery is charged by something.
    var isFed: Bool
    /// In percent; 100 where it is not known.
    var charge: Int
  }

  /// At this charge, in percent, the battery is nearly empty.
  static let low = 5

  private var supplies: [String: Supply] = [:]
  private var isOnBattery = false
  private var isLow = false
  private var isUnderVoltage = false

  var devices: [String] { Array(supplies.keys) }

  /// Takes what a supply says, nil when it is gone, and tells what is new.
  mutating func handle(_ supply: Supply?, of device: String) -> [PowerEvent] {
    supplies[device] = supply
    let batteries = supplies.values.filter(\.isBattery)
    let mains = supplies.values.filter { !$0.isBattery }
    let wasOnBattery = isOnBattery
    let wasLow = isLow
    isOnBattery =
      !batteries.isEmpty
      && (mains.isEmpty
        ? !batteries.contains(where: \.isFed) : !mains.contains(where: \.isFed))
    isLow = isOnBattery && !batteries.contains { $0.charge > Self.low }
    return (isOnBattery == wasOnBattery ? [] : [isOnBattery ? .onBattery : .onMains])
      + (isLow && !wasLow ? [.lowBattery] : [])
  }

  /// Takes the level of the guard's alarm.
  mutating func handle(underVoltage: Bool) -> [PowerEvent] {
    guard underVoltage != isUnderVoltage else { return [] }
    isUnderVoltage = underVoltage
    return [underVoltage ? .undervoltage : .recovered]
  }
}

extension PowerSupplies.Supply {
  /// From a folder of /sys/class/power_supply, as the kernel's sysfs-class-power describes it; nil
  /// for the battery of a mouse or the like, which does not feed the board.
  init?(_ device: borrowing UdevDevice) {
    guard let type = device.attribute("type"), device.attribute("scope") != "Device" else {
      return nil
    }
    guard type == "Battery" || type == "UPS" else {
      self.init(isBattery: false, isFed: device.attribute("online") != "0", charge: 100)
      return
    }
    guard device.attribute("present") != "0" else { return nil }
    let charge =
      device.attribute("capacity").flatMap { Int($0) }
      ?? (device.attribute("capacity_level") == "Critical" ? 0 : 100)
    self.init(
      isBattery: true, isFed: device.attribute("status") != "Discharging", charge: charge)
  }
}
