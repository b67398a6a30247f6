internal import Jukebox

/// What is plugged in, as far as events were told of it.
struct Plugs {
  /// Not yet fetched.
  var events: ArraySlice<HotPlug.Event> = []

  private var sticks: Sticks
  private var supplies = PowerSupplies()
  /// What was told of a sound card or a device with keys, by its folder in /sys.
  private var cards: [String: String] = [:]
  private var inputs: [String: String] = [:]

  init(below folders: [[UInt8]]) {
    sticks = Sticks(below: folders)
  }

  mutating func take(_ device: borrowing UdevDevice) {
    guard !device.isRemoved else { return forget(device.path) }
    switch device.subsystem {
    case "block": take(Filesystem(device), on: device.path)
    case "sound" where device.name.hasPrefix("card"):
      // udev's own rules say so when all of the card's devices are there.
      guard device.property("SOUND_INITIALIZED") != nil else { return }
      take(card: device.attribute("id"), on: device.path)
    case "input" where device.name.hasPrefix("event"):
      let node = device.property("ID_INPUT_KEY") == nil ? nil : device.node
      take(input: node, on: device.path)
    case "power_supply":
      tell(supplies.handle(PowerSupplies.Supply(device), of: device.path))
    case "hwmon" where device.attribute("name") == "rpi_volt":
      tell(supplies.handle(underVoltage: device.attribute("in0_lcrit_alarm") == "1"))
    default: break
    }
  }

  mutating func take(_ mounts: [Mount]) {
    tell(sticks.handle(.mounted(mounts)))
  }

  /// After news were lost: what is not among `paths` has gone meanwhile.
  mutating func forget(allBut paths: [String]) {
    let here = Set(paths)
    let known = sticks.devices + supplies.devices + cards.keys + inputs.keys
    for path in known.sorted() where !here.contains(path) { forget(path) }
  }

  private mutating func forget(_ path: String) {
    take(nil, on: path)
    take(card: nil, on: path)
    take(input: nil, on: path)
    tell(supplies.handle(nil, of: path))
  }

  private mutating func take(_ filesystem: Filesystem?, on path: String) {
    let known = sticks.filesystem(on: path)
    guard known != filesystem else { return }
    guard let filesystem else { return tell(sticks.handle(.gone(device: path))) }
    events.append(.plugged(filesystem))
    tell(sticks.handle(.seen(filesystem)))
  }

  private mutating func take(card id: String?, on path: String) {
    let known = cards.updateValue(id, on: path)
    guard known != id else { return }
    if let known { events.append(.cardRemoved(known)) }
    if let id { events.append(.cardAdded(id)) }
  }

  private mutating func take(input node: String?, on path: String) {
    let known = inputs.updateValue(node, on: path)
    guard known != node else { return }
    if let known { events.append(.inputRemoved(known)) }
    if let node { events.append(.inputAdded(node)) }
  }

  private mutating func tell(_ changes: [Sticks.Change]) {
    for change in changes {
      switch change {
      case .added(let stick): events.append(.mediumAdded(stick))
      case .removed(let stick): events.append(.mediumRemoved(stick))
      }
    }
  }

  private mutating func tell(_ news: [PowerEvent]) {
    for event in news { events.append(.power(event)) }
  }
}

extension Dictionary where Key == String, Value == String {
  /// Sets or removes the value; gives the one before.
  fileprivate mutating func updateValue(_ value: String?, on key: String) -> String? {
    defer { self[key] = value }
    return self[key]
  }
}
