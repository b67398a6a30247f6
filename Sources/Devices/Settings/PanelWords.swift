public import Jukebox

/// What the panel's controls do, in the settings' own words.
extension Configuration {
  /// Of a button or switch, such as "press: next" and "hold: seek-forward".
  public func meanings(of line: Line) -> [String] {
    brains.controls.bindings.compactMap { binding in
      guard let (place, gesture) = binding.gesture.named, place == line else { return nil }
      return Actions.name(of: binding.command).map { "\(gesture) \($0)" }
    }
  }

  /// Of a knob that is turned, with nothing else held; it is named by its first line.
  public func use(ofKnob line: Line) -> String? {
    brains.controls.turns.first { $0.knob == line && $0.held == nil }?.use.name
  }
}

extension KnobUse {
  fileprivate var name: String {
    switch self {
    case .volume: "volume"
    case .tracks: "tracks"
    case .albums: "albums"
    case .seek: "seeking"
    }
  }
}

extension Gesture {
  /// The line and the key that settings have for it; nil for a chord, and for what follows by itself.
  fileprivate var named: (line: Line, name: String)? {
    switch self {
    case .press(let line): (line, "press:")
    case .double(let line): (line, "double:")
    case .triple(let line): (line, "triple:")
    case .hold(let line, _): (line, "hold:")
    case .switchedOn(let line): (line, "on:")
    case .switchedOff(let line): (line, "off:")
    case .holdReleased, .chord: nil
    }
  }
}
