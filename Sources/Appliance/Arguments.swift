internal import Devices
import Library

/// What the command line asks for.
enum Command: Equatable {
  case play(PlayOptions)
  case run(RunOptions)
  case demo(folder: Path)
  case replay(file: Path)
  case scan(ScanOptions)
  case query(QueryOptions)
  case media(MediaOptions)
  case playlist(PlaylistOptions)
  case picture(PictureOptions)
  case checkConfig([Path])
  case pinout(PinoutOptions)
  case learn(LearnOptions)
  case doctor(DoctorOptions)
  case help(Help)
  case version

  private enum Name: String, CaseIterable {
    case play, run, demo, replay, scan, query, media, playlist, picture
    case checkConfig = "check-config"
    case pinout, learn, doctor
    case help = "--help"
    case version = "--version"

    var help: Help {
      switch self {
      case .play: .play
      case .run: .run
      case .scan: .scan
      case .query: .query
      case .media: .media
      case .playlist: .playlist
      case .picture: .picture
      case .demo, .replay, .checkConfig, .pinout, .learn, .doctor, .help, .version: .general
      }
    }
  }

  /// From the command line's words without the program's name, as bytes since paths are bytes.
  init(_ words: [[UInt8]]) throws(UsageError) {
    var words = words[...]
    let names = Name.allCases.map(\.rawValue)
    guard let first = words.popFirst() else {
      throw UsageError("no command is given: allowed are \(list(names))")
    }
    let word = String(decoding: first, as: UTF8.self)
    guard let name = Name(rawValue: word == "-h" ? "--help" : word) else {
      throw UsageError(
        "\(quoted(word)) is no command: allowed are \(list(names))", nearest: word, in: names)
    }
    if words.prefix(while: { $0 != Array("--".utf8) }).contains(where: isHelp) {
      self = .help(name.help)
      return
    }
    switch name {
    case .play: self = .play(try PlayOptions(words))
    case .run: self = .run(try RunOptions(words))
    case .demo: self = .demo(folder: try Self.onlyPath(words, of: "demo", called: "FOLDER"))
    case .replay: self = .replay(file: try Self.onlyPath(words, of: "replay", called: "FILE"))
    case .scan: self = .scan(try ScanOptions(words))
    case .query: self = .query(try QueryOptions(words))
    case .media: self = .media(try MediaOptions(words))
    case .playlist: self = .playlist(try PlaylistOptions(words))
    case .picture: self = .picture(try PictureOptions(words))
    case .pinout: self = .pinout(try PinoutOptions(words))
    case .learn: self = .learn(try LearnOptions(words))
    case .doctor: self = .doctor(try DoctorOptions(words))
    case .checkConfig: self = .checkConfig(try Self.paths(words, of: "check-config"))
    case .help: self = .help(.general)
    case .version: self = .version
    }
  }

  private static func paths(
    _ words: ArraySlice<[UInt8]>, of command: String
  ) throws(UsageError) -> [Path] {
    let words = words.first == Array("--".utf8) ? words.dropFirst() : words
    guard !words.isEmpty, words.allSatisfy({ !$0.isEmpty }) else {
      throw UsageError("\(command) is followed by nothing: allowed are FILEs")
    }
    return words.map { Path($0) }
  }

  private static func onlyPath(
    _ words: ArraySlice<[UInt8]>, of command: String, called name: String
  ) throws(UsageError) -> Path {
    var words = words
    if words.first == Array("--".utf8) { words.removeFirst() }
    guard words.count == 1, let word = words.first, !word.isEmpty else {
      let found = words.isEmpty ? "nothing" : "\(words.count) words"
      throw UsageError("\(command) is followed by \(found): allowed is one \(name)")
    }
    return Path(word)
  }
}

/// Which help is asked for.
enum Help: Equatable {
  case general, play, run, scan, query, media, playlist, picture
}

/// A command line that can't be followed.
struct UsageError: Error, Equatable, CustomStringConvertible {
  /// One sentence: what was found, what is allowed, and the nearest right spelling if one is near.
  let description: String

  init(_ sentence: String, nearest word: String? = nil, in allowed: [String] = []) {
    let near = word.flatMap { nearestSpelling(to: $0, in: allowed) }
    description = sentence + (near.map { "; did you mean \($0)?" } ?? "")
  }
}

private func isHelp(_ word: [UInt8]) -> Bool {
  word == Array("--help".utf8) || word == Array("-h".utf8)
}

/// "a, b and c".
func list(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " and " + last
}

/// What the user wrote, in quotes and without what could upset a terminal.
func quoted(_ word: String) -> String {
  "'\(printable(word))'"
}
