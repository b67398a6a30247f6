/// Events as lines of text: what the appliance writes as things happen, and what a replay reads.
///
/// A line is the time in nanoseconds, the event's name and its values, with one space between. A
/// record starts with `configured` and `started`, which hold all the player starts from, so a replay
/// ends where the recording did.
public enum FlightRecord {
  public static func line(_ event: Event, at now: Instant) -> String {
    var words = Words()
    words.put(String(now.nanoseconds))
    words.put(event)
    return words.line
  }

  /// - Returns: nil for a line that is no event, or a damaged one.
  public static func event(_ line: String) -> (event: Event, at: Instant)? {
    var words = Words(reading: line)
    var now = Instant(nanoseconds: 0)
    words.transfer(&now.nanoseconds)
    guard !words.isVoid, let event = words.takeEvent(), !words.isVoid, words.isAtEnd else {
      return nil
    }
    return (event, now)
  }

  public static func line(_ effect: Effect) -> String {
    var words = Words()
    words.put(effect)
    return words.line
  }

  /// Feeds a record to a new player: each line as it is, then what the player did of it, indented.
  ///
  /// Empty lines and those that start with `#` are passed over. Where a record holds several lives, each
  /// has a player of its own.
  ///
  /// - Returns: the lines to print, and the numbers of the lines that are no events.
  public static func replay(_ lines: [String]) -> (lines: [String], bad: [Int]) {
    var player = Player()
    var printed: [String] = []
    var bad: [Int] = []
    for (number, line) in lines.enumerated() {
      guard let first = line.utf8.first, first != 35 else { continue }
      guard let (event, now) = event(line) else {
        bad.append(number + 1)
        continue
      }
      if case .configured = event, beginsLife(lines[(number + 1)...]) { player = Player() }
      printed.append(line)
      for effect in player.handle(event, at: now) { printed.append("  " + self.line(effect)) }
    }
    return (printed, bad)
  }

  /// Whether `started` comes before anything else has happened.
  private static func beginsLife(_ lines: ArraySlice<String>) -> Bool {
    for line in lines {
      switch event(line)?.event {
      case .started?: return true
      case .clockSet?, nil: continue
      default: return false
      }
    }
    return false
  }
}
