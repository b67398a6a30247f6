internal import Devices
internal import Jukebox

/// How the process ends.
struct Leaving {
  var ending: Ending
  /// When the last sound has faded.
  var silentAt = Instant(nanoseconds: 0)
  var isSaved = false
  /// Time is up, whatever is not done yet.
  var isOver = false
}

extension Appliance {
  /// Fades out, saves, and ends within a second.
  func leave(_ ending: Ending) {
    journal.debug("leaving")
    guard leaving == nil else {
      leaving?.isOver = true
      return endIfDone()
    }
    leaving = Leaving(ending: ending)
    supervisor.tell("STOPPING=1")
    if let place = heard { tell(place) }
    saveAtOnce()
    keepRecord()
    keeper.flush()
    let isSilent = !isSounding
    if !isSilent { sound.fader.fall(over: settings.fall, at: now) }
    setVolume()
    leaving?.silentAt = isSilent ? now : now + settings.fall
    alarms.set(.end, at: now + .milliseconds(700))
    endIfDone()
  }

  func endIfDone() {
    guard let leaving, leaving.isOver || leaving.isSaved && now >= leaving.silentAt else { return }
    closeRemotes()
    ending = leaving.ending
  }
}
