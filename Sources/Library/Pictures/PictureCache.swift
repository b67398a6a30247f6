internal import Glibc

/// Scaled pictures, kept in a folder whose size is bounded; those used longest ago go first.
///
/// Several caches, also of several processes, may share a folder. Any thread may ask.
public struct PictureCache: Sendable {
  private let folder: Path
  /// Bytes of all files together.
  private let limit: Int

  /// The folder is made when there is something to keep.
  public init(_ folder: Path, limit: Int = 32 << 20) {
    self.folder = folder
    self.limit = limit
  }

  /// A picture that fits a square of `side` pixels, as a JPEG or PNG file has it; never enlarged.
  public func picture(
    _ reference: PictureReference, side: Int
  ) throws(PictureError) -> [UInt8] {
    guard let status = reference.path.status else { throw .notThere }
    let name = Self.name(of: reference, status, side)
    let kept = folder.appending(name)
    if let size = kept.status?.size, size > 0, let bytes = try? kept.contents(upTo: size) {
      _ = unsafe kept.withCString { unsafe utimensat(AT_FDCWD, $0, nil, 0) }
      return bytes
    }
    let bytes = try reference.scaled(toFit: side)
    // What can't be kept is made again.
    try? keep(bytes, as: name)
    return bytes
  }

  /// Written beside its place and renamed, so that none is ever there in part.
  private func keep(_ bytes: [UInt8], as name: Path) throws(SystemError) {
    try folder.makeFolders()
    let temporary = folder.appending(Path(Array(".\(getpid())-".utf8) + name.bytes))
    do throws(SystemError) {
      try temporary.write(bytes)
      try temporary.rename(to: folder.appending(name))
    } catch {
      temporary.remove()
      throw error
    }
    trim()
  }

  /// Deletes what was used longest ago until the rest is within the limit.
  private func trim() {
    let files = ((try? folder.listing()) ?? []).compactMap { name -> (Path, Int, Int64)? in
      let path = folder.appending(name)
      return path.status.map { (path, $0.size, $0.modified) }
    }
    var total = files.reduce(0) { $0 + $1.1 }
    for (path, size, _) in files.sorted(by: { $0.2 < $1.2 }) {
      if total <= limit { return }
      path.remove()
      total -= size
    }
  }

  /// 128 bits of all that tells one picture from others (FNV-1a, twice).
  private static func name(
    of reference: PictureReference, _ status: FileStatus, _ side: Int
  ) -> Path {
    let text = "\(reference.kind) \(status.size) \(status.modified) \(side) "
    let key = Array(text.utf8) + reference.path.bytes
    let halves = [0xCBF2_9CE4_8422_2325, 0x8422_2325_CBF2_9CE4].map { (start: UInt64) in
      key.reduce(start) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
    return Path(halves.map { String($0, radix: 16) }.joined(separator: "-"))
  }
}

extension PictureReference {
  /// Scaled to fit a square of `side` pixels, as a JPEG or PNG file has it; never enlarged.
  ///
  /// A JPEG or PNG picture that fits is given as it is. May be called on any thread.
  public func scaled(toFit side: Int) throws(PictureError) -> [UInt8] {
    let side = max(1, side)
    if case .frame(let video, let time) = self {
      return try Picture(of: video, at: time).encoded(toFit: side)
    }
    guard let bytes = bytes() else { throw .notThere }
    let picture = try Picture(decoding: bytes, toFit: side)
    let kind = PictureKind(bytes)
    let isPlain = kind == .jpeg || kind == .png
    if isPlain, max(picture.width, picture.height) <= side, !picture.isShrunk { return bytes }
    return try picture.encoded(toFit: side)
  }

  var path: Path {
    switch self {
    case .embedded(let path), .file(let path), .frame(let path, _): path
    }
  }

  fileprivate var kind: String {
    switch self {
    case .embedded: "embedded"
    case .file: "file"
    case .frame(_, let time): "frame \(time)"
    }
  }
}
