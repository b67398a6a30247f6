import Glibc
import Jukebox
import Testing

@testable import Library

/// What a scan finds, and what it finds again.
struct ScanTests {
  let library: TestLibrary
  let folder: TemporaryFolder
  let stick: String

  init() throws {
    library = try TestLibrary()
    folder = library.folder
    stick = library.folder("stick")
    for (number, title) in ["One", "Two", "Three"].enumerated() {
      try folder.track(
        "stick/Band/Album/0\(number + 1) \(title).flac",
        [
          "TITLE": title, "ARTIST": "Band", "ALBUM": "Album", "TRACKNUMBER": "\(number + 1)",
          "GENRE": "Rock",
        ])
    }
    try folder.track("stick/Solo/Song.flac", ["TITLE": "Song", "ARTIST": "Solo", "GENRE": "Jazz"])
    try library.scan(stick)
  }

  // MARK: - Changes

  @Test func `a file written anew in place is read again and keeps its counts`() throws {
    let two = try library.track("Two")
    try library.catalogue.rate(two.id, 80)
    try folder.track("stick/Band/Album/02 Two.flac", ["TITLE": "Second", "ARTIST": "Else"])
    let progress = try library.scan(stick)
    #expect(progress.changed == 1 && progress.done == 1)
    let second = try library.track("Second")
    #expect(second.id == two.id)
    #expect(second.usage.rating == 80)
    #expect(second.tags.artist == "Else" && second.tags.album == nil)
    #expect(try library.catalogue.search("Two") == [second.id], "by its file's name")
    #expect(try library.catalogue.search("Band Second").isEmpty)
  }

  @Test func `a moved and renamed file keeps its number and all that is known of it`() throws {
    let song = try library.track("Song")
    try library.catalogue.played(song.id, at: 1000)
    try library.catalogue.setResume(song.id, .seconds(42))
    let list = try library.catalogue.makePlaylist("Mine", [song.id])
    try run("mkdir", folder("stick/Else where"))
    try run("mv", folder("stick/Solo/Song.flac"), folder("stick/Else where/Renamed.flac"))
    let progress = try library.scan(stick)
    #expect(progress.moved == 1 && progress.added == 0 && progress.removed == 0)
    let moved = try library.track("Song")
    #expect(moved.id == song.id)
    #expect(moved.path == Path(folder("stick/Else where/Renamed.flac")))
    #expect(moved.usage.plays == 1 && moved.usage.played == 1000)
    #expect(moved.usage.resume == .seconds(42))
    #expect(try library.catalogue.entries(list).map(\.track) == [song.id])
  }

  @Test func `a file gone and back later keeps its counts, one unknown is forgotten`() throws {
    let song = try library.track("Song")
    try library.catalogue.played(song.id, at: 1000)
    try run("mv", folder("stick/Solo"), folder("kept"))
    try run("rm", folder("stick/Band/Album/01 One.flac"))
    #expect(try library.scan(stick).removed == 2)
    #expect(try library.titles().sorted() == ["Three", "Two"])
    #expect(try library.catalogue.search("Song").isEmpty)
    try run("mv", folder("kept"), folder("stick/Later"))
    #expect(try library.scan(stick).moved == 1)
    #expect(try library.track("Song").usage.plays == 1)
    #expect(try library.catalogue.item(song.id)?.path == Path(folder("stick/Later/Song.flac")))
  }

  @Test func `new files in old folders and new folders are found`() throws {
    try folder.track("stick/Band/Album/04 Four.flac", ["TITLE": "Four", "ALBUM": "Album"])
    try folder.track("stick/New/Five.flac", ["TITLE": "Five"])
    let progress = try library.scan(stick)
    #expect(progress.added == 2 && progress.done == 2)
    #expect(try library.titles() == ["Five", "Four", "One", "Song", "Three", "Two"])
  }

  // MARK: - Media

  @Test func `a stick away and back, in another port, is there at once with all its tracks`() throws
  {
    let medium = try library.catalogue.media()[0].id
    let before = try library.catalogue.tracks(Query())
    try library.catalogue.left(medium)
    #expect(try library.catalogue.tracks(Query()).isEmpty)
    #expect(try library.catalogue.collections(.artists).isEmpty)
    #expect(try library.catalogue.search("Song").isEmpty)
    #expect(try library.catalogue.tracks(Query(includesAway: true)) == before)
    try run("mv", stick, folder("port2"))
    let identity = MediumIdentity(uuid: "A", size: 1000, label: "other label")
    #expect(try library.catalogue.arrived(identity, at: Path(folder("port2"))) == medium)
    #expect(try library.catalogue.tracks(Query()) == before)
    #expect(try library.track("Song").path == Path(folder("port2/Solo/Song.flac")))
    #expect(try library.scan(folder("port2")).isUnchanged)
  }

  @Test func `albums of one title in one folder are told apart, and a compilation is one`() throws {
    for artist in ["Queen", "ABBA"] {
      for number in 1...3 {
        try folder.track(
          "stick/flat/\(artist) \(number).flac",
          ["ARTIST": artist, "ALBUM": "Greatest Hits", "TRACKNUMBER": "\(number)"])
      }
    }
    // Two discs without a word of it: each number is there twice, and each artist once.
    for number in 0..<8 {
      try folder.track(
        "stick/mixed/\(number).flac",
        ["ARTIST": "Guest \(number)", "ALBUM": "Mixed", "TRACKNUMBER": "\(number % 4 + 1)"])
    }
    try library.scan(stick)
    let albums = try library.catalogue.collections(.albums).map {
      "\($0.title)/\($0.detail)/\($0.count)"
    }
    #expect(
      Set(albums).isSuperset(of: [
        "Greatest Hits/ABBA/3", "Greatest Hits/Queen/3", "Mixed/Various Artists/8",
      ]), "\(albums)")
  }

  @Test func `two sticks of one label are two media`() throws {
    try folder.track("second/Song.flac", ["TITLE": "Song", "ARTIST": "Solo", "GENRE": "Jazz"])
    try library.scan(folder("second"), uuid: "B")
    try run("cp", "-r", folder("second"), folder("third"))
    try library.scan(folder("third"), uuid: "A", size: 2000)
    #expect(try library.catalogue.media().count == 3)
    #expect(try library.catalogue.tracks(Query(where: [.init(.title, .equals, "song")])).count == 3)
    let second = try library.catalogue.media()[0].id
    try library.catalogue.left(second)
    #expect(try library.catalogue.tracks(Query(where: [.init(.title, .equals, "song")])).count == 2)
  }

  @Test func `media are forgotten one by one, or the longest away first`() throws {
    for (number, uuid) in ["B", "C", "D"].enumerated() {
      let root = folder("media/\(uuid)")
      try folder.track(
        "media/\(uuid)/Only \(uuid).flac", ["TITLE": "Only \(uuid)", "ARTIST": uuid])
      try library.scan(root, uuid: uuid)
      let medium = try #require(
        try library.catalogue.media().first { $0.identity.uuid == uuid })
      try library.catalogue.left(medium.id)
      let database = try Database(library.catalogue.path, .writing(isSafe: false))
      try database.run(
        "UPDATE medium SET lastSeen = ? WHERE id = ?", SQLValue(number), SQLValue(medium.id.number))
    }
    try library.catalogue.forget(keeping: 1)
    #expect(try library.catalogue.media().map(\.identity.uuid) == ["A", "D"])
    let away = Query(where: [.init(.title, .beginsWith, "only")], includesAway: true)
    #expect(try library.titles(away) == ["Only D"])
    try library.catalogue.forget(try library.catalogue.media()[1].id)
    #expect(try library.titles(away).isEmpty)
    try library.expectWhole()
  }

  @Test func `a stick whose folder is gone is away, and so is one whose place another has taken`()
    throws
  {
    try run("mv", stick, folder("port2"))
    #expect(try library.catalogue.noticeAbsent().map(\.identity.uuid) == ["A"])
    #expect(try library.catalogue.noticeAbsent().isEmpty)
    #expect(try library.titles().isEmpty)
    try library.scan(folder("port2"))
    #expect(try library.titles().count == 4)
    try library.catalogue.arrived(MediumIdentity(uuid: "B", size: 9), at: Path(folder("port2")))
    #expect(try library.titles().isEmpty)
    #expect(try library.catalogue.media().map(\.isPresent) == [true, false])
  }

  @Test func `a library damaged inside is found out by a scan once a day`() throws {
    let path = library.catalogue.path
    let database = try Database(path, .writing(isSafe: true))
    for number in 0..<300 {
      try database.run(
        "INSERT INTO usage (track, plays) VALUES (?, 1)", SQLValue(1_000_000 + number))
    }
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    // An index that neither opening nor a scan comes upon.
    let page = try database.row("SELECT rootpage FROM sqlite_schema WHERE name = 'usagePlays'") {
      $0.int(0)
    }
    let size = try database.row("PRAGMA page_size") { $0.int(0) } ?? 0
    let end = try #require(page) * size
    var whole = try bytes(of: path.description)
    for place in (end - size / 2)..<end { whole[place] ^= 0x11 }
    let file = open(path.description, O_WRONLY)
    pwrite(file, whole, whole.count, 0)
    close(file)
    #expect(try Catalogue(path).setAside == nil, "a cheap look does not see it")
    #expect(throws: SQLiteError.self) { try Catalogue(path).checkThoroughly() }
    #expect(try library.scan(stick, expectsWhole: false).isUnchanged, "it was looked at today")
    try Database(path, .writing(isSafe: true)).run("UPDATE checkup SET done = 0")
    #expect(throws: TestFailure.self) { try library.scan(stick) }
    let catalogue = library.catalogue
    #expect(try catalogue.beginAnew())
    #expect(catalogue.setAside?.status != nil)
    #expect(try catalogue.media().map(\.isPresent) == [false])
    #expect(try library.titles().isEmpty)
    try library.scan(stick)
    #expect(try library.titles().count == 4)
  }

  @Test func `a stick that is pulled while it is scanned loses nothing`() throws {
    let before = try library.catalogue.tracks(Query())
    try run("mv", stick, folder("pulled"))
    #expect(throws: TestFailure.self) { try library.scan(stick) }
    #expect(try library.catalogue.tracks(Query()) == before)
  }

  // MARK: - Trees

  @Test func `loops, ignored folders and folders of systems are passed over`() throws {
    try run("ln", "-s", "..", folder("stick/Band/up"))
    try run("ln", "-s", folder("stick/Solo"), folder("stick/again"))
    for name in [".Trashes", "$RECYCLE.BIN", "System Volume Information", "__MACOSX", "No"] {
      try folder.track("stick/\(name)/x.flac", ["TITLE": "Hidden"])
    }
    try folder.write("stick/No/.jukeboxignore")
    try folder.track("stick/._Song.flac", ["TITLE": "Hidden"])
    let progress = try library.scan(stick)
    #expect(progress.isUnchanged, "\(progress)")
  }

  @Test func `what comes first in the tree is found first, and can be played by its name`() throws {
    for number in 1...40 {
      try folder.track("wide/\(number)/Deep/Track.flac", ["TITLE": "Deep \(number)"])
      try folder.track("wide/\(number)/Track \(number).flac", ["TITLE": "T\(number)"])
    }
    try folder.track("wide/Top.flac", ["TITLE": "Top"])
    try library.scan(folder("wide"), uuid: "W")
    let found = try library.catalogue.items(
      Query(where: [.init(.folder, .contains, "")], order: [.init(.added), .init(.added)])
    )
    .filter { $0.path.description.contains("/wide/") }.sorted { $0.id.number < $1.id.number }
    #expect(found.first?.tags.title == "Top")
    #expect(found.dropFirst().prefix(40).map { $0.tags.title } == (1...40).map { "T\($0)" })
    #expect(found.dropFirst(41).map { $0.tags.title } == (1...40).map { "Deep \($0)" })
  }

  @Test func `a cue sheet cuts its file, and gives it back when it goes`() throws {
    try folder.track(
      "stick/Disc/disc.flac", ["ALBUM": "Live", "ARTIST": "Band", "GENRE": "Rock"], seconds: 600)
    let sheet = """
      PERFORMER "Band"
      TITLE "Live"
      FILE "disc.flac" WAVE
        TRACK 01 AUDIO
          TITLE "First"
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          TITLE "Second"
          INDEX 00 03:19:00
          INDEX 01 03:20:40
        TRACK 03 AUDIO
          TITLE "Third"
          INDEX 01 06:00:00
      """
    try folder.write("stick/Disc/disc.cue", text: sheet)
    try library.scan(stick)
    let live = Query(where: [.init(.album, .equals, "Live")])
    #expect(try library.titles(live) == ["First", "Second", "Third"])
    let second = try library.track("Second")
    #expect(second.start.cueFrames == 200 * 75 + 40)
    #expect(second.end == .seconds(360))
    #expect(second.tags.artist == "Band" && second.tags.track == 2)
    let third = try library.track("Third")
    #expect(third.end == nil && third.length == .seconds(240))
    try library.catalogue.rate(second.id, 100)
    #expect(try library.scan(stick).isUnchanged)

    try folder.write("stick/Disc/disc.cue", text: sheet.replacing("Third", with: "Last one"))
    try library.scan(stick)
    #expect(try library.titles(live) == ["First", "Second", "Last one"])
    #expect(try library.track("Second").usage.rating == 100)
    try run("rm", folder("stick/Disc/disc.cue"))
    try library.scan(stick)
    #expect(try library.titles(live) == ["disc"])
  }

  @Test func `a file that can't be read stays listed and is reported`() throws {
    // A loop of links is an error for root, too.
    try run("ln", "-s", "self.flac", folder("stick/Solo/self.flac"))
    try folder.write("stick/Solo/noise.mp3", [UInt8](repeating: 7, count: 3000))
    let progress = try library.scan(stick)
    #expect(progress.failed == 1)
    let medium = try library.catalogue.media()[0].id
    let problems = try library.catalogue.problems(medium)
    #expect(problems.map(\.path) == [Path("Solo/noise.mp3")])
    #expect(problems.map(\.reason) == ["no audio is in it"])
    #expect(try library.scan(stick).done == 0, "what failed is not read again")
  }
}
