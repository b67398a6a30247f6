public import Jukebox

/// A light, and what it is to show.
public struct LightSettings: Equatable, Sendable {
  public enum Place: Hashable, Sendable {
    case line(Line)
    /// A name in /sys/class/leds.
    case led(String)
  }

  public enum Topic: String, CaseIterable, Sendable {
    /// Everything, the most urgent first.
    case state
    case playing, paused, scanning, interrupted, recording, error
    case noMusic = "no-music"
    case noCard = "no-card"
    case lowPower = "low-power"
  }

  public var place: Place
  public var shows: Topic
  public var isActiveLow: Bool

  public init(_ place: Place, shows: Topic = .state, isActiveLow: Bool = false) {
    self.place = place
    self.shows = shows
    self.isActiveLow = isActiveLow
  }
}
