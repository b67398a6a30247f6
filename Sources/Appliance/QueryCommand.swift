internal import Glibc
internal import Jukebox
internal import Library

/// What `jukebox query` asks, and how it is to answer.
struct QueryOptions: Equatable {
  var library: Path?
  var query = Query()
  var words: [String] = []
  var isCounting = false
  var isJSON = false
  var isExplaining = false
  var listsProperties = false
  /// Whether to say how long it takes instead of what it gives.
  var isTiming = false

  private enum Option: String, CaseIterable {
    case filter = "--where"
    case group = "--group"
    case list = "--list"
    case sort = "--sort"
    case limit = "--limit"
    case offset = "--offset"
    case away = "--away"
    case count = "--count"
    case json = "--json"
    case explain = "--explain"
    case properties = "--properties"
    case time = "--time"
    case library = "--library"
  }

  init(_ words: ArraySlice<[UInt8]>) throws(UsageError) {
    var words = OptionWords<Option>(words, of: "query")
    let groupings = Query.Grouping.allCases.map { (name: $0.name, word: $0) }
    while let word = try words.next() {
      switch word {
      case .plain(let word): self.words.append(String(decoding: word, as: UTF8.self))
      case .option(.filter):
        query.predicates.append(try Self.predicate(words.text("PROPERTY=VALUE")))
      case .option(.group): query.grouping = try words.word(groupings, "GROUP")
      case .option(.list): add(try words.word(Self.readyMade, "NAME"))
      case .option(.sort): query.order.append(try Self.order(words.text("PROPERTY")))
      case .option(.limit): query.limit = try words.number()
      case .option(.offset): query.offset = try words.number()
      case .option(.away): query.includesAway = true
      case .option(.count): isCounting = true
      case .option(.json): isJSON = true
      case .option(.explain): isExplaining = true
      case .option(.properties): listsProperties = true
      case .option(.time): isTiming = true
      case .option(.library): library = Path(try words.value("FILE"))
      }
    }
    if !self.words.isEmpty, !query.predicates.isEmpty || query.grouping != .title {
      throw UsageError("WORDs stand with --where, --list or --group: allowed are WORDs alone")
    }
  }

  /// Whether it says which tracks are meant.
  var asksForTracks: Bool {
    !words.isEmpty || !query.predicates.isEmpty || !query.order.isEmpty || query.limit != nil
  }

  private mutating func add(_ readyMade: Query) {
    query.grouping = readyMade.grouping
    query.predicates += readyMade.predicates
    query.order += readyMade.order
    query.limit = query.limit ?? readyMade.limit
  }

  private static let readyMade: [(name: String, word: Query)] = [
    ("songs", .songs), ("albums", .albums), ("artists", .artists),
    ("albumartists", .albumArtists), ("composers", .composers), ("genres", .genres),
    ("compilations", .compilations), ("playlists", .playlists), ("podcasts", .podcasts),
    ("audiobooks", .audiobooks), ("recent", .recentlyAdded), ("mostplayed", .mostPlayed),
    ("forgotten", .notPlayedForLong),
  ]

  private static let signs: [(sign: String, comparison: Query.Comparison)] = [
    (">=", .atLeast), ("<=", .atMost), ("=", .equals), ("~", .contains), ("^", .beginsWith),
  ]

  private static func predicate(_ text: String) throws(UsageError) -> Query.Predicate {
    let name = text.prefix { $0.isLetter }
    let rest = text[name.endIndex...]
    let property = try property(String(name), "--where is \(quoted(text))")
    let allowed = signs.filter { property.comparisons.contains($0.comparison) }
    guard let sign = allowed.first(where: { rest.hasPrefix($0.sign) }) else {
      let forms = allowed.map { "\(property.name)\($0.sign)VALUE" }
      throw UsageError("--where is \(quoted(text)): allowed are \(list(forms))")
    }
    let value = String(rest.dropFirst(sign.sign.count))
    if property.isNumber, Int(value) == nil {
      throw UsageError("\(property.name) is \(quoted(value)): allowed are whole numbers")
    }
    let values = property.values
    if !values.isEmpty, !values.contains(value.lowercased()) {
      throw UsageError(
        "\(property.name) is \(quoted(value)): allowed are \(list(values))", nearest: value,
        in: values)
    }
    return Query.Predicate(property, sign.comparison, value)
  }

  private static func order(_ text: String) throws(UsageError) -> Query.Order {
    let isDescending = text.hasPrefix("-")
    let name = String(text.drop { $0 == "-" })
    let property = try property(name, "--sort is \(quoted(text))", where: \.canOrder)
    return Query.Order(property, isDescending: isDescending)
  }

  private static func property(
    _ name: String, _ found: String, where isAllowed: (Query.Property) -> Bool = { _ in true }
  ) throws(UsageError) -> Query.Property {
    let allowed = Query.Property.allCases.filter(isAllowed).map { (name: $0.name, word: $0) }
    return try OptionWords<Option>.word(name, allowed, found)
  }
}

/// Asks the library and writes what it answers.
struct QueryCommand {
  private let options: QueryOptions

  init(_ options: QueryOptions) {
    self.options = options
  }

  func run() throws -> Ending {
    if options.listsProperties {
      emit(Self.properties)
      return .played
    }
    let path = try options.library ?? LibraryPlace.standard()
    let catalogue = try Catalogue(path)
    if let aside = catalogue.setAside {
      write(
        "jukebox: the library was damaged; it is kept as \(aside), scan again\n",
        to: STDERR_FILENO)
    }
    let query = options.query
    if options.isTiming {
      emit(try timed(catalogue))
    } else if options.isExplaining {
      let lines = try catalogue.explain(query)
      emit(lines.map { $0 + "\n" }.joined())
    } else if !options.words.isEmpty {
      let words = options.words.joined(separator: " ")
      let found = try catalogue.search(words, limit: query.limit ?? 50)
      if options.isCounting {
        emit("\(found.count)\n")
      } else {
        show(try catalogue.items(found))
      }
    } else if options.isCounting {
      let total = try catalogue.total(query)
      let seconds = Int(total.length / .seconds(1))
      emit(
        options.isJSON
          ? JSONObject(["tracks": .number(total.count), "seconds": .number(seconds)]).line
          : "\(total.count) tracks, \(seconds) seconds\n")
    } else if query.grouping == .title {
      // In pieces, so that a big library needs no more memory than a small one.
      let tracks = try catalogue.tracks(query)
      for start in stride(from: 0, to: tracks.count, by: 500) {
        let piece = Array(tracks[start..<min(start + 500, tracks.count)])
        show(try catalogue.items(piece))
      }
    } else {
      show(try catalogue.collections(query))
    }
    return .played
  }

  /// The median of many runs, as "0.420 ms, 50 rows, 3.1 MiB", with the memory that the process has of
  /// its own then; of a long list the first 50 rows are read in full.
  private func timed(_ catalogue: Catalogue) throws -> String {
    let clock = ContinuousClock()
    var rows = 0
    var times: [Duration] = []
    for _ in 0..<51 {
      let start = clock.now
      if !options.words.isEmpty {
        let found = try catalogue.search(options.words.joined(separator: " "))
        rows = try catalogue.items(found).count
      } else if options.query.grouping == .title {
        let tracks = try catalogue.tracks(options.query)
        _ = try catalogue.items(Array(tracks.prefix(50)))
        rows = tracks.count
      } else {
        rows = try catalogue.collections(options.query).count
      }
      times.append(clock.now - start)
    }
    let microseconds = Int(times.sorted()[times.count / 2] / .microseconds(1))
    let fraction = String(microseconds % 1000 + 1000).dropFirst()
    let tenths = (Self.anonymousMemory() * 10) >> 20
    return "\(microseconds / 1000).\(fraction) ms, \(rows) rows, "
      + "\(tenths / 10).\(tenths % 10) MiB\n"
  }

  /// Bytes that no other process shares and no file holds: RssAnon of /proc/self/status.
  private static func anonymousMemory() -> Int {
    guard let file = unsafe fopen("/proc/self/status", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while unsafe fgets(&line, Int32(line.count), file) != nil {
      let bytes = line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\t" }
      if words.first == "RssAnon:", words.count > 1 { return (Int(words[1]) ?? 0) << 10 }
    }
    return 0
  }

  private func show(_ items: [LibraryItem]) {
    let lines = items.map { item in
      options.isJSON
        ? JSONObject(item).line
        : [
          item.tags.title ?? "", item.tags.artist ?? "", item.tags.album ?? "",
          item.path.description,
        ].map(printable).joined(separator: "\t") + "\n"
    }
    emit(lines.joined())
  }

  private func show(_ collections: [LibraryCollection]) {
    let lines = collections.map { collection in
      options.isJSON
        ? JSONObject(collection).line
        : [
          collection.title, collection.detail, collection.year.map { String($0) } ?? "",
          "\(collection.count) tracks", "\(Int(collection.length / .seconds(1))) seconds",
        ].map(printable).joined(separator: "\t") + "\n"
    }
    emit(lines.joined())
  }

  private static var properties: String {
    Query.Property.allCases.map { property in
      let words = property.comparisons.map { comparison in
        switch comparison {
        case .equals: "="
        case .contains: "~"
        case .beginsWith: "^"
        case .atLeast: ">="
        case .atMost: "<="
        }
      }
      let values = property.values.isEmpty ? "" : "\t" + property.values.joined(separator: ", ")
      return property.name + "\t" + words.joined(separator: " ") + values + "\n"
    }.joined()
  }
}
