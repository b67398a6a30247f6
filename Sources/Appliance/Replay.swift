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
  guard let bytes = contents(of: arguments[0]) else {
    complain("\(arguments[0]): can't be read")
    return 2
  }
  let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    .map { String(decoding: $0, as: UTF8.self) }
  let (printed, bad) = FlightRecord.replay(lines)
  for line in printed { print(line) }
  for number in bad { complain("\(arguments[0]):\(number): not an event, passed over") }
  return bad.isEmpty ? 0 : 1
}

private func contents(of path: String) -> [UInt8]? {
  let file = unsafe open(path, O_RDONLY)
  guard file >= 0 else { return nil }
  defer { close(file) }
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = unsafe read(file, &part, part.count)
    guard count >= 0 else { return nil }
    guard count > 0 else { return bytes }
    bytes += part[..<count]
  }
}

private func complain(_ message: String) {
  let line = Array((message + "\n").utf8)
  _ = unsafe write(2, line, line.count)
}
