internal import CLinux
internal import Glibc
internal import Library

/// What `jukebox scan` is to scan, and how to tell of it.
struct ScanOptions: Equatable {
  var library: Path?
  var paths: [Path] = []
  var isReporting = false
  var isQuiet = false
  var isForgetting = false
  /// How many media that are away to remember.
  var kept: Int?

  private enum Option: String, CaseIterable {
    case library = "--library"
    case report = "--report"
    case quiet = "--quiet"
    case forget = "--forget"
    case keep = "--keep"
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
      }
    }
    if paths.isEmpty, kept == nil {
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
    var signals = try Signals()
    var ending = Ending.played
    for path in options.paths {
      do {
        let identity = try MediumIdentity(folder: path)
        if options.isForgetting {
          for medium in try catalogue.media() where medium.identity.uuid == identity.uuid {
            try catalogue.forget(medium.id)
          }
        } else if try !scan(path, identity, &signals) {
          ending = .nothingPlayed
        }
      } catch let error as SystemError {
        write("jukebox: \(printable("\(path): \(error)"))\n", to: STDERR_FILENO)
        ending = .nothingPlayed
      }
    }
    if let kept = options.kept { try catalogue.forget(keeping: kept) }
    return ending
  }

  /// Whether it went to its end.
  private func scan(
    _ path: Path, _ identity: MediumIdentity, _ signals: inout Signals
  ) throws -> Bool {
    let medium = try catalogue.arrived(identity, at: path.absolute())
    let scanner = try Scanner(library: catalogue.path, medium: medium, root: path.absolute())
    try scanner.start()
    let showsProgress = !options.isQuiet && isatty(STDERR_FILENO) == 1
    var waits = [
      pollfd(fd: scanner.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      unsafe poll(&waits, UInt(waits.count), -1)
      if case .end(let signal) = signals.next() {
        scanner.stop()
        if showsProgress { write("\n", to: STDERR_FILENO) }
        return try interrupted(by: signal)
      }
      for event in scanner.takeEvents() {
        switch event {
        case .found: break
        case .progressed(let progress):
          if showsProgress { write("\r" + bar(progress) + "\u{1B}[K", to: STDERR_FILENO) }
        case .failed(let reason):
          if showsProgress { write("\n", to: STDERR_FILENO) }
          write("jukebox: \(printable(reason))\n", to: STDERR_FILENO)
          return false
        case .finished(let progress):
          if showsProgress { write("\r\u{1B}[K", to: STDERR_FILENO) }
          if !options.isQuiet { write(summary(path, progress), to: STDOUT_FILENO) }
          if options.isReporting {
            for problem in try catalogue.problems(medium) {
              let line = printable("\(problem.path): \(problem.reason)")
              write("\(line)\n", to: STDOUT_FILENO)
            }
          }
          return true
        }
      }
    }
  }

  private func interrupted(by signal: Int32) throws -> Bool {
    write("jukebox: the scan is not over; what was found stays\n", to: STDERR_FILENO)
    return false
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
