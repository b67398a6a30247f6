import Jukebox
import Testing

@testable import Devices

struct PowerSuppliesTests {
  private var supplies = PowerSupplies()

  private func mains(_ isFed: Bool) -> PowerSupplies.Supply {
    PowerSupplies.Supply(isBattery: false, isFed: isFed, charge: 100)
  }

  private func battery(_ charge: Int, charging: Bool = false) -> PowerSupplies.Supply {
    PowerSupplies.Supply(isBattery: true, isFed: charging, charge: charge)
  }

  @Test mutating func `a board with nothing but mains has nothing to tell`() {
    #expect(supplies.handle(mains(true), of: "usb") == [])
    #expect(supplies.handle(mains(false), of: "usb") == [])
    #expect(supplies.handle(nil, of: "usb") == [])
  }

  @Test mutating func `the mains go and come back`() {
    _ = supplies.handle(mains(true), of: "ac")
    _ = supplies.handle(battery(80), of: "battery")
    #expect(supplies.handle(mains(false), of: "ac") == [.onBattery])
    #expect(supplies.handle(battery(79), of: "battery") == [])
    #expect(supplies.handle(mains(true), of: "ac") == [.onMains])
  }

  @Test mutating func `a battery alone tells by its charging`() {
    #expect(supplies.handle(battery(50), of: "hat") == [.onBattery])
    #expect(supplies.handle(battery(50, charging: true), of: "hat") == [.onMains])
  }

  @Test mutating func `nearly empty is told once, and anew after the mains were there`() {
    _ = supplies.handle(mains(false), of: "ac")
    #expect(supplies.handle(battery(6), of: "battery") == [.onBattery])
    #expect(supplies.handle(battery(5), of: "battery") == [.lowBattery])
    #expect(supplies.handle(battery(4), of: "battery") == [])
    #expect(supplies.handle(mains(true), of: "ac") == [.onMains])
    #expect(supplies.handle(mains(false), of: "ac") == [.onBattery, .lowBattery])
  }

  @Test mutating func `of two batteries the fuller one counts`() {
    _ = supplies.handle(battery(90), of: "one")
    #expect(supplies.handle(battery(2), of: "two") == [])
    #expect(supplies.handle(nil, of: "one") == [.lowBattery])
  }

  @Test mutating func `the guard's alarm begins and ends`() {
    #expect(supplies.handle(underVoltage: false) == [])
    #expect(supplies.handle(underVoltage: true) == [.undervoltage])
    #expect(supplies.handle(underVoltage: true) == [])
    #expect(supplies.handle(underVoltage: false) == [.recovered])
  }
}
