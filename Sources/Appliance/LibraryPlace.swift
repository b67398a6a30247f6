internal import Glibc
internal import Library

/// Where the library's file is, unless another is named.
enum LibraryPlace {
  /// systemd's state directory for the service, else the user's own (XDG Base Directory, 0.8).
  static func standard() throws(PlaceError) -> Path {
    if let folder = variable("STATE_DIRECTORY") {
      return Path(String(folder.prefix { $0 != ":" })).appending(Path("library.db"))
    }
    let base: Path
    if let state = variable("XDG_STATE_HOME") {
      base = Path(state)
    } else if let home = variable("HOME") {
      base = Path(home).appending(Path(".local/state"))
    } else {
      throw PlaceError()
    }
    let folder = base.appending(Path("jukebox"))
    for (index, byte) in (folder.bytes + [UInt8(ascii: "/")]).enumerated()
    where byte == UInt8(ascii: "/") && index > 0 {
      unsafe mkdir(String(decoding: folder.bytes[..<index], as: UTF8.self), 0o755)
    }
    return folder.appending(Path("library.db"))
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name), unsafe strlen(value) > 0 else { return nil }
    return unsafe String(cString: value)
  }
}

struct PlaceError: Error, CustomStringConvertible {
  var description: String {
    "no place for the library is known: give --library FILE, or set HOME"
  }
}
