internal import CLinux
internal import Devices
internal import Glibc
internal import Jukebox
internal import Library

/// How `jukebox doctor` answers, and for which settings.
struct DoctorOptions: Equatable {
  var isJSON = false
  /// Tells what buttons do, instead of what is the case.
  var showsPresses = false
  /// Those that the player reads where none is given.
  var files: [Path] = []

  private enum Option: String, CaseIterable {
    case json = "--json"
    case press = "--press"
  }

  init(_ words: ArraySlice<[UInt8]>) throws(UsageError) {
    var words = OptionWords<Option>(words, of: "doctor")
    while let word = try words.next() {
      switch word {
      case .plain(let word): files.append(Path(word))
      case .option(.json): isJSON = true
      case .option(.press): showsPresses = true
      }
    }
  }
}

/// Looks the machine over: a line for each thing, with the remedy where something is wrong.
struct DoctorCommand {
  let options: DoctorOptions

  /// A fault ends the program with 1.
  func run() throws -> Ending {
    let files =
      options.files.isEmpty ? Configuration.usualFiles : options.files.map { $0.description }
    let (configuration, faults) = Configuration.load(files)
    if options.showsPresses { return try showPresses(configuration) }
    let findings =
      Doctor(configuration).findings()
      + faults.map { Doctor.Finding(verdict: .warning, subject: "settings", words: "\($0)") }
    for finding in findings {
      write(options.isJSON ? json(finding) : text(finding), to: STDOUT_FILENO)
    }
    return findings.contains { $0.verdict == .fault } ? .nothingPlayed : .played
  }

  /// Until a signal ends it; what is open needs no closing.
  private func showPresses(_ configuration: Configuration) throws -> Ending {
    var presses = try Presses(configuration)
    for trouble in presses.troubles {
      write("jukebox: \(printable("\(trouble)"))\n", to: STDERR_FILENO)
    }
    guard !presses.lines.isEmpty else { return .nothingPlayed }
    let lines = list(presses.lines.map { String($0.number) })
    if !options.isJSON {
      write("Listening to GPIO \(lines): press and turn; Ctrl-C ends.\n", to: STDOUT_FILENO)
    }
    while true {
      let now = clinux_now()
      clinux_await(presses.descriptor, presses.deadline.map { max(0, $0.nanoseconds - now) } ?? -1)
      for burst in presses.next(at: Instant(nanoseconds: clinux_now())) {
        write(options.isJSON ? json(burst) : text(burst), to: STDOUT_FILENO)
      }
    }
  }

  private func text(_ burst: Burst) -> String {
    let microseconds = burst.width.nanoseconds / 1_000
    return "GPIO \(burst.line.number) \(burst.isHigh ? "high" : "low")"
      + (burst.bounces == 0
        ? ", clean\n" : ", \(burst.bounces) bounces in \(microseconds) microseconds\n")
  }

  private func json(_ burst: Burst) -> String {
    JSONObject([
      "line": .number(Int(burst.line.number)), "level": .number(burst.isHigh ? 1 : 0),
      "bounces": .number(burst.bounces),
      "nanoseconds": .number(Int(burst.width.nanoseconds)),
    ]).line
  }

  private func text(_ finding: Doctor.Finding) -> String {
    padded(finding.verdict.rawValue, 9) + padded(finding.subject, 15) + printable(finding.words)
      + "\n"
  }

  private func padded(_ word: String, _ width: Int) -> String {
    word + String(repeating: " ", count: max(1, width - word.count))
  }

  private func json(_ finding: Doctor.Finding) -> String {
    JSONObject([
      "verdict": .text(finding.verdict.rawValue), "subject": .text(finding.subject),
      "words": .text(finding.words),
    ]).line
  }
}
