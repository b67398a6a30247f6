internal import Devices
internal import Glibc
internal import Jukebox
internal import Library

/// Media, sound cards, keys and supplies that come and go, as udev tells it.
extension Appliance {
  /// What is here already comes first, and was not plugged in.
  func openHotPlug() {
    do throws(DeviceError) {
      hands.hotPlug = try HotPlug(below: settings.folders)
    } catch {
      journal.warn("no news of devices (\(error)): media are those of --media, keys are not seen")
      return
    }
    hands.isToldOfCards = unsafe access("/run/udev/control", F_OK) == 0
    if !hands.isToldOfCards {
      journal.say("udev does not run here: what is plugged in later is not seen")
    }
    if let descriptor = hands.hotPlug?.descriptor { loop.watch(descriptor, .hotPlug) }
    while let event = hands.hotPlug?.next() {
      if case .mediumAdded(let stick) = event { shelf.unseen.insert(Path(stick.path)) }
      if case .plugged = event { continue }
      take(event)
    }
    findCard()
  }

  func takeHotPlug() {
    while let event = hands.hotPlug?.next() { take(event) }
  }

  private func take(_ event: HotPlug.Event) {
    switch event {
    case .plugged(let filesystem): journal.say("\(filesystem.node): plugged in")
    case .mediumAdded(let stick):
      let root = Path(stick.path)
      // One that is given by its path comes and goes by that.
      if !shelf.folders.folders.contains(root) { look(at: root, stick.filesystem) }
    case .mediumRemoved(let stick):
      let root = Path(stick.path)
      if !shelf.folders.folders.contains(root) { went(root) }
    case .cardAdded(let id):
      journal.debug("sound card \(id)")
      findCard()
    case .cardRemoved(let id):
      journal.debug("sound card \(id) is gone")
      findCard()
    case .inputAdded(let node):
      hands.keyDevices.insert(node)
      openKeys(of: node)
    case .inputRemoved(let node):
      hands.keyDevices.remove(node)
      hands.keys?.remove(node)
    case .power(let power): take(power)
    }
  }

  private func take(_ power: PowerEvent) {
    journal.say("power: \(power)")
    switch power {
    case .lowBattery, .undervoltage: hands.hasLowPower = true
    case .onMains, .recovered: hands.hasLowPower = false
    case .failing, .onBattery, .thermalLimit, .shutdownRequested, .sleepRequested, .resumed: break
    }
    tell(.power(power))
  }
}
