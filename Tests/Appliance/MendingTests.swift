import Glibc
import Jukebox
import Library
import Testing

/// A library that is found to be damaged while the appliance runs.
@Suite(.serialized) struct MendingTests {
  /// Spoils each page of an index (type 10 or 2) in which a name stands.
  private func spoilIndex(_ path: String, holding name: String) throws {
    var file = try bytes(of: path)
    var count = 0
    for start in stride(from: 0, to: file.count, by: 4096) {
      let page = file[start..<(start + 4096)]
      guard [2, 10].contains(page.first),
        page.indices.contains(where: { page[$0...].starts(with: name.utf8) })
      else { continue }
      file.replaceSubrange(start..<(start + 4096), with: [UInt8](repeating: 0, count: 4096))
      count += 1
    }
    try #require(count > 0)
    let descriptor = open(path, O_WRONLY)
    try #require(pwrite(descriptor, file, file.count, 0) == file.count)
    close(descriptor)
  }

  @Test func `a damaged library is made anew while the music goes on, and ratings are kept`()
    throws
  {
    let box = try Box()
    try box.makeStick(tracks: [2_000_000, 44_100, 44_100])
    try box.remote.ask("setvol 100")
    try box.plug()
    try box.program.waitForError("STICK: 3 files")
    try box.remote.wait("sound") { Double($0["elapsed"] ?? "") ?? 0 > 0.1 }
    kill(box.program.process, SIGTERM)
    _ = try box.program.end()

    let file = Path(box.folder("state/library.db"))
    let rated: TrackID
    do {
      let catalogue = try Catalogue(file)
      let item = try #require(try catalogue.items(Query()).last)
      rated = item.id
      try catalogue.rate(rated, 80)
      _ = try catalogue.makePlaylist("Mine", [rated])
    }
    try spoilIndex(file.description, holding: "02 Track.wav")

    try box.restart()
    try box.program.waitForError("the library was damaged; it is kept as")
    try box.program.waitForError("STICK: 3 files")
    let status = try box.remote.waitForSong(0)
    #expect(status["playlistlength"] == "3")
    let elapsed = Double(status["elapsed"] ?? "") ?? 0
    try box.remote.wait("more sound") { Double($0["elapsed"] ?? "") ?? 0 > elapsed + 0.1 }
    kill(box.program.process, SIGTERM)
    _ = try box.program.end()

    // In all that was heard there is one jump at most, where the one process ended and the other began.
    let numbers = try box.heard.compactMap(\.number)
    #expect(zip(numbers, numbers.dropFirst()).count { $1 != $0 + 1 } <= 1)
    let catalogue = try Catalogue(file)
    #expect(catalogue.setAside == nil)
    try catalogue.checkThoroughly(isStrict: true)
    #expect(try catalogue.items(Query()).count == 3)
    #expect(try catalogue.items([rated]).map(\.usage.rating) == [80])
    let list = try #require(try catalogue.playlists().first { $0.title == "Mine" })
    #expect(try catalogue.entries(list.id).map(\.track) == [rated])
  }

  @Test func `a library that SQLite takes for one of a later day is put aside too`() throws {
    let box = try Box()
    try box.makeStick(tracks: [2_000_000])
    try box.plug()
    try box.program.waitForError("STICK: 1 files")
    kill(box.program.process, SIGTERM)
    _ = try box.program.end()
    let file = box.folder("state/library.db")
    for ending in ["-wal", "-shm"] { unlink(file + ending) }
    // The schema format number, 4 at most; https://sqlite.org/fileformat2.html, 1.3.12.
    let descriptor = open(file, O_WRONLY)
    try #require(pwrite(descriptor, [UInt8(0x7F)], 1, 47) == 1)
    close(descriptor)
    try box.restart()
    try box.program.waitForError("the library was damaged; it is kept as")
    try box.program.waitForError("STICK: 1 files")
    try box.remote.waitForSong(0)
  }
}
