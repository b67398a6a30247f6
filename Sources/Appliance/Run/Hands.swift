internal import Devices
internal import Jukebox

/// The outside world, as far as the settings and the machine have it.
struct Hands: ~Copyable {
  /// Nil where there is no udev.
  var hotPlug: HotPlug?
  /// udev runs, and says when a sound card comes.
  var isToldOfCards = false
  /// Nil where the settings name no pins.
  var lines: GPIO?
  var keys: Devices.Keys?
  /// What udev says has keys.
  var keyDevices: Set<String> = []

  var lights = Lights([])
  /// What lines of lights were set to.
  var levels: [Line: Bool] = [:]
  /// What the lights show; nil before the first time.
  var topics: Set<LightSettings.Topic>?
  /// The brains want no light at all.
  var isDark = false
  var hasLowPower = false
  /// When the amplifier can play; nil while it is off.
  var amplifierReady: Instant?
  /// Every track that is here has failed.
  var hasFailed = false
  /// Nil without a terminal's panel.
  var panel: TerminalPanel?
}

extension Appliance {
  // MARK: - Buttons and knobs

  /// Takes the lines that the settings name, in place of those that were held.
  func openLines() {
    if let descriptor = hands.lines?.descriptor { loop.forget(descriptor) }
    hands.lines = nil
    hands.topics = nil
    let (inputs, outputs) = (settings.inputs, settings.outputs)
    guard !inputs.isEmpty || !outputs.isEmpty else { return }
    do throws(DeviceError) {
      hands.lines = try GPIO(chip: settings.chip, inputs: inputs, outputs: outputs)
    } catch {
      journal.warn("no buttons and lights: \(error)")
    }
    for trouble in hands.lines?.troubles ?? [] { journal.warn("\(trouble)") }
    if let descriptor = hands.lines?.descriptor { loop.watch(descriptor, .lines) }
    restAmplifier()
    if isSounding { _ = wakeAmplifier() }
    takeLines()
  }

  func takeLines() {
    while let event = hands.lines?.next() {
      switch event {
      case .edge(let line, let isHigh, let time): tell(.edge(line, isHigh: isHigh), at: time)
      case .level(let line, let isHigh, let time): tell(.level(line, isHigh: isHigh), at: time)
      }
    }
  }

  // MARK: - Media keys

  /// Listens to the devices that are here, with the keys' meanings of the settings.
  func openKeys() {
    if let descriptor = hands.keys?.descriptor { loop.forget(descriptor) }
    hands.keys = nil
    do throws(DeviceError) {
      hands.keys = try Devices.Keys(settings.keys, grab: settings.grabsKeys)
    } catch {
      journal.warn("no media keys: \(error)")
    }
    if let descriptor = hands.keys?.descriptor { loop.watch(descriptor, .keys) }
    for node in hands.keyDevices.sorted() { openKeys(of: node) }
  }

  func openKeys(of node: String) {
    do throws(DeviceError) {
      if try hands.keys?.add(node) ?? false { journal.debug("\(node): has media keys") }
    } catch {
      journal.warn("\(node): its keys are not seen (\(error)): add the user to group input")
    }
  }

  func takeKeys() {
    while let (command, time) = hands.keys?.next() { tell(.pressed(command), at: time) }
  }

  // MARK: - Lights

  /// A terminal's panel has a light where the settings name no pins.
  private var lights: [LightSettings] {
    hands.panel == nil ? settings.lights : settings.withPanel.lights
  }

  func openLights() {
    hands.lights = Lights(lights, patterns: settings.patterns)
    hands.topics = nil
    for name in hands.lights.missing {
      journal.warn("no light '\(name)' in /sys/class/leds: allowed are the names of its folders")
    }
  }

  /// Shows what is the case, if that has changed.
  func showLights() {
    guard !lights.isEmpty else { return }
    let topics = topics
    guard topics != hands.topics else { return }
    hands.topics = topics
    set(hands.lights.show(topics, at: now))
  }

  func tickLights() { set(hands.lights.tick(at: now)) }

  private func set(_ levels: [(line: Line, isHigh: Bool)]) {
    for (line, isHigh) in levels {
      hands.levels[line] = isHigh
      hands.lines?.set(line, isHigh: isHigh)
    }
    alarms.set(.lights, at: hands.lights.deadline(after: now))
  }

  private var topics: Set<LightSettings.Topic> {
    var topics: Set<LightSettings.Topic> = []
    if hands.isDark { return topics }
    switch player.state {
    case .playing, .seekingForward, .seekingBackward: topics.insert(.playing)
    case .paused: topics.insert(.paused)
    case .interrupted: topics.insert(.interrupted)
    case .stopped: break
    }
    if player.lineup.queue.count == 0 { topics.insert(.noMusic) }
    if !sound.hasCard { topics.insert(.noCard) }
    if !shelf.scanners.isEmpty { topics.insert(.scanning) }
    if hands.hasLowPower { topics.insert(.lowPower) }
    if hands.hasFailed { topics.insert(.error) }
    return topics
  }
}
