/// What a remote asks for.
public enum Request: Equatable, Sendable {
  case ping
  case close
  case status
  case currentSong
  /// The queue's items from one place on, and up to another; nil is all of them.
  case playlist(Range<Int>?)
  case playlistID(UInt32?)
  /// The queue's place; nil goes on with what is current.
  case play(Int?)
  case playID(UInt32?)
  /// Nil changes it.
  case pause(Bool?)
  case stop
  case next
  case previous
  /// Seconds from the start, or from the place that is heard now.
  case seekCurrent(Double, isRelative: Bool)
  case seek(Int, Double)
  case seekID(UInt32, Double)
  /// Levels of 0 to 100.
  case setVolume(Int)
  case changeVolume(Int)
  case volume
  case setRepeat(Bool)
  case setRandom(Bool)
  case setSingle(Bool)
  case setConsume(Bool)
  case add(String)
  case clear
  case delete(Range<Int>)
  case deleteID(UInt32)
  case commands
  case outputs
  case tagTypes
  /// Subsystems to wait for; empty for all.
  case idle(Set<Subsystem>)
  case noIdle

  /// Our own: a command by its name, a knob by its first line, a line's level and when it changed.
  case press(String)
  case turn(UInt16, Int)
  case edge(UInt16, isHigh: Bool, nanoseconds: Int64)
  case eject
}

/// What a remote can wait for a change of.
public enum Subsystem: String, CaseIterable, Sendable {
  case database, update, playlist, player, mixer, options, output
  case storedPlaylist = "stored_playlist"
  case sticker, subscription, message, neighbor, mount, partition
}

extension Request {
  /// Every command's name, and the least and the most arguments it takes.
  private static let known: [String: ClosedRange<Int>] = [
    "ping": 0...0, "close": 0...0, "status": 0...0, "currentsong": 0...0, "playlistinfo": 0...1,
    "playlistid": 0...1, "play": 0...1, "playid": 0...1, "pause": 0...1, "stop": 0...0,
    "next": 0...0,
    "previous": 0...0, "seekcur": 1...1, "seek": 2...2, "seekid": 2...2, "setvol": 1...1,
    "volume": 1...1, "getvol": 0...0, "repeat": 1...1, "random": 1...1, "single": 1...1,
    "consume": 1...1, "add": 1...1, "clear": 0...0, "delete": 1...1, "deleteid": 1...1,
    "commands": 0...0, "outputs": 0...0, "tagtypes": 0...100, "idle": 0...100, "noidle": 0...0,
    "press": 1...1, "turn": 2...2, "edge": 3...3, "eject": 0...0,
  ]

  /// All commands, in order.
  public static var names: [String] { known.keys.sorted() }

  init(_ line: CommandLine) throws(Refusal) {
    let words = line.arguments
    guard let allowed = Self.known[line.name] else {
      throw Refusal(.unknown, "unknown command \"\(printable(line.name))\"")
    }
    guard allowed.contains(words.count) else {
      throw Refusal(.argument, "wrong number of arguments for \"\(line.name)\"")
    }
    let first = words.first ?? ""
    switch line.name {
    case "ping": self = .ping
    case "close": self = .close
    case "status": self = .status
    case "currentsong": self = .currentSong
    case "playlistinfo": self = .playlist(words.isEmpty ? nil : try Self.range(first))
    case "playlistid": self = .playlistID(words.isEmpty ? nil : try Self.number(first))
    case "play":
      let place: Int? = words.isEmpty || first == "-1" ? nil : try Self.number(first)
      self = .play(place)
    case "playid":
      let item: UInt32? = words.isEmpty || first == "-1" ? nil : try Self.number(first)
      self = .playID(item)
    case "pause": self = .pause(words.isEmpty ? nil : try Self.flag(first))
    case "stop": self = .stop
    case "next": self = .next
    case "previous": self = .previous
    case "seekcur":
      self = .seekCurrent(
        try Self.decimal(first), isRelative: first.hasPrefix("+") || first.hasPrefix("-"))
    case "seek": self = .seek(try Self.number(first), try Self.decimal(words[1]))
    case "seekid": self = .seekID(try Self.number(first), try Self.decimal(words[1]))
    case "setvol": self = .setVolume(try Self.number(first, in: 0...100))
    case "volume": self = .changeVolume(try Self.number(first, in: -100...100))
    case "getvol": self = .volume
    case "repeat": self = .setRepeat(try Self.flag(first))
    case "random": self = .setRandom(try Self.flag(first))
    case "single": self = .setSingle(try Self.flag(first))
    case "consume": self = .setConsume(try Self.flag(first))
    case "add": self = .add(first)
    case "clear": self = .clear
    case "delete": self = .delete(try Self.range(first))
    case "deleteid": self = .deleteID(try Self.number(first))
    case "commands": self = .commands
    case "outputs": self = .outputs
    case "tagtypes": self = .tagTypes
    case "idle":
      var subsystems: Set<Subsystem> = []
      for word in words {
        guard let subsystem = Subsystem(rawValue: word) else {
          throw Refusal(.argument, "Unrecognized idle event: \(printable(word))")
        }
        subsystems.insert(subsystem)
      }
      self = .idle(subsystems)
    case "noidle": self = .noIdle
    case "press": self = .press(first)
    case "turn": self = .turn(try Self.number(first), try Self.number(words[1], in: -100...100))
    case "edge":
      self = .edge(
        try Self.number(first), isHigh: try Self.flag(words[1]),
        nanoseconds: try Self.number(words[2]))
    case "eject": self = .eject
    default: throw Refusal(.unknown, "unknown command \"\(line.name)\"")
    }
  }

  // MARK: - Arguments

  private static func number<Number: FixedWidthInteger>(
    _ word: String, in range: ClosedRange<Number> = Number(0)...Number.max
  ) throws(Refusal) -> Number {
    let digits = word.hasPrefix("+") ? String(word.dropFirst()) : word
    guard let number = Number(digits) else {
      throw Refusal(.argument, "Integer expected: \(printable(word))")
    }
    guard range.contains(number) else {
      throw Refusal(.argument, "Number out of range: \(printable(word))")
    }
    return number
  }

  private static func flag(_ word: String) throws(Refusal) -> Bool {
    guard word == "0" || word == "1" else {
      throw Refusal(.argument, "Boolean (0/1) expected: \(printable(word))")
    }
    return word == "1"
  }

  private static func decimal(_ word: String) throws(Refusal) -> Double {
    guard word.allSatisfy({ "+-.0123456789".contains($0) }), let value = Double(word),
      abs(value) < 1e9
    else { throw Refusal(.argument, "Number expected: \(printable(word))") }
    return value
  }

  /// "4" is one place, "4:8" those from 4 on and before 8, "4:" those from 4 on.
  private static func range(_ word: String) throws(Refusal) -> Range<Int> {
    guard let colon = word.firstIndex(of: ":") else {
      let place: Int = try number(word, in: 0...Int(Int32.max))
      return place..<place + 1
    }
    let start: Int = try number(String(word[..<colon]), in: 0...Int(Int32.max))
    let last = word[word.index(after: colon)...]
    let end: Int = last.isEmpty ? .max : try number(String(last), in: 0...Int(Int32.max))
    guard start <= end else { throw Refusal(.argument, "Bad range: \(printable(word))") }
    return start..<end
  }
}

/// On one line, and not too long for one.
func printable(_ text: String) -> String {
  String(
    String.UnicodeScalarView(
      text.unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
}
