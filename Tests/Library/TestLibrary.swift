import Glibc
import Jukebox
import Testing

@testable import Library

/// A library in a folder of the test's own, and media to scan into it.
final class TestLibrary {
  let folder: TemporaryFolder
  let catalogue: Catalogue

  init() throws {
    folder = try TemporaryFolder()
    catalogue = try Catalogue(Path(folder("library.db")))
  }

  /// Scans to the end, on the scanner's own thread; gives the last figures.
  @discardableResult
  func scan(
    _ root: String, uuid: String = "A", size: Int = 1000, expectsWhole: Bool = true
  ) throws -> ScanProgress {
    let identity = MediumIdentity(uuid: uuid, size: size, label: "STICK")
    let medium = try catalogue.arrived(identity, at: Path(root))
    let scanner = try Scanner(library: catalogue.path, medium: medium, root: Path(root))
    try scanner.start()
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(300)
    while clock.now < deadline {
      var waiting = pollfd(fd: scanner.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&waiting, 1, 1000)
      for event in scanner.takeEvents() {
        if case .finished(let progress) = event {
          if expectsWhole { try expectWhole() }
          return progress
        }
        if case .failed(let reason) = event { throw TestFailure(reason) }
      }
    }
    throw TestFailure("the scan does not end")
  }

  func titles(_ query: Query = Query()) throws -> [String] {
    try catalogue.items(query).map { $0.tags.title ?? "" }
  }

  /// The one track with a title.
  func track(_ title: String) throws -> LibraryItem {
    let found = try catalogue.items(
      Query(where: [.init(.title, .equals, title)], includesAway: true))
    try #require(found.count == 1, "\(found.count) tracks are called \(title)")
    return found[0]
  }

  /// What is kept of all tracks together is what counting them gives, and the search index knows them.
  func expectWhole() throws {
    let database = try Database(catalogue.path, .reading)
    let roles = [
      "1, artist", "2, albumArtist", "3, composer", "5, album", "6, year", "7, folder",
    ]
    var counted = roles.map {
      let member = $0.split(separator: " ")[1]
      return "SELECT \($0), kind, medium, count(*), sum(length) FROM track WHERE state = 0"
        + " AND \(member) IS NOT NULL GROUP BY \(member), kind, medium"
    }
    counted.append(
      "SELECT 0, 0, kind, medium, count(*), sum(length) FROM track WHERE state = 0"
        + " GROUP BY kind, medium")
    counted.append(
      "SELECT 4, g.name, kind, medium, count(*), sum(length) FROM track JOIN genre g"
        + " ON g.track = id WHERE state = 0 GROUP BY g.name, kind, medium")
    let kept = "SELECT role, member, kind, medium, count, length FROM collection"
    let all = "SELECT * FROM (" + counted.joined(separator: " UNION ALL ") + ")"
    for difference in ["\(all) EXCEPT \(kept)", "\(kept) EXCEPT \(all)"] {
      let rows = try database.prepare("SELECT count(*) FROM (\(difference))")
      #expect(try rows.step() && rows.int(0) == 0, "collections differ from a count")
    }
    let lone = try database.prepare(
      """
      SELECT count(*) FROM collection c LEFT JOIN track t ON t.id = c.track
      WHERE t.id IS NULL OR t.state <> 0 OR t.medium <> c.medium
      """)
    #expect(try lone.step() && lone.int(0) == 0, "a collection is stood for by no track of it")
    let check = try database.prepare("PRAGMA integrity_check")
    #expect(try check.step() && check.text(0) == "ok")
  }
}

struct TestFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// A FLAC file with tags and no sound to speak of (RFC 9639): a STREAMINFO, comments, one frame's start.
func taggedFLAC(_ tags: [(String, String)], seconds: Int = 10, salt: Int = 0) -> [UInt8] {
  func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
  let total = seconds * 44100
  // Rate 44100 in 20 bits, 2 channels, 16 bits, 36 bits of total frames.
  let packed = UInt64(44100) << 44 | UInt64(1) << 41 | UInt64(15) << 36 | UInt64(total)
  let info =
    [0x10, 0, 0x10, 0] + [UInt8](repeating: 0, count: 6)
    + (0..<8).map { UInt8(truncatingIfNeeded: packed >> (56 - 8 * $0)) }
    + [UInt8](repeating: 0, count: 16)
  let entries = tags.flatMap { name, value in
    let text = Array("\(name)=\(value)".utf8)
    return little(text.count) + text
  }
  let comment = little(0) + little(tags.count) + entries
  return Array("fLaC".utf8) + [0, 0, 0, 34] + info
    + [
      0x84, UInt8(comment.count >> 16), UInt8(comment.count >> 8 & 0xFF),
      UInt8(comment.count & 0xFF),
    ]
    + comment + [0xFF, 0xF8, 0x69, 0x18] + little(salt) + [UInt8](repeating: 0x55, count: 60)
}

extension TemporaryFolder {
  /// Writes a track with tags of its own.
  @discardableResult
  func track(_ name: String, _ tags: KeyValuePairs<String, String>, seconds: Int = 10) throws
    -> Path
  {
    try write(name, taggedFLAC(tags.map { ($0.key, $0.value) }, seconds: seconds))
  }
}
