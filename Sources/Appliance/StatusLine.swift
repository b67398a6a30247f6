import Library

/// The one line that says what plays.
struct StatusLine: Equatable {
  enum State: String {
    case opening, playing, paused, waiting
  }

  var state: State
  /// Number, title and artist; controls are taken out here.
  var title: String
  var position: Duration
  /// nil if it is not known.
  var length: Duration?
  /// Decibels; nil while muted.
  var volume: Double?

  /// The line in at most `columns`; where room is short the title shrinks first, then the
  /// volume goes, the length, and the position.
  func text(columns: Int) -> String {
    let start = state.rawValue + " "
    let now = " " + clock(position)
    let whole = now + (length.map { " / " + clock($0) } ?? "")
    let title = printable(self.title)
    let end = [whole + "  " + (volume.map(decibels) ?? "muted"), whole, now].first {
      columns - displayWidth(start) - displayWidth($0) >= min(12, displayWidth(title))
    }
    let room = columns - displayWidth(start) - displayWidth(end ?? "")
    return fitted(start + fitted(title, columns: room) + (end ?? ""), columns: columns)
  }
}

/// "3:07", "1:02:03": hours, minutes and seconds, the rest cut off.
func clock(_ time: Duration) -> String {
  func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
  let seconds = max(0, time.components.seconds)
  let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
  return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":" + two(seconds % 60)
}

/// "-6 dB", "-1.5 dB".
func decibels(_ volume: Double) -> String {
  let tenths = Int((volume * 10).rounded())
  let (whole, rest) = abs(tenths).quotientAndRemainder(dividingBy: 10)
  return (tenths < 0 ? "-" : "") + "\(whole)" + (rest == 0 ? "" : ".\(rest)") + " dB"
}

extension Entry {
  /// How the line and the log call it: "03 Title - Artist".
  var label: String {
    let number = tags.track.map { ($0 < 10 ? "0" : "") + "\($0) " } ?? ""
    return number + title + (tags.artist.map { " - " + $0 } ?? "")
  }
}
