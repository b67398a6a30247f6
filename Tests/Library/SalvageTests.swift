import Glibc
import Jukebox
import Testing

@testable import Library

/// What is carried over from a library whose file is damaged.
struct SalvageTests {
  @Test func `ratings, playlists and numbers outlive a damaged page`() throws {
    let library = try TestLibrary()
    let (catalogue, folder) = (library.catalogue, library.folder)
    for number in 0..<400 {
      let name = "Title \(number + 1000)"
      try folder.track("stick/\(name).flac", ["TITLE": name, "ARTIST": "Artist \(number % 7)"])
    }
    try library.scan(folder("stick"))
    let before = try Dictionary(
      uniqueKeysWithValues: catalogue.items(Query()).map { ($0.tags.title ?? "", $0.id) })
    let rated = try ["Title 1003", "Title 1390"].map { try #require(before[$0]) }
    for track in rated {
      try catalogue.rate(track, 80)
      try catalogue.played(track, at: 1_000_000)
      try catalogue.setResume(track, .seconds(5))
    }
    _ = try catalogue.makePlaylist("Mine", rated)
    try catalogue.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    // A page of the table of tracks (type 13) that lies in the table's middle.
    var file = try Path(folder("library.db")).contents(upTo: 1 << 24)
    let title = Array("Title 1200".utf8)
    let page = try #require(
      stride(from: 0, to: file.count, by: 4096).first { start in
        let page = file[start..<(start + 4096)]
        return page.first == 13 && page.indices.contains { page[$0...].starts(with: title) }
          && page.count { $0 == UInt8(ascii: ".") } > 5
      })
    for place in page..<(page + 4096) { file[place] = 0xA5 }
    try folder.write("library.db", file)

    #expect(try catalogue.beginAnew())
    let aside = try #require(catalogue.setAside)
    #expect(try FileStatus(aside).size == file.count)
    try library.scan(folder("stick"))
    let after = try catalogue.items(Query())
    #expect(Set(after.compactMap(\.tags.title)) == Set(before.keys))
    #expect(after.count == 400)
    // A page holds some twenty tracks.
    let kept = after.filter { before[$0.tags.title ?? ""] == $0.id }.count
    #expect((300..<400).contains(kept))
    for track in rated {
      let item = try #require(try catalogue.items([track]).first)
      #expect(before[item.tags.title ?? ""] == track)
      #expect(item.usage.rating == 80)
      #expect(item.usage.plays == 1)
    }
    let list = try #require(try catalogue.playlists().first { $0.title == "Mine" })
    #expect(list.medium == nil)
    #expect(try catalogue.entries(list.id).map(\.track) == rated)
  }
}
