internal import Jukebox

/// All that the owner may decide about the appliance; what the brains take of it is `brains`.
struct RunSettings: Equatable {
  /// What plays when a medium is plugged in.
  enum Plug: String, CaseIterable {
    /// As `left` while nothing plays, else as `nothing`.
    case auto
    case nothing
    /// The medium from its first track.
    case start
    /// The track that played when it was pulled out.
    case left
    case shuffle
  }

  var brains = RunSettings.standardBrains
  var plug = Plug.auto
  /// The highest level to start with, whatever it was before, and how long the sound takes to rise.
  var safeLevel = 70
  var rise = Interval.seconds(2)
  /// How long the last sound takes to fall.
  var fall = Interval.milliseconds(300)
  /// How long without sound until the card is given back.
  var rest = Interval.minutes(5)
  var loudness = PlayOptions.Loudness.off

  /// Levels of volume that a detent is worth.
  static let volumeSteps = 2

  /// Lines as the socket and the terminal know them; a board's own settings name its pins.
  enum StandardLine {
    static let play = Line(1)
    static let next = Line(2)
    static let previous = Line(3)
    static let knobA = Line(4)
    static let knobB = Line(5)
  }

  private static var standardBrains: Jukebox.Settings {
    typealias Lines = StandardLine
    var settings = Jukebox.Settings()
    settings.controls.buttons = [Lines.play, Lines.next, Lines.previous].map { SwitchSettings($0) }
    settings.controls.knobs = [KnobSettings(a: Lines.knobA, b: Lines.knobB)]
    settings.controls.turns = [Turn(knob: Lines.knobA, use: .volume(volumeSteps))]
    settings.controls.bindings = [
      Binding(.press(Lines.play), .togglePlayPause),
      Binding(.hold(Lines.play, every: nil), .stop),
      Binding(.press(Lines.next), .next),
      Binding(.hold(Lines.next, every: nil), .beginSeekingForward),
      Binding(.holdReleased(Lines.next), .endSeeking),
      Binding(.press(Lines.previous), .previous),
      Binding(.hold(Lines.previous, every: nil), .beginSeekingBackward),
      Binding(.holdReleased(Lines.previous), .endSeeking),
    ]
    return settings
  }
}
