/// The text of a settings file, made readable line by line.
///
/// A line that is not TOML is told and left out, so that what is right takes effect.
struct SettingsText {
  /// No file of settings is longer.
  static let limit = 256 << 10
  private static let mostFaults = 20

  private var lines: [[UInt8]]

  init(_ bytes: [UInt8]) {
    lines = bytes.split(separator: newline, omittingEmptySubsequences: false).map { Array($0) }
  }

  /// The members of the outermost table, in their order.
  mutating func members(_ faults: SettingsFaults) -> [TOMLValue.Member] {
    leaveOutForeignText(faults)
    var last: Int?
    for _ in 0..<Self.mostFaults {
      do throws(TOMLFailure) {
        return try parse(lines.count)
      } catch {
        let place = error.place.line == 0 ? unknownPlace() : error.place
        let line = min(max(place.line, 1), lines.count)
        if line != last { faults.add(place, sentence(error, lines[line - 1])) }
        last = line
        leaveOut(line - 1)
      }
    }
    faults.add(
      Place(line: last ?? 1, column: 1),
      "more is wrong here than can be sorted out: nothing of this file takes effect; "
        + "begin with an empty one")
    return []
  }

  /// The members of the first `count` lines.
  private func parse(_ count: Int) throws(TOMLFailure) -> [TOMLValue.Member] {
    try TOMLValue.members(
      of: lines.prefix(count).joined(separator: [newline]).map(CChar.init(bitPattern:)))
  }

  /// Of a failure that does not tell it: the first line with which it comes.
  private func unknownPlace() -> Place {
    var (good, bad) = (0, lines.count)
    while bad - good > 1 {
      let middle = (good + bad) / 2
      do throws(TOMLFailure) {
        _ = try parse(middle)
        good = middle
      } catch {
        if error.place.line == 0 { bad = middle } else { good = middle }
      }
    }
    return Place(line: bad, column: 1)
  }

  private mutating func leaveOutForeignText(_ faults: SettingsFaults) {
    for index in lines.indices where String(validating: lines[index], as: UTF8.self) == nil {
      let column = 1 + (lines[index].firstIndex { $0 >= 0x80 } ?? 0)
      faults.add(
        Place(line: index + 1, column: column),
        "a letter is not UTF-8, this line is left out: allowed is a file saved as UTF-8")
      lines[index] = []
    }
  }

  /// With a heading goes all below it: it would come under the heading before. A line that is empty
  /// already only shows where something above lacks its end.
  private mutating func leaveOut(_ line: Int) {
    var line = line
    while line > 0, Self.isBlank(lines[line]) { line -= 1 }
    let isHeading = Self.isHeading(lines[line])
    lines[line] = []
    guard isHeading else { return }
    for below in lines.indices.dropFirst(line + 1) {
      if Self.isHeading(lines[below]) { break }
      lines[below] = []
    }
  }

  private func sentence(_ failure: TOMLFailure, _ line: [UInt8]) -> String {
    let form =
      Self.isHeading(line)
      ? "a heading such as [board], or [[button]] where there may be several"
      : "KEY = VALUE, with words in \"quotes\" and lists in [brackets]"
    return "this is not TOML, the line is left out (\(failure.sentence)): allowed is \(form)"
  }

  private static func isBlank(_ line: [UInt8]) -> Bool {
    line.allSatisfy {
      $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r")
    }
  }

  private static func isHeading(_ line: [UInt8]) -> Bool {
    line.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } == UInt8(ascii: "[")
  }
}

private let newline = UInt8(ascii: "\n")
