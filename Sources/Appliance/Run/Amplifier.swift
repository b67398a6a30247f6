internal import Audio
internal import Devices
internal import Jukebox

/// The relay of an amplifier: on a while before the first sound, off once the card is given back.
extension Appliance {
  /// What an amplifier takes to come up without a thump in the music.
  private static let lead = Interval.milliseconds(200)

  /// Switches it on if it is not; false while it is not ready for sound, and then `amplifierIsReady` comes.
  func wakeAmplifier() -> Bool {
    guard let line = settings.amplifier, hands.lines != nil else { return true }
    if let ready = hands.amplifierReady { return now >= ready }
    hands.lines?.set(line, isHigh: true)
    hands.amplifierReady = now + Self.lead
    alarms.set(.amplifier, at: hands.amplifierReady)
    return false
  }

  func amplifierIsReady() {
    carryOn()
    if sound.isToResume { deck.resume() }
    sound.isToResume = false
  }

  func restAmplifier() {
    hands.amplifierReady = nil
    alarms.set(.amplifier, at: nil)
    if let line = settings.amplifier { hands.lines?.set(line, isHigh: false) }
  }
}
