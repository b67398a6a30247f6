internal import Glibc

/// What is in a folder, as far as it matters to the library.
struct FolderListing {
  struct File {
    var name: [UInt8]
    var size: Int
    var modified: Int64
    /// Whether its name says that it is music; what its name does not tell is looked into.
    var isMusic: Bool
  }

  let identity: FileIdentity
  let modified: Int64
  /// Music, or what may be; by the bytes of their names, as are all of these.
  private(set) var files: [File] = []
  private(set) var playlists: [File] = []
  private(set) var subfolders: [[UInt8]] = []
  /// Links to folders, which may be on the medium too.
  private(set) var links: [[UInt8]] = []
  /// The name of the picture that stands for what is in it.
  private(set) var picture: [UInt8]?

  /// Nil for a folder that wants to be left alone, by a ".jukeboxignore" in it.
  init?(_ path: Path) throws(SystemError) {
    let folder = try OpenFolder(path)
    guard let status = folder.status else { throw SystemError(call: "fstat", errno: errno) }
    identity = status.identity
    modified = status.modified
    let members = try folder.members()
    var bestPicture = Int.max
    for member in members {
      if member.name.first == UInt8(ascii: ".") {
        if member.name == Self.ignore { return nil }
        continue
      }
      switch member.kind {
      case .other: continue
      case .folder:
        if !Self.isJunk(member.name) { subfolders.append(member.name) }
      case .file, .link, .unknown:
        let kind = Extensions.kind(of: member.name)
        if kind == .picture, let rank = Self.pictureRank(member.name), rank < bestPicture {
          (bestPicture, picture) = (rank, member.name)
        }
        let isOther = kind == .other || kind == .picture
        if member.kind == .file, isOther { continue }
        guard let status = folder.status(of: member.name) else { continue }
        switch status.kind {
        case .other: continue
        case .folder:
          if Self.isJunk(member.name) { continue }
          if member.kind == .link {
            links.append(member.name)
          } else {
            subfolders.append(member.name)
          }
        case .file:
          if isOther { continue }
          let file = File(
            name: member.name, size: status.size, modified: status.modified,
            isMusic: kind == .audio)
          if kind == .playlist { playlists.append(file) } else { files.append(file) }
        }
      }
    }
    files.sort { $0.name.lexicographicallyPrecedes($1.name) }
    playlists.sort { $0.name.lexicographicallyPrecedes($1.name) }
  }

  private static let ignore = Array(".jukeboxignore".utf8)

  /// Folders that systems leave on media; those with a dot are passed over anyway.
  private static func isJunk(_ name: [UInt8]) -> Bool {
    guard let first = name.first, [0x24, 0x53, 0x5F].contains(first) else { return false }
    return ["$RECYCLE.BIN", "System Volume Information", "__MACOSX"]
      .contains { name.elementsEqual($0.utf8) }
  }

  /// 0 for the best; nil for what is no picture of the kind.
  private static func pictureRank(_ name: [UInt8]) -> Int? {
    let path = Path(name)
    guard let kind = ["jpg", "jpeg", "png", "webp", "gif"].firstIndex(of: path.extension) else {
      return nil
    }
    let stem = path.stem.description.lowercased()
    return ["cover", "folder", "front", "album"].firstIndex(of: stem).map { $0 * 8 + kind }
  }
}
