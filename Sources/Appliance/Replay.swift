internal import Glibc
internal import Jukebox
internal import Library

/// Runs a flight record through the brains and prints each event with its effects.
///
/// Lines that are no event are passed over, and the first of them named on stderr; a record that has any
/// counts as not replayed.
func replay(_ file: Path) -> Ending {
  let name = (file.bytes + [0]).map { CChar(bitPattern: $0) }
  guard let stream = unsafe fopen(name, "r") else {
    let error = SystemError(call: "fopen", errno: errno)
    write("jukebox: \(printable("\(file): \(error)"))\n", to: STDERR_FILENO)
    return .nothingPlayed
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
  if let first = bad.first {
    let more = bad.count > 1 ? ", and \(bad.count - 1) more lines" : ""
    write(
      "jukebox: \(printable("\(file)")):\(first): not an event, passed over\(more)\n",
      to: STDERR_FILENO)
  }
  return bad.isEmpty ? .played : .nothingPlayed
}
