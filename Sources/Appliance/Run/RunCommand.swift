internal import Glibc
internal import Library

/// `jukebox run`: the appliance, until a signal or a command ends it.
func runAppliance(_ options: RunOptions) throws -> Ending {
  let folder = try options.state ?? LibraryPlace.standard().parent
  let absolute = try folder.absolute()
  absolute.makeFolders()
  return try Appliance(options, state: absolute).run()
}

extension Path {
  /// Makes a folder, and those it is in, as far as that can be done; mkdir(2).
  fileprivate func makeFolders() {
    for (index, byte) in (bytes + [UInt8(ascii: "/")]).enumerated()
    where byte == UInt8(ascii: "/") && index > 0 {
      _ = unsafe withCString(Path(bytes[..<index])) { unsafe mkdir($0, 0o755) }
    }
  }
}
