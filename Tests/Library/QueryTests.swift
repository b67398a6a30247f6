import Jukebox
import Testing

@testable import Library

/// What queries give, on a library of known tracks.
struct QueryTests {
  let library: TestLibrary

  init() throws {
    library = try TestLibrary()
    let folder = library.folder
    func add(_ path: String, _ tags: KeyValuePairs<String, String>, seconds: Int = 10) throws {
      try folder.track("stick/\(path).flac", tags, seconds: seconds)
    }
    for number in [1, 2, 10] {
      try add(
        "Bach/Fugen/\(number)",
        [
          "TITLE": "Fuga \(number)", "ARTIST": "Édith", "COMPOSER": "J. S. Bach",
          "ALBUM": "Die Fugen", "TRACKNUMBER": "\(number)", "DATE": "1985-03-01",
          "GENRE": "Classical", "GENRE": "Baroque",
        ])
    }
    for band in ["The Alphas", "Betas"] {
      try add(
        "\(band)/Hits/hit",
        [
          "TITLE": "Hit of \(band)", "ARTIST": band, "ALBUM": "Greatest Hits", "GENRE": "Pop",
          "DATE": "2001",
        ], seconds: 100)
    }
    for (number, artist) in ["Gamma", "Delta"].enumerated() {
      try add(
        "Mix/CD1/\(number)",
        ["TITLE": "On one \(number)", "ARTIST": artist, "ALBUM": "Mixed", "DISCNUMBER": "1"])
      try add(
        "Mix/CD2/\(number)",
        ["TITLE": "On two \(number)", "ARTIST": artist, "ALBUM": "Mixed", "DISCNUMBER": "2"])
    }
    try add("Pod/1", ["TITLE": "Episode", "ALBUM": "Weekly", "GENRE": "Podcast"], seconds: 3000)
    try add(
      "Quotes/'; DROP TABLE track; --",
      ["TITLE": "It's \"quoted\" % _ ? ; --", "ARTIST": "O'Neil \"\\", "ALBUM": "'; DELETE"])
    try library.scan(folder("stick"))
  }

  private func titles(_ query: Query) throws -> [String] { try library.titles(query) }

  private func names(_ query: Query) throws -> [String] {
    try library.catalogue.collections(query).map(\.title)
  }

  @Test func `texts are compared whatever their case and accents`() throws {
    #expect(try titles(Query(where: [.init(.artist, .equals, "edith")])).count == 3)
    #expect(try titles(Query(where: [.init(.composer, .contains, "BACH")])).count == 3)
    #expect(
      try titles(
        Query(where: [.init(.composer, .contains, "bach"), .init(.title, .contains, "1")]))
        == ["Fuga 1", "Fuga 10"])
    #expect(try titles(Query(where: [.init(.title, .beginsWith, "hit")])).count == 2)
    #expect(try titles(Query(where: [.init(.genre, .equals, "baroque")])).count == 3)
    #expect(try titles(Query(where: [.init(.year, .atMost, "1999")])).count == 3)
    #expect(try titles(Query(where: [.init(.folder, .beginsWith, "mix/cd2")])).count == 2)
    #expect(try titles(Query(where: [.init(.length, .atLeast, "100")])).count == 3)
    #expect(try titles(Query(where: [.init(.codec, .equals, "flac")])).count == 11)
  }

  @Test func `digits stand by value, articles don't count, albums stand by disc and track`() throws
  {
    #expect(
      try titles(Query(where: [.init(.composer, .equals, "j. s. bach")]))
        == ["Fuga 1", "Fuga 2", "Fuga 10"])
    #expect(
      try names(.artists)
        == ["The Alphas", "Betas", "Delta", "Édith", "Gamma", "O'Neil \"\\"])
    #expect(
      try titles(Query(where: [.init(.album, .equals, "mixed")]))
        == ["On one 0", "On one 1", "On two 0", "On two 1"])
    #expect(
      try titles(
        Query(where: [.init(.genre, .equals, "pop")], order: [.init(.artist, isDescending: true)]))
        == ["Hit of Betas", "Hit of The Alphas"])
  }

  @Test func `albums are told apart by their artists, compilations stay whole`() throws {
    let albums = try library.catalogue.collections(.albums)
    #expect(
      albums.map { "\($0.title)/\($0.detail)/\($0.count)" }
        == [
          "'; DELETE/O'Neil \"\\/1", "Die Fugen/Édith/3", "Greatest Hits/Betas/1",
          "Greatest Hits/The Alphas/1", "Mixed/Various Artists/4",
        ].sorted { Folding.sortKey($0).lexicographicallyPrecedes(Folding.sortKey($1)) })
    #expect(try names(.compilations) == ["Mixed"])
    #expect(albums.first { $0.title == "Die Fugen" }?.length == .seconds(30))
    #expect(albums.first { $0.title == "Die Fugen" }?.year == 1985)
  }

  @Test func `podcasts are no songs`() throws {
    #expect(try names(.podcasts) == ["Weekly"])
    #expect(try !titles(.songs).contains("Episode"))
    #expect(try !names(.albums).contains("Weekly"))
    #expect(try library.catalogue.total(.songs).count == 10)
    #expect(try library.catalogue.total(Query()).count == 11)
  }

  @Test func `gathering with a filter gives what gathering without one does, as far as it passes`()
    throws
  {
    for grouping in Query.Grouping.allCases where ![.title, .playlist, .podcast].contains(grouping)
    {
      let all = try library.catalogue.collections(Query(grouping))
      let filtered = try library.catalogue.collections(
        Query(grouping, where: [.init(.length, .atLeast, "0")]))
      #expect(
        all.map { "\($0.title) \($0.count) \($0.length)" }.sorted()
          == filtered.map { "\($0.title) \($0.count) \($0.length)" }.sorted(), "\(grouping)")
      #expect(!all.isEmpty)
    }
  }

  @Test func `pages of a list make up the list`() throws {
    let all = try titles(Query(order: [.init(.title)]))
    var pages: [String] = []
    for offset in stride(from: 0, to: all.count, by: 5) {
      pages += try titles(Query(order: [.init(.title)], limit: 5, offset: offset))
    }
    #expect(pages == all)
  }

  @Test func `counts of people make the lists of people`() throws {
    let fuga = try library.track("Fuga 2").id
    let hit = try library.track("Hit of Betas").id
    for second in 1...3 { try library.catalogue.played(fuga, at: Int64(second)) }
    try library.catalogue.played(hit, at: 10)
    try library.catalogue.skipped(hit)
    #expect(try titles(.mostPlayed) == ["Fuga 2", "Hit of Betas"])
    #expect(try titles(.notPlayedForLong).suffix(2) == ["Fuga 2", "Hit of Betas"])
    #expect(try titles(Query(where: [.init(.skips, .atLeast, "1")])) == ["Hit of Betas"])
    #expect(try titles(Query(where: [.init(.plays, .equals, "0")])).count == 9)
  }

  @Test func `quotes in names and values are letters like others`() throws {
    #expect(try titles(Query(where: [.init(.artist, .equals, "O'Neil \"\\")])).count == 1)
    #expect(try titles(Query(where: [.init(.album, .equals, "'; DELETE")])).count == 1)
    #expect(try titles(Query(where: [.init(.title, .contains, "\"quoted\" % _ ?")])).count == 1)
    #expect(try titles(Query(where: [.init(.title, .contains, "%")])).count == 1)
    #expect(try titles(Query(where: [.init(.file, .contains, "'; drop")])).count == 1)
    #expect(try library.catalogue.search("it's \"quoted").count == 1)
    #expect(try library.catalogue.search("' OR 1=1 --").isEmpty)
  }

  @Test func `each word of a search begins a word, and titles stand first`() throws {
    #expect(
      try library.catalogue.items(library.catalogue.search("fug")).map(\.tags.title) == [
        "Fuga 1", "Fuga 2", "Fuga 10",
      ])
    #expect(try library.catalogue.search("édi bach").count == 3)
    #expect(try library.catalogue.search("BETAS hit").count == 1)
    #expect(try library.catalogue.search("ach").isEmpty)
    #expect(try library.catalogue.search("  -- ").isEmpty)
    let found = try library.catalogue.items(library.catalogue.search("hit"))
    #expect(found.count == 2 && found.allSatisfy { $0.tags.title?.hasPrefix("Hit") ?? false })
  }

  @Test func `own playlists keep their order, and are saved for others`() throws {
    let tracks = [try library.track("Fuga 10").id, try library.track("Fuga 1").id]
    let list = try library.catalogue.makePlaylist("Mine", tracks + [tracks[0]])
    #expect(
      try titles(Query(where: [.init(.playlist, .equals, "mine")])) == [
        "Fuga 10", "Fuga 1", "Fuga 10",
      ])
    let saved = try library.catalogue.m3u8(list, seenFrom: Path(library.folder("stick")))
    #expect(
      String(decoding: saved, as: UTF8.self) == """
        #EXTM3U
        #EXTINF:10,Édith - Fuga 10
        Bach/Fugen/10.flac
        #EXTINF:10,Édith - Fuga 1
        Bach/Fugen/1.flac
        #EXTINF:10,Édith - Fuga 10
        Bach/Fugen/10.flac

        """)
    let file = try library.folder.write("stick/saved.m3u8", saved)
    let again = try Playlist(try file.contents(upTo: 1000), kind: .m3u)
    #expect(again.items.count == 3)
    #expect(try library.catalogue.deletePlaylist(list))
    #expect(try library.catalogue.playlists().isEmpty)
  }

  /// Any predicates at all compile, run, and bind their values and no more.
  @Test func `no query makes wrong SQL`() throws {
    var random = SplitMix(state: 4)
    let values = [
      "", "'", "\"", "a", "%", "-1", "2000", "\u{0}", "😀", "99999999999999999999", "yes",
    ]
    for _ in 0..<3000 {
      let predicates = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        Query.Predicate(
          Query.Property.allCases.randomElement(using: &random) ?? .title,
          Query.Comparison.allCases.randomElement(using: &random) ?? .equals,
          values.randomElement(using: &random) ?? "")
      }
      let order = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        Query.Order(
          Query.Property.allCases.randomElement(using: &random) ?? .title,
          isDescending: Bool.random(using: &random))
      }
      let query = Query(
        Query.Grouping.allCases.randomElement(using: &random) ?? .title, where: predicates,
        order: order, limit: Bool.random(using: &random) ? 3 : nil,
        offset: Int.random(in: 0...2, using: &random), includesAway: Bool.random(using: &random))
      for compiled in [CompiledQuery.tracks(query), .collections(query), .total(query)] {
        #expect(compiled.sql.count { $0 == "?" } == compiled.values.count, "\(compiled.sql)")
      }
      let tracks = try library.catalogue.tracks(query)
      if query.limit == nil, query.offset == 0,
        !predicates.contains(where: { $0.property == .playlist })
      {
        #expect(try library.catalogue.total(query).count == tracks.count, "\(query)")
      }
      _ = try library.catalogue.collections(query)
    }
  }
}
