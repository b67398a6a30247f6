internal import Devices
internal import Glibc
internal import Library

/// Reads settings files as the player would, and tells what is wrong with each.
struct CheckConfigCommand {
  let files: [Path]

  /// Like any failure, a fault ends the program with 1.
  func run() throws(DeviceError) -> Ending {
    var configuration = Configuration()
    var faults: [SettingsFault] = []
    for file in files {
      guard let bytes = try Configuration.contents(of: file.description) else {
        write("jukebox: \(printable(file.description)): there is no such file\n", to: STDERR_FILENO)
        return .nothingPlayed
      }
      faults += configuration.read(bytes, named: file.description)
    }
    for fault in faults { write(printable("\(fault)") + "\n", to: STDOUT_FILENO) }
    guard faults.isEmpty else {
      let count = faults.count == 1 ? "1 entry has" : "\(faults.count) entries have"
      write("\(count) no effect; all else has\n", to: STDOUT_FILENO)
      return .nothingPlayed
    }
    write("nothing is wrong\n", to: STDOUT_FILENO)
    return .played
  }
}
