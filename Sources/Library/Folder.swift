internal import Jukebox

/// A folder that is being opened: its music files are read one by one, then put in order.
struct Folder {
  /// The folders in it, in order.
  private(set) var subfolders: [Path] = []

  /// More files than this are no album: they stand by name, and their tags are not waited for.
  private static let albumLimit = 500

  private let path: Path
  /// The files whose tags are still to be read, the next at the end.
  private var unread: [Path] = []
  private var files: [Path: Tags] = [:]
  private var sheets: [(path: Path, tracks: [(path: Path, item: Playlist.Item)])] = []

  init(_ path: Path) throws(SystemError) {
    self.path = path
    let names = try path.listing().filter { !Self.isHidden($0) }
      .sorted { NaturalOrder.precedes($0.description, $1.description) }
    var sheetPaths: [Path] = []
    var members: [FileIdentity: Path] = [:]
    for name in names {
      let member = path.appending(name)
      guard let status = try? FileStatus(member) else { continue }
      if status.kind == .folder {
        subfolders.append(member)
      } else if status.kind == .file {
        if name.extension == "cue", status.size <= 1 << 20 {
          sheetPaths.append(member)
        } else if !Extensions.other.contains(name.extension) {
          unread.append(member)
          members[status.identity] = member
        }
      }
    }
    takeSheets(sheetPaths, among: members)
    if unread.count > Self.albumLimit {
      for file in unread where Extensions.audio.contains(file.extension) { files[file] = Tags() }
      unread = []
    }
    unread.reverse()
  }

  /// Reads one more file's tags; false if there is none left.
  mutating func readNext() -> Bool {
    guard let file = unread.popLast() else { return false }
    let reading = try? Reading(of: file)
    if reading?.container != nil || Extensions.audio.contains(file.extension) {
      files[file] = reading?.tags ?? Tags()
    }
    return true
  }

  /// What to play of the folder itself, in order; to be asked when all is read.
  ///
  /// Files of one album stay together, by disc and track; albums, and files where nothing tells
  /// them apart, stand by name.
  func entries() -> [Entry] {
    var pieces: [Piece] = []
    let covered = Set(sheets.flatMap { $0.tracks.map(\.path) })
    for (file, tags) in files where !covered.contains(file) {
      var tags = tags
      tags.fill(fromNameOf: file)
      pieces.append(Piece(path: file, entries: [Entry(path: file, tags: tags)]))
    }
    for sheet in sheets {
      let entries = sheet.tracks.map {
        Entry(path: $0.path, item: $0.item, fileTags: files[$0.path] ?? Tags())
      }
      pieces.append(Piece(path: sheet.path, entries: entries))
    }
    pieces.sort(by: Piece.nameOrder)
    var places: [String: Int] = [:]
    for (place, piece) in pieces.enumerated() {
      if let album = piece.album, places[album] == nil { places[album] = place }
    }
    for place in pieces.indices {
      let own = pieces[place].album.flatMap { places[$0] } ?? place
      pieces[place].group = places.count <= 1 ? 0 : own
    }
    pieces.sort(by: Piece.albumOrder)
    return pieces.flatMap(\.entries)
  }

  /// Takes the cue sheets whose files are all beside them, and no file twice.
  private mutating func takeSheets(_ paths: [Path], among members: [FileIdentity: Path]) {
    var covered: Set<Path> = []
    var finder = Finder(folder: path)
    for sheet in paths {
      guard let bytes = try? sheet.contents(upTo: 1 << 20),
        let playlist = try? Playlist(bytes, kind: .cue)
      else { continue }
      var found: [[UInt8]: Path] = [:]
      for target in Set(playlist.items.map(\.target)) {
        guard let file = finder.findAudio(target) else { continue }
        found[target] = (try? FileStatus(file)).flatMap { members[$0.identity] }
      }
      let tracks = playlist.items.compactMap { item in
        found[item.target].map { (path: $0, item: item) }
      }
      let files = Set(tracks.map(\.path))
      guard tracks.count == playlist.items.count, files.isDisjoint(with: covered) else { continue }
      covered.formUnion(files)
      sheets.append((sheet, tracks))
    }
  }

  private static func isHidden(_ name: Path) -> Bool {
    name.bytes.first == UInt8(ascii: ".")
      || ["$RECYCLE.BIN", "System Volume Information", "__MACOSX"].contains(name.description)
  }
}

/// What stays together in a folder: one file, or all tracks of a cue sheet.
private struct Piece {
  let path: Path
  let entries: [Entry]
  /// Pieces of one group stand by disc and track, groups by number.
  var group = 0

  private let stem: String
  private let disc: Int
  private let track: Int

  init(path: Path, entries: [Entry]) {
    self.path = path
    self.entries = entries
    stem = path.stem.description
    disc = entries.first?.tags.disc ?? 1
    track = entries.first?.tags.track ?? NamedTitle(stem: stem).number ?? .max
  }

  var album: String? { entries.first?.tags.album?.lowercased() }

  static func nameOrder(_ a: Piece, _ b: Piece) -> Bool {
    let order = NaturalOrder.compare(a.stem, b.stem)
    return order == 0 ? a.path.bytes.lexicographicallyPrecedes(b.path.bytes) : order < 0
  }

  static func albumOrder(_ a: Piece, _ b: Piece) -> Bool {
    if a.group != b.group { return a.group < b.group }
    return a.disc != b.disc
      ? a.disc < b.disc : a.track != b.track ? a.track < b.track : nameOrder(a, b)
  }
}
