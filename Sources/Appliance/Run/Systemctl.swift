internal import CLinux
internal import Glibc
internal import Library

/// What only the system may do, and does for the service's user (systemd/polkit.rules).
enum Systemctl {
  /// Switches the board off; nil, or what went wrong.
  static func powerOff() -> String? { run("poweroff") }

  /// Unmounts what the mount unit of a device, such as "/dev/sda1", has mounted.
  static func unmount(_ node: String) -> String? {
    run("stop", "jukebox-mount@\(Path(node).name).service")
  }

  /// Waits for its end.
  private static func run(_ words: String...) -> String? {
    let line = ["systemctl"] + words
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe line.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    let code = unsafe clinux_run(&pointers)
    return code == 0 ? nil : "\(line.joined(separator: " ")) ended with \(code)"
  }
}
