internal import Jukebox

extension Checks {
  /// What must be restored is what was saved, as the settings have it.
  func restored(
    _ state: [UInt8], _ queue: [UInt8], _ settings: Settings, _ player: Player, at now: Instant
  ) -> String? {
    let (saved, lost) = SavedState.salvaged(state: state, queue: queue)
    guard lost == 0 else { return "what was written is damaged" }
    let restored = player.savedState(at: now)
    var expected = saved
    expected.level = loudness.clamped(settings.volume.start ?? saved.level, at: now)
    switch settings.autoplay {
    case .asBefore: break
    case .always: expected.intent = .play
    case .never: expected.intent = .pause
    }
    if saved.current == nil { expected.intent = .stop }
    if let item = saved.items.first(where: { $0.id == saved.current }),
      saved.points.position(of: item.track.id) != nil
    {
      expected.position = max(saved.position - .seconds(5), .zero)
      expected.points.set(item.track.id, to: expected.position)
    }
    if state.isEmpty { expected.random = restored.random }
    return expected == restored ? nil : "restored state differs from the saved one"
  }

  /// A power cut may lose a few seconds, and nothing else.
  func lost(_ state: [UInt8], _ queue: [UInt8], _ player: Player, at now: Instant) -> String? {
    guard let since = quietSince, now - since > .seconds(6) else { return nil }
    let (saved, _) = SavedState.salvaged(state: state, queue: queue)
    var actual = player.savedState(at: now)
    let behind = actual.position - saved.position
    guard behind >= .zero, behind <= .seconds(6) else { return "the written position is old" }
    actual.position = saved.position
    actual.points = saved.points
    actual.random = saved.random
    return actual == saved ? nil : "what was written is old"
  }
}
