internal import Devices
internal import Jukebox
internal import Library
internal import Remote

/// What the brains say is to be done, and who does it: one case, one line.
extension Appliance {
  func perform(_ effect: Effect) {
    switch effect {
    case .load(let item, let place, let generation): load(item, from: place, generation)
    case .follow(let item): follow(item)
    case .prepare(let item): prepare(item)
    case .pause: pause()
    case .resume: resume()
    case .stop: stop()
    case .setGain(let gain): setGain(gain)
    // No other source of sound is there yet, so there is none to set or to silence.
    case .setSourceGain, .dismiss: break

    case .finished(let item, let finish): finished(item, finish)
    case .notify(let notification): notify(notification)
    case .report(.nothingPlays):
      hands.hasFailed = true
      journal.warn("nothing plays: every track that is here has failed")
    case .report(.salvaged(let lost)):
      journal.warn("what was saved is damaged: \(lost) parts of it are lost")

    case .find(let selection, let placement): librarian.ask(.find(selection, placement))
    case .scan(let medium): scan(medium)
    case .saveState(let bytes): save(state: bytes)
    case .saveQueue(let bytes): save(queue: bytes)
    case .wake(let moment): alarms.set(.brains, at: moment)
    case .light(let light): hands.isDark = light == .off

    case .releaseMedia: releaseMedia()
    case .sleep: journal.say("the system may sleep now")
    case .stayOff: journal.debug("not to start by itself")
    case .shutDown: leave(.shutDown)
    }
  }

  private func notify(_ notification: Notification) {
    switch notification {
    case .stateChanged(let state):
      journal.debug("now \(state)")
      alarms.set(.rest, at: isSounding ? nil : now + settings.rest)
      if isSounding {
        endRest()
      }
      saveAtOnce()
      tellRemotes(.player)
    case .nowPlayingChanged(let item):
      noteCurrent(item)
      hands.hasFailed = false
      saveAtOnce()
      tellRemotes(.player)
    case .volumeChanged: tellRemotes(.mixer)
    case .queueChanged:
      sound.isQueueUnsaved = true
      tellRemotes(.playlist)
    case .optionsChanged: tellRemotes(.options)
    }
  }

  private func finished(_ item: Item, _ finish: Finish) {
    let name = sound.places[item.track.id]?.path.description ?? "track \(item.track.id.number)"
    switch finish {
    case .ended: librarian.ask(.played(item.track.id))
    case .skipped: librarian.ask(.skipped(item.track.id))
    case .mediumRemoved: journal.say("\(name): stopped, since its medium is gone")
    case .failed(let fault): journal.debug("\(name): passed over (\(fault))")
    }
  }

  // MARK: - Saving

  private func save(state: [UInt8]) {
    var session = SavedSession()
    session.state = state
    session.media = shelf.here
    session.left = shelf.left
    let tracks = [
      player.lineup.currentTrack?.id,
      player.following.flatMap { player.lineup.queue.track($0)?.id },
    ]
    session.places = tracks.compactMap { $0.flatMap { sound.places[$0] } }
    keeper.keep(session: session.bytes)
  }

  private func save(queue: [UInt8]) {
    sound.isQueueUnsaved = false
    keeper.keep(queue: queue)
  }

  /// What a power cut must not undo: a pause, a skip. A queue that has changed is saved along with it
  /// soon, and not before: the two go together.
  func saveAtOnce() {
    guard !sound.isQueueUnsaved || leaving != nil else { return }
    let saved = player.savedState(at: now, withQueue: sound.isQueueUnsaved)
    if sound.isQueueUnsaved { save(queue: saved.queueBytes) }
    save(state: saved.stateBytes)
  }
}
