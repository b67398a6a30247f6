/// A line of /proc/self/mountinfo; see proc_pid_mountinfo(5).
struct Mount: Equatable, Sendable {
  /// Another one after each mounting.
  var number: Int
  /// The device's numbers, such as "8:1".
  var device: String
  /// Which folder of the filesystem is shown there.
  var root: [UInt8]
  var point: [UInt8]
  /// What was mounted, such as "/dev/sda1".
  var source: [UInt8]
  /// Of this mount, such as "ro".
  var options: [String]

  init(
    number: Int, device: String, root: [UInt8], point: [UInt8], source: [UInt8],
    options: [String] = []
  ) {
    self.number = number
    self.device = device
    self.root = root
    self.point = point
    self.source = source
    self.options = options
  }

  /// Nil where the line is none of the kernel's.
  init?(line: some Collection<UInt8>) {
    let words = line.split(separator: UInt8(ascii: " "))
    guard words.count >= 10,
      let dash = words[6...].firstIndex(where: { $0.elementsEqual("-".utf8) }),
      words.count > dash + 2, let number = Int(String(decoding: words[0], as: UTF8.self))
    else { return nil }
    self.init(
      number: number, device: String(decoding: words[2], as: UTF8.self),
      root: unescaped(words[3]), point: unescaped(words[4]), source: unescaped(words[dash + 2]),
      options: words[5].split(separator: UInt8(ascii: ",")).map {
        String(decoding: $0, as: UTF8.self)
      })
  }

  static func table(_ text: some Collection<UInt8>) -> [Mount] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { Mount(line: $0) }
  }

  func isBelow(_ folder: [UInt8]) -> Bool {
    point.count > folder.count + 1 && point.starts(with: folder)
      && point[folder.count] == UInt8(ascii: "/")
  }
}

/// With each backslash and three octal digits put back to the byte they stand for.
private func unescaped(_ word: some Collection<UInt8>) -> [UInt8] {
  var bytes: [UInt8] = []
  var rest = Array(word)[...]
  while let byte = rest.popFirst() {
    let digits = rest.prefix(3)
    if byte == UInt8(ascii: "\\"), digits.count == 3,
      let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
    {
      bytes.append(value)
      rest = rest.dropFirst(3)
    } else {
      bytes.append(byte)
    }
  }
  return bytes
}
