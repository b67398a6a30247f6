/// What a playlist file says, not yet looked for in the file system.
struct Playlist {
  enum Kind {
    case m3u, pls, cue, xspf
  }

  /// One line of a list, or one track of a cue sheet.
  struct Item: Equatable {
    /// The file as it is spelled there: any encoding, slashes or backslashes, a URL, ...
    var target: [UInt8]
    /// Where in the file it starts.
    var start = Duration.zero
    /// Where in the file it ends; nil at the file's end.
    var end: Duration?
    /// What the list says of the music.
    var tags = Tags()
  }

  struct Failure: Error, Equatable, CustomStringConvertible {
    var description: String
  }

  /// A longer file is not a playlist.
  static let longestFile = 16 << 20
  /// The items after these are left out.
  static let mostItems = 100_000

  let kind: Kind
  private(set) var items: [Item]
  /// Whether items were left out at the end.
  let isCut: Bool

  init(_ bytes: [UInt8], kind: Kind) throws(Failure) {
    let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    if bytes.prefix(4096).contains(0), !isUTF16 {
      throw Failure(description: "not a playlist, but binary data")
    }
    let lines = Text.lines(of: bytes)
    switch kind {
    case .m3u:
      if lines.contains(where: { $0.starts(with: "#EXT-X-".utf8) }) {
        throw Failure(description: "a network stream (HLS), which is not supported")
      }
      items = Self.m3u(lines)
    case .pls: items = Self.pls(lines)
    case .cue: items = CueSheet(lines).items
    case .xspf: items = XSPF(bytes).items
    }
    if items.isEmpty { throw Failure(description: "no music is named in it") }
    self.kind = kind
    isCut = items.count > Self.mostItems
    items = Array(items.prefix(Self.mostItems))
  }

  /// The kind that a name and the first bytes show; nil if it is no playlist.
  static func kind(of path: Path, head: [UInt8]) -> Kind? {
    switch path.extension {
    case "m3u", "m3u8": return .m3u
    case "pls": return .pls
    case "cue": return .cue
    case "xspf": return .xspf
    default: break
    }
    let first = Text.lines(of: Array(head.prefix(64))).first.map(Text.string)?.uppercased() ?? ""
    if first.hasPrefix("#EXTM3U") { return .m3u }
    return first.hasPrefix("[PLAYLIST]") ? .pls : nil
  }

  /// One file a line; "#EXTINF:seconds,title" goes before its file.
  private static func m3u(_ lines: [ArraySlice<UInt8>]) -> [Item] {
    var items: [Item] = []
    var title: String?
    for line in lines.lazy.map({ $0.trimming(while: Text.isBlank) }) where !line.isEmpty {
      if line.first != UInt8(ascii: "#") {
        items.append(Item(target: Array(line), tags: Tags(title: title)))
        title = nil
        if items.count > mostItems { return items }
      } else if line.starts(with: "#EXTINF:".utf8),
        let comma = line.firstIndex(of: UInt8(ascii: ","))
      {
        let text = line[(comma + 1)...].trimming(while: Text.isBlank)
        title = text.isEmpty ? nil : Text.string(text)
      }
    }
    return items
  }

  /// "FileN=" and "TitleN=", in the order of N.
  private static func pls(_ lines: [ArraySlice<UInt8>]) -> [Item] {
    var files: [Int: Item] = [:]
    var titles: [Int: String] = [:]
    for line in lines {
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let key = Text.string(line[..<equals].trimming(while: Text.isBlank)).lowercased()
      let value = line[(equals + 1)...].trimming(while: Text.isBlank)
      if value.isEmpty { continue }
      if key.hasPrefix("file"), let number = Int(key.dropFirst(4)) {
        files[number] = Item(target: Array(value))
      } else if key.hasPrefix("title"), let number = Int(key.dropFirst(5)) {
        titles[number] = Text.string(value)
      }
      if files.count > mostItems { break }
    }
    return files.sorted { $0.key < $1.key }.map { number, item in
      Item(target: item.target, tags: Tags(title: titles[number]))
    }
  }
}
