internal import Audio
internal import Glibc
internal import Library

let words = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
  unsafe CommandLine.unsafeArgv[index].map { word in
    unsafe UnsafeBufferPointer(start: word, count: strlen(word)).map(UInt8.init(bitPattern:))
  }
}

func run(_ words: [[UInt8]]) throws -> Ending {
  switch try Command(words) {
  case .play(let options):
    if let file = options.file { return BounceCommand(to: file, options).run() }
    var command = try PlayCommand(options)
    return command.run()
  case .run(let options):
    return try runAppliance(options)
  case .demo(let folder):
    do {
      try Demo.write(to: folder.description)
    } catch {
      write("jukebox: \(printable("\(folder): \(error)"))\n", to: STDERR_FILENO)
      return .nothingPlayed
    }
  case .replay(let file):
    return replay(file)
  case .scan(let options):
    return try ScanCommand(options).run()
  case .query(let options):
    return try QueryCommand(options).run()
  case .media(let options):
    return try MediaCommand(options).run()
  case .playlist(let options):
    return try PlaylistCommand(options).run()
  case .picture(let options):
    return try PictureCommand(options).run()
  case .checkConfig(let files):
    return try CheckConfigCommand(files: files).run()
  case .pinout(let options):
    return PinoutCommand(options: options).run()
  case .learn(let options):
    return try LearnCommand(options: options).run()
  case .doctor(let options):
    return try DoctorCommand(options: options).run()
  case .help(let help):
    write(help.text, to: STDOUT_FILENO)
  case .version:
    write("jukebox \(version)\n", to: STDOUT_FILENO)
  }
  return .played
}

/// What happened, and the sentence for it on stderr where it is a failure.
func ending(_ words: [[UInt8]]) -> Ending {
  do {
    return try run(words)
  } catch {
    write("jukebox: \(printable("\(error)"))\n", to: STDERR_FILENO)
    return error is UsageError ? .wrongUsage : .nothingPlayed
  }
}

ending(words).endProcess()
