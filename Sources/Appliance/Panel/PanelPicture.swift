internal import Glibc

/// The front panel as text: display, level, lights, buttons and knobs.
struct PanelPicture: Equatable {
  struct Light: Equatable {
    var name: String
    var isOn: Bool
  }

  struct Control: Equatable {
    /// What is to be typed for it.
    var key: String
    var words: String
    /// Its contact is closed.
    var isClosed = false
  }

  /// Nil while nothing plays.
  var display: StatusLine?
  var isEmpty = false
  /// Peaks of the two channels, full scale at 1.
  var levels: (left: Float, right: Float) = (0, 0)
  var lights: [Light] = []
  var controls: [Control] = []

  static func == (left: Self, right: Self) -> Bool {
    left.display == right.display && left.isEmpty == right.isEmpty && left.levels == right.levels
      && left.lights == right.lights && left.controls == right.controls
  }

  /// Each at most `columns` wide, the last one's edge included.
  func lines(columns: Int) -> [String] {
    let inner = max(0, columns - 4)
    var lines = [display?.text(columns: inner) ?? (isEmpty ? "no music" : "stopped")]
    let width = max(0, (inner - 5) / 2)
    lines.append("L " + bar(levels.left, width) + " R " + bar(levels.right, width))
    lines += rows(lights.map { ($0.isOn ? "● " : "○ ") + $0.name }, inner)
    lines += rows(
      controls.map { ($0.isClosed ? "[\($0.key)] " : " \($0.key)  ") + $0.words }, inner)
    let text = lines.map { line in
      let line = fitted(line, columns: inner)
      return "│ " + line + String(repeating: " ", count: max(0, inner - displayWidth(line))) + " │"
    }
    let hint = "SHIFT holds a button until it is typed again; Ctrl-C ends"
    return [rule("┌", "jukebox", "┐", columns)] + text + [rule("└", hint, "┘", columns)]
  }

  private func rule(_ left: String, _ title: String, _ right: String, _ columns: Int) -> String {
    let title = fitted("─ " + title + " ", columns: max(0, columns - 2))
    let rest = max(0, columns - 2 - displayWidth(title))
    return left + title + String(repeating: "─", count: rest) + right
  }

  /// 50 dB wide.
  private func bar(_ peak: Float, _ width: Int) -> String {
    let level = peak > 0 ? 1 + 20 * log10(Double(peak)) / 50 : 0
    let count = Int((min(max(level, 0), 1) * Double(width)).rounded())
    return String(repeating: "█", count: count) + String(repeating: "·", count: width - count)
  }

  /// As many in a row as there is room for.
  private func rows(_ words: [String], _ columns: Int) -> [String] {
    var rows: [String] = []
    for word in words {
      if let last = rows.last, displayWidth(last) + 3 + displayWidth(word) <= columns {
        rows[rows.count - 1] += "   " + word
      } else {
        rows.append(word)
      }
    }
    return rows
  }
}
