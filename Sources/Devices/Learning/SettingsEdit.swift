internal import Jukebox

/// Puts a control into the text of a settings file; comments, order and all else stay as they are.
public struct SettingsEdit {
  private var lines: [String]

  public init(_ text: String) {
    // By bytes: "\r\n" is a single character.
    lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String($0) ?? "" }
  }

  public var text: String { lines.joined(separator: "\n") }

  /// What was found, with what it is to do, such as ("press", "play-pause").
  public mutating func put(
    _ finding: Learning.Finding, doing actions: [(key: String, action: String)]
  ) {
    let words = actions.map { (key: $0.key, value: "\"\($0.action)\"") }
    switch finding {
    case .button(let button, _):
      let active = button.isActiveLow ? "low" : "high"
      put(
        "button", pins: [button.line], [("pin", "\(button.line.number)")],
        usual: [("active", "\"\(active)\"", "\"low\"")], words)
    case .knob(let knob):
      put(
        "knob", pins: [knob.a, knob.b], [("pins", "[\(knob.a.number), \(knob.b.number)]")],
        usual: [
          ("active", knob.isActiveLow ? "\"low\"" : "\"high\"", "\"low\""),
          ("detent", "\(knob.encoder.edgesPerDetent)", "4"),
          ("inverted", "\(knob.encoder.isInverted)", "false"),
        ], words)
    }
  }

  /// `usual` are keys that need not stand there if their value is the third.
  private mutating func put(
    _ kind: String, pins: [Line], _ first: [(String, String)],
    usual: [(String, String, String)], _ words: [(key: String, value: String)]
  ) {
    var place: Range<Int>?
    for block in blocks.reversed() where !pinsOf(block).isDisjoint(with: pins.map(\.number)) {
      if heading(lines[block.lowerBound]) == kind, place == nil {
        place = block
      } else {
        for index in block { lines[index] = "# " + lines[index] }
      }
    }
    guard let place else {
      while lines.last?.isEmpty == true { lines.removeLast() }
      let needed = usual.filter { $0.1 != $0.2 }.map { ($0.0, $0.1) }
      lines += (lines.isEmpty ? [] : [""]) + ["[[\(kind)]]"]
      lines += (first + needed + words.map { ($0.key, $0.value) }).map { "\($0.0) = \($0.1)" }
      lines.append("")
      return
    }
    var end = place.upperBound
    for (key, value) in first + words.map({ ($0.key, $0.value) }) {
      end += set(key, value, in: place.lowerBound..<end)
    }
    for (key, value, usual) in usual {
      let isThere = place.contains { self.key(lines[$0]) == key }
      if isThere || value != usual { end += set(key, value, in: place.lowerBound..<end) }
    }
  }

  /// Changes the value where the key stands, else adds a line.
  ///
  /// - Returns: how many lines were added.
  private mutating func set(_ key: String, _ value: String, in block: Range<Int>) -> Int {
    if let index = block.first(where: { self.key(lines[$0]) == key }) {
      let line = lines[index]
      let head = line.prefix { $0 != "=" }
      lines[index] = head + "= " + value + comment(line)
      return 0
    }
    let last = block.last { !blank(lines[$0]) } ?? block.lowerBound
    lines.insert("\(key) = \(value)", at: last + 1)
    return 1
  }

  /// From each heading that names one of several to the line before the next.
  private var blocks: [Range<Int>] {
    var starts = lines.indices.filter { lines[$0].drop { $0 == " " || $0 == "\t" }.first == "[" }
    starts.append(lines.count)
    return zip(starts, starts.dropFirst()).map { start, next in
      // What is said right above a heading belongs to it.
      var end = next
      while end > start + 1, blank(lines[end - 1]) || isComment(lines[end - 1]) { end -= 1 }
      return start..<end
    }
  }

  private func pinsOf(_ block: Range<Int>) -> Set<UInt16> {
    let kind = heading(lines[block.lowerBound])
    guard ["button", "switch", "knob", "light", "amplifier"].contains(kind) else { return [] }
    var pins: Set<UInt16> = []
    for index in block where ["pin", "pins", "push"].contains(key(lines[index])) {
      let value = lines[index].drop { $0 != "=" }.prefix { $0 != "#" }
      pins.formUnion(value.split { !$0.isNumber }.compactMap { UInt16($0) })
    }
    return pins
  }

  private func heading(_ line: String) -> String {
    String(line.filter { $0 != "[" && $0 != " " && $0 != "\t" }.prefix { $0 != "]" })
  }

  private func key(_ line: String) -> String? {
    guard !isComment(line), line.contains("=") else { return nil }
    return String(line.prefix { $0 != "=" }.filter { $0 != " " && $0 != "\t" })
  }

  /// With the space before it; a sharp in quotes is none.
  private func comment(_ line: String) -> Substring {
    var isQuoted = false
    for index in line.indices {
      if line[index] == "\"" { isQuoted.toggle() }
      if line[index] == "#", !isQuoted {
        var start = index
        while start > line.startIndex, line[line.index(before: start)] == " " {
          start = line.index(before: start)
        }
        return line[start...]
      }
    }
    return line.last == "\r" ? line.suffix(1) : ""
  }

  private func blank(_ line: String) -> Bool { line.allSatisfy { $0.isWhitespace } }

  private func isComment(_ line: String) -> Bool {
    line.first { $0 != " " && $0 != "\t" } == "#"
  }
}
