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
    try? folder.makeFolders()
    return folder.appending(Path("library.db"))
  }

  /// For what can be made again: systemd's cache directory for the service, else the user's own.
  static func cache() throws(PlaceError) -> Path {
    let pictures = Path("pictures")
    if let folder = variable("CACHE_DIRECTORY") {
      return Path(String(folder.prefix { $0 != ":" })).appending(pictures)
    }
    if let cache = variable("XDG_CACHE_HOME") {
      return Path(cache).appending(Path("jukebox")).appending(pictures)
    }
    guard let home = variable("HOME") else { throw PlaceError() }
    return Path(home).appending(Path(".cache/jukebox")).appending(pictures)
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name), unsafe strlen(value) > 0 else { return nil }
    return unsafe String(cString: value)
  }
}

extension Catalogue {
  /// Throws a sentence for the user if the library can only be read.
  func requireWritable() throws(ReadOnlyError) {
    if isReadOnly { throw ReadOnlyError(path: path) }
  }
}

struct ReadOnlyError: Error, CustomStringConvertible {
  let path: Path
  var description: String { "\(path) can't be written; it can only be asked" }
}

struct PlaceError: Error, CustomStringConvertible {
  var description: String {
    "no place for the library is known: give --library FILE, or set HOME"
  }
}
