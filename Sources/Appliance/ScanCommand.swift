internal import CLinux
internal import Glibc
internal import Jukebox
internal import Library

/// What `jukebox scan` is to scan, and how to tell of it.
struct ScanOptions: Equatable {
  var library: Path?
  var paths: [Path] = []
  var isReporting = false
  var isQuiet = false
  var isForgetting = false
  /// Whether to measure how loud the tracks are that don't say it.
  var isMeasuring = false
  /// How many media that are away to remember.
  var kept: Int?

  private enum Option: String, CaseIterable {
    case library = "--library"
    case report = "--report"
    case quiet = "--quiet"
    case forget = "--forget"
    case keep = "--keep"
    case loudness = "--loudness"
  }

  init(_ words: ArraySlice<[UInt8]>) throws(UsageError) {
    var words = OptionWords<Option>(words, of: "scan")
    while let word = try words.next() {
      switch word {
      case .plain(let path):
        guard !path.isEmpty else { throw UsageError("'' is no PATH: allowed are folders") }
        paths.append(Path(path))
      case .option(.library): library = Path(try words.value("FILE"))
      case .option(.report): isReporting = true
      case .option(.quiet): isQuiet = true
      case .option(.forget): isForgetting = true
      case .option(.keep): kept = try words.number()
      case .option(.loudness): isMeasuring = true
      }
    }
    if paths.isEmpty, kept == nil, !isMeasuring {
      throw UsageError("scan has nothing to scan: allowed is scan PATH...")
    }
  }
}

/// Takes the music of folders into the library, and shows how it goes.
struct ScanCommand {
  private let options: ScanOptions
  private let catalogue: Catalogue

  init(_ options: ScanOptions) throws {
    self.options = options
    catalogue = try Catalogue(options.library ?? LibraryPlace.standard())
    if let aside = catalogue.setAside {
      write("jukebox: the library was damaged; it is kept as \(aside)\n", to: STDERR_FILENO)
    }
  }

  func run() throws -> Ending {
    try catalogue.requireWritable()
    var signals = try Signals()
    let absent = try catalogue.noticeAbsent()
    for medium in absent {
      tell("\(medium.root) is not here; its tracks are away until it is back", to: STDOUT_FILENO)
    }
    var ending = Ending.played
    for path in options.paths {
      do {
        if try !take(path, &signals) { ending = .nothingPlayed }
      } catch let error as SystemError {
        if try absent.contains(where: { try $0.root == path.absolute() }) { continue }
        tell("jukebox: \(path): \(error)", to: STDERR_FILENO)
        ending = .nothingPlayed
      }
    }
    if options.isMeasuring, options.paths.isEmpty, try !measure(nil, &signals) {
      ending = .nothingPlayed
    }
    if let kept = options.kept { try catalogue.forget(keeping: kept) }
    return ending
  }

  private func tell(_ sentence: String, to descriptor: Int32) {
    write(printable(sentence) + "\n", to: descriptor)
  }

  /// Scans or forgets what is at a path; whether it went to its end.
  private func take(_ path: Path, _ signals: inout Signals) throws -> Bool {
    let identity = try MediumIdentity(folder: path)
    if options.isForgetting {
      for medium in try catalogue.media() where medium.identity.uuid == identity.uuid {
        try catalogue.forget(medium.id)
      }
      return true
    }
    var outcome = try scan(path, identity, &signals)
    if outcome == .damaged, try catalogue.beginAnew() {
      if let aside = catalogue.setAside {
        tell("jukebox: the library was damaged; it is kept as \(aside)", to: STDERR_FILENO)
      }
      outcome = try scan(path, identity, &signals)
    }
    guard outcome == .finished, options.isMeasuring else { return outcome == .finished }
    return try measure(catalogue.arrived(identity, at: path.absolute()), &signals)
  }

  private enum Outcome {
    case finished, failed, damaged
  }

  private var showsProgress: Bool { !options.isQuiet && isatty(STDERR_FILENO) == 1 }

  private func showProgress(_ line: String) {
    if showsProgress { write("\r" + line + "\u{1B}[K", to: STDERR_FILENO) }
  }

  private func scan(
    _ path: Path, _ identity: MediumIdentity, _ signals: inout Signals
  ) throws -> Outcome {
    let medium = try catalogue.arrived(identity, at: path.absolute())
    let scanner = try Scanner(library: catalogue.path, medium: medium, root: path.absolute())
    try scanner.start()
    // Also waits until its connection is closed, so that the library is one file again.
    defer { scanner.stop() }
    while wait(scanner.descriptor, &signals) {
      for event in scanner.takeEvents() {
        switch event {
        case .found: break
        case .progressed(let progress): showProgress(bar(progress))
        case .failed(let reason):
          if showsProgress { write("\n", to: STDERR_FILENO) }
          tell("jukebox: \(reason)", to: STDERR_FILENO)
          return scanner.hasFoundDamage ? .damaged : .failed
        case .finished(let progress):
          showProgress("")
          if !options.isQuiet { write(summary(path, progress), to: STDOUT_FILENO) }
          if options.isReporting {
            for problem in try catalogue.problems(medium) {
              tell("\(problem.path): \(problem.reason)", to: STDOUT_FILENO)
            }
          }
          return .finished
        }
      }
    }
    if showsProgress { write("\n", to: STDERR_FILENO) }
    tell("jukebox: the scan is not over; what was found stays", to: STDERR_FILENO)
    return .failed
  }

  /// Measures what has not been yet, of one medium or of all that are here; whether it went to its end.
  private func measure(_ medium: MediumID?, _ signals: inout Signals) throws -> Bool {
    let survey = try LoudnessSurvey(
      library: catalogue.path, medium: medium, sound: MeasuredSound.read)
    try survey.start()
    defer { survey.stop() }
    while wait(survey.descriptor, &signals) {
      for event in survey.takeEvents() {
        switch event {
        case .progressed(let done, let total):
          showProgress("loudness of \(done) of \(total) tracks")
        case .failed(let reason):
          if showsProgress { write("\n", to: STDERR_FILENO) }
          tell("jukebox: \(reason)", to: STDERR_FILENO)
          return false
        case .finished(let count):
          showProgress("")
          if !options.isQuiet { tell("loudness of \(count) tracks measured", to: STDOUT_FILENO) }
          return true
        }
      }
    }
    if showsProgress { write("\n", to: STDERR_FILENO) }
    tell("jukebox: not all loudness is measured; what was measured stays", to: STDERR_FILENO)
    return false
  }

  /// Waits until there are events; false if a signal asks for the end.
  private func wait(_ descriptor: Int32, _ signals: inout Signals) -> Bool {
    var waits = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    unsafe poll(&waits, UInt(waits.count), -1)
    if case .end = signals.next() { return false }
    return true
  }

  /// "[#####.....]  1200 of 2400 files, 3 failed, 2100 a second".
  private func bar(_ progress: ScanProgress) -> String {
    let width = 24
    let share = progress.unread > 0 ? progress.done * width / progress.unread : 0
    let filled = progress.isWalked ? min(share, width) : 0
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
    let seconds = progress.elapsed / .seconds(1)
    let rate = seconds > 0 ? Int(Double(progress.done) / seconds) : 0
    let about = progress.isWalked ? "" : "at least "
    return "[\(bar)] \(progress.done) of \(about)\(progress.unread) files"
      + (progress.failed > 0 ? ", \(progress.failed) failed" : "") + ", \(rate) a second"
  }

  private func summary(_ path: Path, _ progress: ScanProgress) -> String {
    let seconds = progress.elapsed / .seconds(1)
    let parts = [
      (progress.added, "new"), (progress.changed, "changed"), (progress.moved, "moved"),
      (progress.removed, "gone"), (progress.failed, "failed"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let news = parts.isEmpty ? "nothing has changed" : list(parts)
    let hundredths = String(Int(seconds * 100) % 100 + 100).dropFirst()
    return "\(printable("\(path)")): \(progress.seen) files, \(news)"
      + " (\(Int(seconds)).\(hundredths) s)\n"
  }
}

extension Path {
  /// Seen from the root, as it is from where the process is now.
  func absolute() throws(SystemError) -> Path {
    if isAbsolute { return self }
    guard let here = unsafe getcwd(nil, 0) else { throw SystemError(call: "getcwd", errno: errno) }
    defer { unsafe free(here) }
    return Path(unsafe String(cString: here)).appending(self)
  }
}
