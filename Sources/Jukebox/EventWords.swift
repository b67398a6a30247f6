extension Words {
  mutating func put(_ event: Event) {
    switch event {
    case .configured(var settings):
      put("configured")
      transfer(&settings)
    case .started(var state, var queue, let seed):
      put("started")
      transfer(&state)
      transfer(&queue)
      put(String(seed))
    case .edge(let line, let isHigh): put("edge", Int64(line.number), isHigh)
    case .level(let line, let isHigh): put("level", Int64(line.number), isHigh)
    case .pressed(let command):
      put("pressed")
      put(command)
    case .found(let tracks, let placement):
      put("found")
      put(placement)
      put(tracks)
    case .timerFired: put("timer")
    case .opened(let item, let generation, var tags):
      put("opened", item, generation)
      transfer(&tags)
    case .trackStarted(let item, let generation): put("track-started", item, generation)
    case .progressed(let item, let generation, let position):
      put("progressed", item, generation)
      put(String(position.nanoseconds))
    case .failed(let item, let generation, let fault):
      put("failed", item, generation)
      put(fault)
    case .ended(let generation): put("ended", Int64(generation.number))
    case .outputLost: put("output-lost")
    case .outputReady: put("output-ready")
    case .mediumAdded(let medium): put("medium-added", Int64(medium.number))
    case .mediumRemoved(let medium): put("medium-removed", Int64(medium.number))
    case .scanFinished(let medium): put("scan-finished", Int64(medium.number))
    case .interruptionBegan(let source): put("interruption-began", Int64(source.rawValue))
    case .interruptionEnded(let source, var resumes):
      put("interruption-ended", Int64(source.rawValue))
      transfer(optional: &resumes, or: false) { $0.transfer(&$1) }
    case .power(let event): put("power", Int64(event.rawValue))
    case .clockSet(let minute): put("clock", Int64(minute))
    }
  }

  mutating func takeEvent() -> Event? {
    switch take() {
    case "configured": takenSettings()
    case "started": .started(state: takenBytes(), queue: takenBytes(), seed: taken(0))
    case "edge": .edge(Line(taken(0)), isHigh: taken(false))
    case "level": .level(Line(taken(0)), isHigh: taken(false))
    case "pressed": takeCommand().map { .pressed($0) }
    case "found": takenFinding()
    case "timer": .timerFired
    case "opened": .opened(ItemID(taken(0)), Generation(taken(0)), takenTags())
    case "track-started": .trackStarted(ItemID(taken(0)), Generation(taken(0)))
    case "progressed":
      .progressed(ItemID(taken(0)), Generation(taken(0)), Interval(nanoseconds: taken(0)))
    case "failed": .failed(ItemID(taken(0)), Generation(taken(0)), takenFault())
    case "ended": .ended(Generation(taken(0)))
    case "output-lost": .outputLost
    case "output-ready": .outputReady
    case "medium-added": .mediumAdded(MediumID(taken(0)))
    case "medium-removed": .mediumRemoved(MediumID(taken(0)))
    case "scan-finished": .scanFinished(MediumID(taken(0)))
    case "interruption-began": .interruptionBegan(taken(Source.lineIn))
    case "interruption-ended": takenEndOfInterruption()
    case "power": .power(taken(PowerEvent.failing))
    case "clock": .clockSet(minute: taken(0))
    default: void()
    }
  }

  // MARK: - Parts

  mutating func put(_ name: String, _ item: ItemID, _ generation: Generation) {
    put(name, Int64(item.number))
    put(String(generation.number))
  }

  private mutating func put(_ name: String, _ number: Int64, _ flag: Bool) {
    put(name, number)
    put(flag)
  }

  mutating func put(_ fault: Fault) {
    switch fault {
    case .mediumGone: put("medium-gone")
    case .unreadable: put("unreadable")
    case .unsupported: put("unsupported")
    case .damaged: put("damaged")
    case .other(let words):
      put("other")
      put(text: words)
    }
  }

  private mutating func takenFault() -> Fault {
    switch take() {
    case "medium-gone": return .mediumGone
    case "unreadable": return .unreadable
    case "unsupported": return .unsupported
    case "damaged": return .damaged
    case "other": return .other(takenText())
    default:
      spoil()
      return .unreadable
    }
  }

  private mutating func takenSettings() -> Event {
    var settings = Settings()
    transfer(&settings)
    return .configured(settings)
  }

  private mutating func takenBytes() -> [UInt8] {
    var bytes: [UInt8] = []
    transfer(&bytes)
    return bytes
  }

  private mutating func takenTags() -> Tags {
    var tags = Tags()
    transfer(&tags)
    return tags
  }

  private mutating func takenFinding() -> Event? {
    guard let placement = takenPlacement() else { return nil }
    return .found(takenTracks(), placement)
  }

  private mutating func takenEndOfInterruption() -> Event {
    let source = taken(Source.lineIn)
    var resumes: Bool?
    transfer(optional: &resumes, or: false) { $0.transfer(&$1) }
    return .interruptionEnded(source, resumes: resumes)
  }
}
