extension Words {
  mutating func put(_ effect: Effect) {
    switch effect {
    case .load(let item, let position, let generation):
      put("load", item.id, generation)
      put(String(item.track.id.number))
      put(String(position.nanoseconds))
    case .follow(let item):
      put("follow")
      put(item.map { String($0.id.number) } ?? "nothing")
    case .prepare(let item):
      put("prepare")
      put(item.map { String($0.id.number) } ?? "nothing")
    case .pause: put("pause")
    case .resume: put("resume")
    case .stop: put("stop")
    case .setGain(let gain): put("gain", Int64(gain.hundredths))
    case .setSourceGain(let source, let gain):
      put("source-gain", Int64(source.rawValue))
      put(String(gain.hundredths))
    case .dismiss(let source): put("dismiss", Int64(source.rawValue))
    case .finished(let item, let finish):
      put("finished", Int64(item.id.number))
      put(finish)
    case .notify(let notification): put(notification)
    case .report(.nothingPlays): put("report nothing-plays")
    case .report(.salvaged(let lost)): put("report salvaged", Int64(lost))
    case .find(let selection, let placement):
      put("find")
      put(selection)
      put(placement)
    case .scan(let medium): put("scan", Int64(medium.number))
    case .saveState(let bytes): put("save-state", bytes)
    case .saveQueue(let bytes): put("save-queue", bytes)
    case .wake(let time): put("wake", time.nanoseconds)
    case .light(let light): put("light", Int64(light.rawValue))
    case .releaseMedia: put("release-media")
    case .sleep: put("sleep")
    case .stayOff: put("stay-off")
    case .shutDown: put("shut-down")
    }
  }

  /// Bytes are told by their number and check sum.
  private mutating func put(_ name: String, _ bytes: [UInt8]) {
    put(name, Int64(bytes.count))
    put(String(checkSum(bytes[...]), radix: 16))
  }

  private mutating func put(_ finish: Finish) {
    switch finish {
    case .ended: put("ended")
    case .skipped: put("skipped")
    case .mediumRemoved: put("medium-removed")
    case .failed(let fault):
      put("failed")
      put(fault)
    }
  }

  private mutating func put(_ notification: Notification) {
    switch notification {
    case .stateChanged(let state): put("state", Int64(state.rawValue))
    case .nowPlayingChanged(let item):
      put("now-playing")
      put(item.map { String($0.number) } ?? "nothing")
    case .volumeChanged(let level, let isMuted):
      put("volume", Int64(level))
      put(isMuted)
    case .queueChanged(let version): put("queue", Int64(version))
    case .optionsChanged(let options):
      put("options", Int64(options.repeats.rawValue))
      put(String(options.shuffle.rawValue))
      put(options.single)
      put(options.consume)
    }
  }
}
