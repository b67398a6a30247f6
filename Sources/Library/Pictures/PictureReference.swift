internal import CTagLib
internal import Glibc
public import Jukebox

/// Where the picture of a track is; the bytes are fetched when they are wanted.
public enum PictureReference: Equatable, Sendable {
  case embedded(Path)
  case file(Path)
  /// What is to be seen of a video at a time.
  case frame(Path, at: Duration)
}

extension Catalogue {
  /// The picture of a track: the one in its file, else the one in its folder, else what is to be seen
  /// in it at a time if it is a video.
  public func picture(
    of track: TrackID, at time: Duration = .seconds(10)
  ) throws(SQLiteError) -> PictureReference? {
    try database.row(
      """
      SELECT t.hasPicture, m.root, f.path, t.file, f.picture
      FROM track t JOIN medium m ON m.id = t.medium JOIN folder f ON f.id = t.folder
      WHERE t.id = ?
      """, .integer(track.number)
    ) { row -> PictureReference? in
      let (root, inner) = (Path(row.bytes(1)), Path(row.bytes(2)))
      let folder = inner.bytes.isEmpty ? root : root.appending(inner)
      let file = folder.appending(Path(row.bytes(3)))
      if row.int(0) == 1 { return .embedded(file) }
      if !row.isNull(4) { return .file(folder.appending(Path(row.bytes(4)))) }
      return Extensions.video.contains(file.extension) ? .frame(file, at: time) : nil
    } ?? nil
  }
}

extension PictureReference {
  /// Of a file that need not be in the library: as of a track, or a picture itself.
  public init?(of file: Path, at time: Duration = .seconds(10)) {
    if Extensions.kind(of: file.name.bytes) == .picture {
      self = .file(file)
    } else if Self.embedded(in: file) != nil {
      self = .embedded(file)
    } else if let name = (try? FolderListing(file.parent))?.flatMap(\.picture) {
      self = .file(file.parent.appending(Path(name)))
    } else if Extensions.video.contains(file.extension) {
      self = .frame(file, at: time)
    } else {
      return nil
    }
  }

  /// Bigger files are taken for no pictures.
  private static let most = 16 << 20

  /// The picture's bytes as they are stored, JPEG or PNG mostly; nil if it is no longer there.
  ///
  /// No sound is decoded. A video's frame comes as a JPEG file as big as the video. May be called on any thread.
  public func bytes() -> [UInt8]? {
    switch self {
    case .file(let path):
      guard let size = path.status?.size, size > 0, size <= Self.most else { return nil }
      return try? path.contents(upTo: size)
    case .embedded(let path):
      return Self.embedded(in: path)
    case .frame:
      return try? scaled(toFit: .max)
    }
  }

  /// The front cover, else the first there is.
  private static func embedded(in path: Path) -> [UInt8]? {
    guard var file = try? OpenFile(path), let container = try? Container(of: &file),
      let format = container.tagFormat
    else { return nil }
    var gallery = Gallery()
    unsafe file.withTagFile { file in
      unsafe withUnsafeMutablePointer(to: &gallery) { gallery in
        unsafe ctaglib_pictures(file, format, gallery) { context, type, bytes, count in
          guard let context = unsafe context, let bytes = unsafe bytes else { return false }
          let found = unsafe UnsafeBufferPointer(start: bytes, count: count)
          return unsafe context.assumingMemoryBound(to: Gallery.self).pointee.add(found, type: type)
        }
      }
    }
    return gallery.best
  }
}

/// Keeps the best of the pictures that TagLib hands over.
private struct Gallery {
  private(set) var best: [UInt8]?

  /// The front cover (ID3v2's APIC, 4.14); whether no better one can come.
  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, type: Int32) -> Bool {
    if best == nil || type == 3 { best = unsafe Array(bytes) }
    return type == 3
  }
}
