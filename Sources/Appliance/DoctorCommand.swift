internal import Devices
internal import Glibc
internal import Library

/// How `jukebox doctor` answers, and for which settings.
struct DoctorOptions: Equatable {
  var isJSON = false
  /// Those that the player reads where none is given.
  var files: [Path] = []

  private enum Option: String, CaseIterable {
    case json = "--json"
  }

  init(_ words: ArraySlice<[UInt8]>) throws(UsageError) {
    var words = OptionWords<Option>(words, of: "doctor")
    while let word = try words.next() {
      switch word {
      case .plain(let word): files.append(Path(word))
      case .option(.json): isJSON = true
      }
    }
  }
}

/// Looks the machine over: a line for each thing, with the remedy where something is wrong.
struct DoctorCommand {
  let options: DoctorOptions

  /// A fault ends the program with 1.
  func run() -> Ending {
    let files =
      options.files.isEmpty ? Configuration.usualFiles : options.files.map { $0.description }
    let (configuration, faults) = Configuration.load(files)
    let findings =
      Doctor(configuration).findings()
      + faults.map { Doctor.Finding(verdict: .warning, subject: "settings", words: "\($0)") }
    for finding in findings {
      write(options.isJSON ? json(finding) : text(finding), to: STDOUT_FILENO)
    }
    return findings.contains { $0.verdict == .fault } ? .nothingPlayed : .played
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
