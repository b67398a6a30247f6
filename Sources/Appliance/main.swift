internal import Glibc
internal import Library

let words = (1..<Int(CommandLine.argc)).compactMap { index in
  unsafe CommandLine.unsafeArgv[index].map { word in
    unsafe Array(UnsafeBufferPointer(start: word, count: strlen(word))).map(UInt8.init(bitPattern:))
  }
}

do throws(UsageError) {
  switch try Command(words) {
  case .help(let help): write(help.text, to: STDOUT_FILENO)
  case .version: write("jukebox \(version)\n", to: STDOUT_FILENO)
  case .play, .demo, .replay: exit(1)
  }
} catch {
  write("jukebox: \(error)\n", to: STDERR_FILENO)
  exit(2)
}
