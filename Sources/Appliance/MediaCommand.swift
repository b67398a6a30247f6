internal import Glibc
internal import Jukebox
internal import Library

/// What `jukebox media` is to do.
struct MediaOptions: Equatable {
  var library: Path?
  var isJSON = false
  /// The media to forget, by their UUIDs; none to list them all.
  var forgotten: [String] = []

  private enum Option: String, CaseIterable {
    case library = "--library"
    case json = "--json"
  }

  init(_ words: ArraySlice<[UInt8]>) throws(UsageError) {
    var words = OptionWords<Option>(words, of: "media")
    var plain: [String] = []
    while let word = try words.next() {
      switch word {
      case .plain(let word): plain.append(String(decoding: word, as: UTF8.self))
      case .option(.library): library = Path(try words.value("FILE"))
      case .option(.json): isJSON = true
      }
    }
    guard let verb = plain.first else { return }
    guard verb == "forget", plain.count > 1 else {
      throw UsageError(
        "media is followed by \(quoted(verb)): allowed are nothing, or forget UUID...",
        nearest: verb, in: ["forget"])
    }
    forgotten = Array(plain.dropFirst())
  }
}

/// Lists the media that are remembered, or forgets some.
struct MediaCommand {
  private let options: MediaOptions

  init(_ options: MediaOptions) {
    self.options = options
  }

  func run() throws -> Ending {
    let catalogue = try Catalogue(options.library ?? LibraryPlace.standard())
    if !options.forgotten.isEmpty { try catalogue.requireWritable() }
    if !catalogue.isReadOnly { try catalogue.noticeAbsent() }
    let media = try catalogue.media()
    var ending = Ending.played
    for uuid in options.forgotten {
      let meant = media.filter { $0.identity.uuid == uuid }
      for medium in meant { try catalogue.forget(medium.id) }
      if meant.isEmpty {
        write(
          "jukebox: \(quoted(uuid)) is no UUID of a medium that is remembered\n", to: STDERR_FILENO)
        ending = .nothingPlayed
      }
    }
    if options.forgotten.isEmpty {
      for medium in media { try show(medium, catalogue) }
    }
    return ending
  }

  private func show(_ medium: Medium, _ catalogue: Catalogue) throws {
    let tracks = try catalogue.trackCount(medium.id)
    let line =
      options.isJSON
      ? JSONObject([
        "medium": .number(Int(medium.id.number)), "uuid": .text(medium.identity.uuid),
        "size": .number(medium.identity.size), "label": .text(medium.identity.label),
        "here": .flag(medium.isPresent), "root": .text(medium.root.description),
        "tracks": .number(tracks), "seen": .number(Int(medium.lastSeen)),
      ]).line
      : [
        medium.isPresent ? "here" : "away", "\(tracks) tracks", medium.identity.label,
        medium.root.description, medium.identity.uuid,
      ].map(printable).joined(separator: "\t") + "\n"
    emit(line)
  }
}
