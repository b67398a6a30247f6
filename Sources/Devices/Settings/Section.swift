internal import Jukebox

/// A table of a settings file while it is read: what is wrong is told and left out, and at the `end`
/// what nobody asked for.
final class Section {
  /// Where its heading or its bracket stands.
  let place: Place
  private let faults: SettingsFaults
  private var members: [String: TOMLValue.Member] = [:]
  private var order: [String] = []
  private var asked: [String] = []

  init(_ members: [TOMLValue.Member], at place: Place, _ faults: SettingsFaults) {
    self.place = place
    self.faults = faults
    for member in members {
      self.members[member.key] = member
      order.append(member.key)
    }
  }

  /// The keys in the file's order.
  var keys: [String] { order }

  func has(_ key: String) -> Bool { members[key] != nil }

  /// Where the value stands, or the section itself.
  func place(of key: String) -> Place { members[key]?.value.place ?? place }

  func value(_ key: String) -> TOMLValue? {
    asked.append(key)
    return members[key]?.value
  }

  /// Tells of a value that can't be used.
  func refuse(_ key: String, allowed: String, nearest: [String] = []) {
    guard let value = members[key]?.value else { return }
    refuse(value, as: key, allowed: allowed, nearest: nearest)
  }

  func refuse(_ value: TOMLValue, as key: String, allowed: String, nearest: [String] = []) {
    let sentence = "\(key) is \(value.shown): allowed \(allowed)"
    if case .string(let word) = value.content {
      faults.add(value.place, sentence, nearest: word, in: nearest)
    } else {
      faults.add(value.place, sentence)
    }
  }

  func complain(_ place: Place, _ sentence: String) {
    faults.add(place, sentence)
  }

  /// Tells of a key that is none.
  func passOver(_ key: String, allowed: String, nearest: [String]) {
    guard let member = members[key] else { return }
    asked.append(key)
    faults.add(
      member.keyPlace, "there is no key \(quoted(key)) here: allowed \(allowed)", nearest: key,
      in: nearest)
  }

  /// Tells of the keys that nobody asked for.
  func end() {
    for key in order where !asked.contains(key) {
      guard let member = members[key] else { continue }
      faults.add(
        member.keyPlace, "there is no key \(quoted(key)) here: allowed are \(list(asked.sorted()))",
        nearest: key, in: asked)
    }
  }

  // MARK: - Values

  func text(_ key: String) -> String? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value.content, !text.isEmpty else {
      refuse(key, allowed: "is text in \"quotes\"")
      return nil
    }
    return text
  }

  func texts(_ key: String) -> [String]? {
    guard let value = value(key) else { return nil }
    guard case .array(let members) = value.content else {
      refuse(key, allowed: "is a list of texts, [\"like\", \"this\"]")
      return nil
    }
    return members.compactMap { member in
      if case .string(let text) = member.content { return text }
      refuse(member, as: key, allowed: "is text in \"quotes\"")
      return nil
    }
  }

  func flag(_ key: String) -> Bool? {
    guard let value = value(key) else { return nil }
    guard case .boolean(let flag) = value.content else {
      refuse(key, allowed: "are true and false, without quotes")
      return nil
    }
    return flag
  }

  func number(_ key: String, _ range: ClosedRange<Int>) -> Int? {
    guard let value = value(key) else { return nil }
    guard case .integer(let number) = value.content, range.contains(Int(clamping: number)) else {
      refuse(key, allowed: "are whole numbers from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return Int(number)
  }

  func decibels(_ key: String, _ range: ClosedRange<Int>) -> Decibels? {
    guard let value = value(key) else { return nil }
    let number: Double?
    switch value.content {
    case .integer(let integer): number = Double(integer)
    case .float(let float): number = float
    case .table, .array, .string, .boolean, .time: number = nil
    }
    guard let number, Double(range.lowerBound)...Double(range.upperBound) ~= number else {
      refuse(
        key, allowed: "are numbers from \(range.lowerBound) to \(range.upperBound) (decibels)")
      return nil
    }
    return Decibels(hundredths: Int((number * 100).rounded()))
  }

  func interval(_ key: String, _ range: ClosedRange<Interval>) -> Interval? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value.content, let interval = Interval(text),
      range.contains(interval)
    else {
      refuse(key, allowed: "are \"\(range.lowerBound.text)\" to \"\(range.upperBound.text)\"")
      return nil
    }
    return interval
  }

  func choice<Choice>(_ key: String, _ choices: [(name: String, choice: Choice)]) -> Choice? {
    guard let value = value(key) else { return nil }
    if case .string(let word) = value.content,
      let found = choices.first(where: { $0.name == word })
    {
      return found.choice
    }
    let names = choices.map(\.name)
    refuse(key, allowed: "are \(list(names))", nearest: names)
    return nil
  }

  func choice<Choice: CaseIterable & RawRepresentable>(_ key: String) -> Choice?
  where Choice.RawValue == String {
    choice(key, Choice.allCases.map { ($0.rawValue, $0) })
  }

  func section(_ key: String) -> Section? {
    guard let value = value(key) else { return nil }
    guard case .table(let members) = value.content else {
      refuse(key, allowed: "is a section, [\(key)]")
      return nil
    }
    return Section(members, at: value.place, faults)
  }

  /// Those of [[key]].
  func sections(_ key: String) -> [Section] {
    guard let value = value(key) else { return [] }
    guard case .array(let entries) = value.content else {
      refuse(key, allowed: "are any number of sections, each [[\(key)]] in two brackets")
      return []
    }
    return entries.compactMap { entry in
      if case .table(let members) = entry.content {
        return Section(members, at: entry.place, faults)
      }
      refuse(entry, as: key, allowed: "are any number of sections, each [[\(key)]]")
      return nil
    }
  }
}

extension TOMLValue {
  /// As a message shows it.
  var shown: String {
    switch content {
    case .table: "a section"
    case .array(let members): members.isEmpty ? "an empty list" : "a list"
    case .string(let text): quoted(text)
    case .integer(let number): String(number)
    case .float(let number): "\(number)"
    case .boolean(let flag): flag ? "true" : "false"
    case .time: "a date or time"
    }
  }
}

extension Interval {
  private static let units: [(name: String, length: Interval)] = [
    ("ms", .milliseconds(1)), ("s", .seconds(1)), ("min", .minutes(1)), ("h", .minutes(60)),
  ]

  /// Such as "300 ms", "1.5 s", "-10 s", "15 min" or "1 h".
  init?(_ text: String) {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-") }
    let unit = text[number.endIndex...].drop { $0 == " " }
    guard let length = Self.units.first(where: { $0.name == unit })?.length,
      let count = Double(number), abs(count) < 1e6
    else { return nil }
    self = Interval(nanoseconds: Int64(count * Double(length.nanoseconds)))
  }

  /// As `init` reads it.
  var text: String {
    let unit = Self.units.last { nanoseconds % $0.length.nanoseconds == 0 } ?? Self.units[0]
    if nanoseconds == 0 { return "0 s" }
    return "\(nanoseconds / unit.length.nanoseconds) \(unit.name)"
  }
}
