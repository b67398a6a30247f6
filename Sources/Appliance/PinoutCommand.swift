internal import Devices
internal import Glibc
internal import Library

/// What `jukebox pinout` draws, and into which file.
struct PinoutOptions: Equatable {
  var picture: Path?
  /// Settings files; those that the player reads where none is given.
  var files: [Path] = []

  private enum Option: String, CaseIterable {
    case svg = "--svg"
  }

  init(_ words: ArraySlice<[UInt8]>) throws(UsageError) {
    var words = OptionWords<Option>(words, of: "pinout")
    while let word = try words.next() {
      switch word {
      case .plain(let word): files.append(Path(word))
      case .option(.svg): picture = Path(try words.value("FILE"))
      }
    }
  }
}

/// Draws the board's header with what the settings say is wired where.
struct PinoutCommand {
  let options: PinoutOptions

  func run() -> Ending {
    let files =
      options.files.isEmpty
      ? Configuration.usualFiles : options.files.map { $0.description }
    let (configuration, faults) = Configuration.load(files)
    for fault in faults { write("jukebox: \(printable("\(fault)"))\n", to: STDERR_FILENO) }
    let pinout = Pinout(configuration)
    guard let picture = options.picture else {
      write(pinout.text, to: STDOUT_FILENO)
      return .played
    }
    let file = unsafe open(picture.description, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      let error = DeviceError(call: "open", code: errno)
      write("jukebox: \(printable(picture.description)): \(error)\n", to: STDERR_FILENO)
      return .nothingPlayed
    }
    defer { close(file) }
    write(pinout.svg, to: file)
    return .played
  }
}
