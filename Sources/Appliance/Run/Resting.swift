internal import Audio
internal import Library

/// What is done while nothing plays and nothing is scanned: the music's loudness is measured.
extension Appliance {
  /// Nothing has played for a while.
  func rest() {
    deck.rest()
    shelf.isResting = true
    survey()
  }

  func endRest() {
    shelf.isResting = false
    endSurvey()
  }

  /// Measures on from where the last one ended, if there is nothing else to do.
  func survey() {
    guard shelf.isResting, shelf.survey == nil, shelf.scanners.isEmpty, !shelf.entered.isEmpty,
      leaving == nil, let library = shelf.library
    else { return }
    do throws(SystemError) {
      let survey = try LoudnessSurvey(library: library, sound: MeasuredSound.read)
      try survey.start()
      shelf.survey = survey
      loop.watch(survey.descriptor, .survey)
    } catch {
      journal.warn("loudness can't be measured: \(error)")
    }
  }

  /// What has been measured stays.
  func endSurvey() {
    guard let survey = shelf.survey else { return }
    shelf.survey = nil
    loop.forget(survey.descriptor)
    survey.abandon()
  }

  func takeSurvey() {
    for event in shelf.survey?.takeEvents() ?? [] {
      switch event {
      case .progressed: break
      case .finished(let count):
        endSurvey()
        guard count > 0 else { break }
        journal.say("loudness of \(count) tracks measured")
        librarian.ask(.locate(Array(sound.places.keys)))
      case .failed(let reason):
        endSurvey()
        journal.warn("loudness: \(reason)")
      }
    }
  }
}
