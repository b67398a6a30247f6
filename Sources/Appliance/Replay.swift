internal import CLinux
internal import Jukebox

/// `jukebox replay FILE`: runs a flight record through the brains and prints each event's effects.
///
/// - Returns: 0; 1 where a line was no event; 2 where the file can't be read or none is named.
func replay(_ arguments: [String]) -> Int32 {
  guard arguments.count == 1 else {
    complain("usage: jukebox replay FILE")
    return 2
  }
  guard let file = unsafe fopen(arguments[0], "r") else {
    complain("\(arguments[0]): cannot be read")
    return 2
  }
  defer { unsafe fclose(file) }
  var lines: [String] = []
  var text: UnsafeMutablePointer<CChar>?
  var size = 0
  defer { unsafe free(text) }
  while true {
    let count = unsafe getline(&text, &size, file)
    guard count > 0, let start = unsafe text else { break }
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
    let line = unsafe String(decoding: bytes, as: UTF8.self)
    lines.append(line.hasSuffix("\n") ? String(line.dropLast()) : line)
  }
  let (printed, bad) = FlightRecord.replay(lines)
  for line in printed { print(line) }
  for number in bad { complain("\(arguments[0]):\(number): not an event, passed over") }
  return bad.isEmpty ? 0 : 1
}

private func complain(_ message: String) {
  unsafe _ = fputs(message + "\n", stderr)
}
