internal import Glibc
internal import Jukebox
internal import Library

/// What `jukebox playlist` is to do.
struct PlaylistOptions: Equatable {
  enum Verb: String, CaseIterable {
    case list, show, new, add, take, remove, save
  }

  var verb: Verb
  var library: Path?
  var title = ""
  /// The tracks to put into a list, as of `jukebox query`; nil for none.
  var tracks: QueryOptions?
  /// The places to take out of a list, from 1.
  var places: [Int] = []
  var file = Path("")

  init(_ words: ArraySlice<[UInt8]>) throws(UsageError) {
    var words = words
    let verbs = Verb.allCases.map(\.rawValue)
    let word = words.popFirst().map { String(decoding: $0, as: UTF8.self) } ?? ""
    guard let verb = Verb(rawValue: word) else {
      throw UsageError(
        "playlist is followed by \(quoted(word)): allowed are \(list(verbs))",
        nearest: word, in: verbs)
    }
    self.verb = verb
    if verb != .list {
      guard let title = words.popFirst(), !title.isEmpty else {
        throw UsageError("playlist \(verb.rawValue) names no list: allowed is a NAME after it")
      }
      self.title = String(decoding: title, as: UTF8.self)
    }
    // All else is read as a query is, of which most verbs take the library alone.
    let query = try QueryOptions(words)
    library = query.library
    switch verb {
    case .new, .add:
      if query.asksForTracks { tracks = query }
      guard tracks != nil || verb == .new else {
        throw UsageError("playlist add has nothing to add: allowed are WORDs and options of query")
      }
    case .take:
      places = query.words.compactMap { Int($0) }.filter { $0 > 0 }
      guard places.count == query.words.count, !places.isEmpty else {
        throw UsageError("playlist take is followed by places in the list: 1 is the first")
      }
    case .save:
      guard let path = query.words.first, query.words.count == 1 else {
        throw UsageError("playlist save is followed by a NAME and one FILE")
      }
      file = Path(path)
    case .list, .show, .remove:
      guard query.words.isEmpty else {
        throw UsageError("\(quoted(query.words[0])) is too much for playlist \(verb.rawValue)")
      }
    }
  }
}

/// Makes, changes, shows and saves the user's own lists; shows those of media too.
struct PlaylistCommand {
  private let options: PlaylistOptions
  private let catalogue: Catalogue

  init(_ options: PlaylistOptions) throws {
    self.options = options
    catalogue = try Catalogue(options.library ?? LibraryPlace.standard())
  }

  func run() throws -> Ending {
    if ![.list, .show, .save].contains(options.verb) { try catalogue.requireWritable() }
    switch options.verb {
    case .list:
      for list in try catalogue.playlists() {
        let missing = list.missing > 0 ? ", \(list.missing) missing" : ""
        tell([list.title, "\(list.count) tracks\(missing)", list.file?.description ?? ""])
      }
    case .new:
      guard try own() == nil else { return refuse("there is a list of that name already") }
      _ = try catalogue.makePlaylist(options.title, tracks())
    case .show:
      guard let list = try catalogue.playlists().first(where: { $0.title == options.title }) else {
        return refuse("there is no such list")
      }
      for (place, entry) in try catalogue.entries(list.id).enumerated() { try show(place, entry) }
    case .add, .take, .remove, .save:
      guard let list = try own() else { return refuse("there is no list of your own of that name") }
      return try change(list)
    }
    return .played
  }

  private func change(_ list: LibraryPlaylist) throws -> Ending {
    switch options.verb {
    case .remove:
      try catalogue.deletePlaylist(list.id)
    case .save:
      let folder = try options.file.absolute().parent
      do {
        try options.file.write(catalogue.m3u8(list.id, seenFrom: folder))
      } catch let error as SystemError {
        write("jukebox: \(printable("\(options.file): \(error)"))\n", to: STDERR_FILENO)
        return .nothingPlayed
      }
    default:
      var kept = try catalogue.entries(list.id)
      if let last = options.places.max(), last > kept.count {
        return refuse("it has \(kept.count) tracks")
      }
      for place in Set(options.places).sorted(by: >) { kept.remove(at: place - 1) }
      try catalogue.setEntries(kept + tracks().map { PlaylistEntry($0) }, of: list.id)
    }
    return .played
  }

  private func own() throws -> LibraryPlaylist? {
    try catalogue.playlists().first { $0.title == options.title && $0.file == nil }
  }

  /// What is asked for, in the query's order.
  private func tracks() throws -> [TrackID] {
    guard let asked = options.tracks else { return [] }
    return asked.words.isEmpty
      ? try catalogue.tracks(asked.query)
      : try catalogue.search(asked.words.joined(separator: " "), limit: asked.query.limit ?? 50)
  }

  private func show(_ place: Int, _ entry: PlaylistEntry) throws {
    guard let track = entry.track, let item = try catalogue.item(track) else {
      let target = String(decoding: entry.target, as: UTF8.self)
      return tell(["\(place + 1)", entry.title ?? "", "missing", target])
    }
    tell(["\(place + 1)", item.tags.title ?? "", item.tags.artist ?? "", item.path.description])
  }

  private func tell(_ columns: [String]) {
    emit(columns.map(printable).joined(separator: "\t") + "\n")
  }

  private func refuse(_ reason: String) -> Ending {
    write("jukebox: \(quoted(options.title)): \(reason)\n", to: STDERR_FILENO)
    return .nothingPlayed
  }
}
