/// Finds the files that a playlist names, however another machine spelled them.
struct Finder {
  enum Outcome: Equatable {
    case found(Path)
    case missing
    /// An address on a network.
    case network
  }

  /// The playlist's folder.
  let folder: Path
  /// The folders looked into, by names in lower case; strings compare NFC equal to NFD.
  private var listings: [Path: [String: [Path]]] = [:]
  /// The folder and those it is in, up to where the medium is mounted.
  private let folders: [Path]

  /// The playlist's folder and all above it.
  private let ancestors: Set<FileIdentity>

  init(folder: Path) {
    self.folder = folder
    var folders: [Path] = []
    var ancestors: Set<FileIdentity> = []
    var next = folder
    var device: UInt?
    while let identity = try? FileStatus(next).identity, ancestors.insert(identity).inserted {
      device = device ?? identity.device
      if device == identity.device, folders.count + 1 == ancestors.count { folders.append(next) }
      next = next.isAbsolute ? next.parent : next.appending(Path(".."))
    }
    self.folders = folders
    self.ancestors = ancestors
  }

  /// Whether a path is a folder that the playlist is in, at any depth.
  func isAncestor(_ path: Path) -> Bool {
    (try? FileStatus(path)).map { ancestors.contains($0.identity) } ?? false
  }

  /// Looks for `target` as it stands, then with each thing undone that other programs do to names.
  mutating func find(_ target: [UInt8]) -> Outcome {
    var target = target
    if let colon = target.firstIndex(of: UInt8(ascii: ":")), colon > 1,
      target[colon...].starts(with: "://".utf8)
    {
      guard Text.string(target[..<colon]).lowercased() == "file" else { return .network }
      let location = target[(colon + 3)...]
      guard let root = location.firstIndex(of: UInt8(ascii: "/")) else { return .missing }
      target = percentDecoded(Array(location[root...]))
      if driveLength(target.dropFirst()) > 0 { target.removeFirst() }
    }
    guard target.count <= 4096 else { return .missing }
    let spellings = spellings(of: target)
    for spelling in spellings {
      if let path = existing(folder.appending(spelling.path)) { return .found(path) }
    }
    for spelling in spellings {
      if let path = relaxed(spelling.path, from: folder) { return .found(path) }
    }
    for spelling in spellings where spelling.isRooted {
      if let path = onThisMedium(spelling.path) { return .found(path) }
    }
    return .missing
  }

  /// The file that a cue sheet names; if it is not there, one beside the sheet with the same name
  /// but another extension of audio, since sheets outlive the conversion of their WAV files.
  mutating func findAudio(_ target: [UInt8]) -> Path? {
    if case .found(let path) = find(target) { return path }
    for spelling in spellings(of: target) {
      let stem = spelling.path.stem.description.lowercased()
      let siblings = listing(folder).values.joined().filter {
        Extensions.audio.contains($0.extension) && $0.stem.description.lowercased() == stem
      }
      if let sibling = siblings.min(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
        return folder.appending(sibling)
      }
    }
    return nil
  }

  /// A reading of a target, and whether it starts at a root or drive of the machine it is from.
  private struct Spelling {
    var path: Path
    var isRooted: Bool
  }

  private func spellings(of target: [UInt8]) -> [Spelling] {
    var spellings = [target]
    let text = Array(Text.string(target).utf8)
    if text != target { spellings.append(text) }
    spellings += spellings.filter { $0.contains(UInt8(ascii: "%")) }.map(percentDecoded)
    let plain = spellings.map { Spelling(path: Path($0), isRooted: Path($0).isAbsolute) }
    let slashed = spellings.compactMap { spelling -> Spelling? in
      let drive = driveLength(spelling[...])
      guard drive > 0 || spelling.contains(backslash) else { return nil }
      let path = Path(spelling.dropFirst(drive).map { $0 == backslash ? slash : $0 })
      return Spelling(path: path, isRooted: drive > 0 || path.isAbsolute)
    }
    return plain + slashed
  }

  /// A path of another machine: the same below the playlist's folder or one around it, up to the
  /// medium's root; else the bare name beside the playlist.
  private mutating func onThisMedium(_ path: Path) -> Path? {
    let below = Path(path.bytes.drop { $0 == slash })
    for folder in folders {
      if let found = relaxed(below, from: folder) { return found }
    }
    return relaxed(path.name, from: folder)
  }

  /// Goes down from `folder` name by name, taking other case and normalisation where it must.
  private mutating func relaxed(_ path: Path, from folder: Path) -> Path? {
    var place = path.isAbsolute ? Path("/") : folder
    let names = path.bytes.split(separator: slash).map { Path($0) }
    guard !names.isEmpty else { return nil }
    for name in names {
      if let exact = existing(place.appending(name)) {
        place = exact
        continue
      }
      let wanted = name.description
      guard let alike = listing(place)[wanted.lowercased()] else { return nil }
      place = place.appending(alike.first { $0.description == wanted } ?? alike[0])
    }
    return existing(place)
  }

  private func existing(_ path: Path) -> Path? {
    (try? FileStatus(path)) == nil ? nil : path
  }

  private mutating func listing(_ folder: Path) -> [String: [Path]] {
    if let known = listings[folder] { return known }
    let names = (try? folder.listing()) ?? []
    let ordered = names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    let listing = Dictionary(grouping: ordered) { $0.description.lowercased() }
    listings[folder] = listing
    return listing
  }
}

private let slash = UInt8(ascii: "/")
private let backslash = UInt8(ascii: "\\")

/// 2 for a path that starts with a drive ("C:\" or "C:/"), else 0.
private func driveLength(_ path: ArraySlice<UInt8>) -> Int {
  let start = Array(path.prefix(3))
  guard start.count == 3, start[1] == UInt8(ascii: ":"), start[2] == slash || start[2] == backslash
  else { return 0 }
  let letter = start[0] | 0x20
  return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) ? 2 : 0
}

/// With each "%" and two hexadecimal digits as the byte they stand for (RFC 3986, 2.1).
private func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
  var decoded: [UInt8] = []
  var rest = bytes[...]
  while let byte = rest.popFirst() {
    if byte == UInt8(ascii: "%"), rest.count >= 2,
      let high = hexadecimal(rest[rest.startIndex]),
      let low = hexadecimal(rest[rest.startIndex + 1])
    {
      decoded.append(high << 4 | low)
      rest = rest.dropFirst(2)
    } else {
      decoded.append(byte)
    }
  }
  return decoded
}

private func hexadecimal(_ byte: UInt8) -> UInt8? {
  Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
}
