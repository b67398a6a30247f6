internal import CGPIOD
internal import Glibc
internal import Jukebox

/// A GPIO chip; it stays open as long as one of its lines is held.
@safe final class Chip {
  /// Of the boards that are known here, in the order they are looked for; the same in every kernel, as
  /// the numbers are not.
  static let usualLabels = ["pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"]

  let path: String
  let label: String
  let count: Int
  fileprivate let handle: OpaquePointer

  /// gpiod_chip_open.
  init(_ path: String) throws(DeviceError) {
    guard let handle = unsafe gpiod_chip_open(path) else {
      throw DeviceError(call: "gpiod_chip_open", code: errno)
    }
    unsafe self.handle = unsafe handle
    self.path = path
    count = Int(unsafe cgpiod_count(handle))
    label = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      unsafe text.baseAddress.flatMap { unsafe cgpiod_label(handle, $0, text.count) }
        .map { unsafe String(cString: $0) } ?? ""
    }
  }

  deinit {
    unsafe gpiod_chip_close(handle)
  }

  /// Its name, and who holds it (nil where it is free, empty where the holder gave no name).
  func info(of line: Line) -> (name: String, holder: String?)? {
    var info = cgpiod_line()
    guard unsafe cgpiod_line_info(handle, UInt32(line.number), &info) == 0 else { return nil }
    let name = unsafe withUnsafeBytes(of: &info.name) { unsafe text($0) }
    let holder = unsafe withUnsafeBytes(of: &info.consumer) { unsafe text($0) }
    return (name, info.is_used ? holder : nil)
  }

  /// "/dev/gpiochip0" and so on.
  static var paths: [String] {
    guard let folder = unsafe opendir("/dev") else { return [] }
    defer { unsafe closedir(folder) }
    var paths: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe text($0) }
      if name.hasPrefix("gpiochip") { paths.append("/dev/" + name) }
    }
    return paths.sorted()
  }
}

private func text(_ bytes: UnsafeRawBufferPointer) -> String {
  unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
}

/// A line that is held, as an input that tells its edges or as an output; let go of at its end.
@safe final class LineRequest {
  let line: Line
  private let chip: Chip
  private var request: cgpiod_request
  /// As other programs see who holds the line.
  private static let consumer = "jukebox"

  /// An input; cgpiod_listen.
  init(_ line: Line, of chip: Chip, _ pull: Pull) throws(DeviceError) {
    var request = unsafe cgpiod_request()
    guard
      unsafe cgpiod_listen(
        chip.handle, UInt32(line.number), pull.bias, Self.consumer, &request) == 0
    else { throw DeviceError(call: "gpiod_line_request", code: errno) }
    let descriptor = unsafe cgpiod_descriptor(&request)
    guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
      let code = errno
      unsafe cgpiod_release(&request)
      throw DeviceError(call: "fcntl", code: code)
    }
    self.line = line
    self.chip = chip
    unsafe self.request = unsafe request
  }

  /// An output; cgpiod_drive.
  init(_ line: Line, of chip: Chip, isHigh: Bool) throws(DeviceError) {
    var request = unsafe cgpiod_request()
    guard
      unsafe cgpiod_drive(
        chip.handle, UInt32(line.number), isHigh, Self.consumer, &request) == 0
    else { throw DeviceError(call: "gpiod_line_request", code: errno) }
    self.line = line
    self.chip = chip
    unsafe self.request = unsafe request
  }

  deinit {
    unsafe cgpiod_release(&request)
  }

  var descriptor: Int32 { unsafe cgpiod_descriptor(&request) }

  /// Nil where it can't be read, as when the chip is gone.
  var isHigh: Bool? {
    let level = unsafe cgpiod_level(&request)
    return level < 0 ? nil : level == 1
  }

  func set(isHigh: Bool) {
    unsafe cgpiod_set_level(&request, isHigh)
  }

  /// What came since; empty where nothing did.
  func edges() -> [LineHistory.Edge] {
    unsafe withUnsafeTemporaryAllocation(of: cgpiod_edge.self, capacity: Int(CGPIOD_EDGES)) {
      edges in
      let count = unsafe edges.baseAddress.map { unsafe cgpiod_read(&request, $0) } ?? 0
      return unsafe edges.prefix(Int(max(count, 0))).map {
        LineHistory.Edge(
          time: Instant(nanoseconds: $0.nanoseconds), isHigh: $0.is_rising,
          sequence: $0.sequence)
      }
    }
  }
}

extension Pull {
  fileprivate var bias: cgpiod_bias {
    switch self {
    case .up: CGPIOD_PULL_UP
    case .down: CGPIOD_PULL_DOWN
    case .none: CGPIOD_NO_PULL
    case .asIs: CGPIOD_AS_IS
    }
  }
}
