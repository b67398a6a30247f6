import Glibc
import Jukebox
import Testing

@testable import Library

/// A stick of 2,000 files as people have them, against the list that its maker wrote.
@Suite(.serialized) struct StickTests {
  /// Made once for all tests here, which run one after the other.
  private nonisolated(unsafe) static let stick = Result {
    () throws -> (library: TestLibrary, root: String, list: [Expected]) in
    let library = try TestLibrary()
    let source = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    try run(
      "python3", "/\(source)/Support/stick.py", library.folder.path, "--files", "2000")
    let list = String(decoding: try bytes(of: library.folder("manifest.tsv")), as: UTF8.self)
    let root = library.folder("music")
    try library.scan(root)
    return (library, root, list.split(separator: "\n").map(Expected.init))
  }

  private let library: TestLibrary
  private let root: String
  private let list: [Expected]

  init() throws {
    (library, root, list) = try Self.stick.get()
  }

  private struct Expected: Sendable {
    var path: String
    var kind: String
    var isMusic: Bool
    var tags: [String: String]

    init(_ line: Substring) {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      (path, kind, isMusic) = (fields[0], fields[1], fields[2] == "music")
      tags = Dictionary(
        uniqueKeysWithValues: fields[3...].map { field in
          let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
          return (String(parts[0]), String(parts[1]))
        })
    }
  }

  @Test func `every tag of every kind of file is right`() throws {
    let items = try library.catalogue.items(Query())
    let found = Dictionary(
      items.map { (String($0.path.description.dropFirst(root.count + 1)), $0) },
      uniquingKeysWith: { first, _ in first })
    var wrong: [String] = []
    for file in list where file.isMusic {
      guard let item = found[file.path] else {
        wrong.append("\(file.path) is not listed (\(file.kind))")
        continue
      }
      for (name, value) in file.tags where told(name, item) != value {
        wrong.append("\(file.kind): \(name) of \(file.path) is \(told(name, item)), not \(value)")
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count) wrong, the first \(wrong.prefix(5))")
    #expect(items.count == list.count { $0.isMusic })
    #expect(Set(list.map(\.kind)).count > 30)
  }

  private func told(_ name: String, _ item: LibraryItem) -> String {
    func of(_ number: Int?, _ total: Int?) -> String {
      (number.map { "\($0)" } ?? "") + (total.map { "/\($0)" } ?? "")
    }
    let tags = item.tags
    return switch name {
    case "title": tags.title ?? ""
    case "artist": tags.artist ?? ""
    case "album": tags.album ?? ""
    case "albumartist": item.albumArtist ?? ""
    case "composer": tags.composer ?? ""
    case "genre": tags.genres.joined(separator: "\u{1F}")
    case "date": tags.date ?? ""
    case "track": of(tags.track, tags.trackTotal)
    case "disc": of(tags.disc, tags.discTotal)
    case "trackgain": tags.replayGain.track.map { "\($0.gain)" } ?? ""
    default: "no tag is called \(name)"
    }
  }

  @Test func `junk is never listed, and what looks like music is reported`() throws {
    let paths = Set(try library.catalogue.items(Query()).map(\.path.description))
    for file in list where !file.isMusic {
      #expect(!paths.contains(root + "/" + file.path), "\(file.path) is listed")
    }
    let medium = try library.catalogue.media()[0].id
    let reported = Set(try library.catalogue.problems(medium).map(\.path.description))
    for file in list where file.kind == "junk" {
      let ending = Path(file.path).extension
      let isMusic = Extensions.audio.contains(ending) && !file.path.contains("/._")
      #expect(reported.contains(file.path) == isMusic, "\(file.path)")
    }
  }

  @Test func `playlists of other machines lead to the tracks, what is gone is counted`() throws {
    for name in ["list"] {
      let lists = try library.catalogue.playlists().filter { $0.title == name }
      #expect(lists.count == 3)
      for list in lists {
        let entries = try library.catalogue.entries(list.id)
        let gone = entries.filter { $0.track == nil }.map(\.target)
        #expect(gone == (list.file?.extension == "m3u8" ? [Array("gone/away.mp3".utf8)] : []))
        #expect(entries.count - gone.count == 10)
      }
    }
  }

  @Test func `a second look finds nothing new and writes nothing`() throws {
    let before = try bytes(of: library.folder("library.db-wal")).count
    let progress = try library.scan(root)
    #expect(progress.isUnchanged)
    #expect(progress.done == 0)
    #expect(
      progress.seen == list.count { $0.isMusic }
        + Set(list.map(\.path)).intersection(
          try library.catalogue.problems(try library.catalogue.media()[0].id).map(
            \.path.description)
        ).count)
    // Its arrival is noted, and that is all.
    #expect(try bytes(of: library.folder("library.db-wal")).count - before < 64 << 10)
  }

  @Test func `any word of any title finds its track first or beside others that have it`() throws {
    for file in list where file.isMusic && file.kind == "flac" {
      guard let title = file.tags["title"] else { continue }
      let found = try library.catalogue.items(library.catalogue.search(title, limit: 200))
      #expect(found.contains { $0.path.description == root + "/" + file.path }, "\(title)")
    }
  }
}
