internal import Glibc
internal import Jukebox
internal import Library

/// Runs a flight record through the brains and prints each event with its effects.
///
/// Lines that are no event are named on stderr and passed over. Throws if the file can't be read.
func replay(_ file: Path) throws(SystemError) {
  let name = (file.bytes + [0]).map { CChar(bitPattern: $0) }
  guard let stream = unsafe fopen(name, "r") else {
    throw SystemError(call: "\(file)", errno: errno)
  }
  defer { unsafe fclose(stream) }
  var lines: [String] = []
  var text: UnsafeMutablePointer<CChar>?
  var size = 0
  defer { unsafe free(text) }
  while true {
    let count = unsafe getline(&text, &size, stream)
    guard count > 0, let start = unsafe text else { break }
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
    let line = unsafe String(decoding: bytes, as: UTF8.self)
    lines.append(line.hasSuffix("\n") ? String(line.dropLast()) : line)
  }
  let (printed, bad) = FlightRecord.replay(lines)
  for line in printed { write(line + "\n", to: STDOUT_FILENO) }
  for number in bad {
    write("jukebox: \(file):\(number): not an event, passed over\n", to: STDERR_FILENO)
  }
}
