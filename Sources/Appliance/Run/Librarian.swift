internal import Glibc
internal import Jukebox
internal import Library
internal import Remote
internal import Synchronization

/// Answers questions about the library on a thread of its own, in the order in which they were asked.
///
/// The loop never touches the database: it may be on a slow card, and a scan may hold it.
final class Librarian: Sendable {
  enum Question: Sendable {
    /// A medium is here at `root`.
    case arrived(MediumIdentity, root: Path, turn: Int)
    case left(MediumID)
    case locate([TrackID])
    /// What a scan has found that is new.
    case new([TrackID], MediumID)
    case contents(MediumID)
    /// The medium's first playlist; all of it where it has none.
    case playlist(MediumID)
    case find(Selection, Placement)
    case played(TrackID)
    case skipped(TrackID)
    /// What a remote wants to know of these items, which stand in the queue from a place on.
    case songs([Jukebox.Item], from: Int, ClientID)
    /// What a remote wants added, named by a path that begins with a medium's name.
    case add(Path, ClientID)
    /// The library's file is damaged, as a scan has found.
    case mend
  }

  enum Answer: Sendable {
    case opened(Path)
    /// The library was damaged, and another one is there in its place: its media are to be entered anew.
    case begunAnew(Path)
    /// One line for the journal: what is the matter, and what is done now.
    case trouble(String)
    case entered(MediumID, MediumIdentity, root: Path, turn: Int, tracks: Int)
    /// The medium can't be entered, so nothing on it can be played.
    case refused(root: Path, turn: Int)
    /// Where the tracks are that were asked about; those not among the places are not known.
    case located([TrackID], [Place])
    case new([Track], MediumID)
    case contents([Track], MediumID)
    case found([Track], Placement)
    case songs(String, ClientID)
    case added([Track], ClientID)
  }

  let answers = Mailbox<Answer>()
  private let questions = Mailbox<Question>()
  private let file: Path
  private let loudness: Mutex<PlayOptions.Loudness>

  init(library file: Path, loudness: PlayOptions.Loudness) {
    self.file = file
    self.loudness = Mutex(loudness)
  }

  /// What the gain is to be of tracks that are located from now on.
  func set(loudness: PlayOptions.Loudness) { self.loudness.withLock { $0 = loudness } }

  func ask(_ question: Question) { questions.post(question) }

  /// Opens the library, on its thread.
  func start() { startThread("librarian") { [self] in run() } }

  // MARK: - The thread

  private func run() {
    guard var desk = open() else {
      while true { for question in questions.wait(nil) { refuse(question) } }
    }
    answers.post(.opened(desk.path))
    while true {
      for question in questions.wait(nil) {
        do throws(SQLiteError) {
          try answer(question, desk)
        } catch {
          if error.isDamage, mend(desk) {
            do throws(SQLiteError) { try answer(question, desk) } catch { refuse(question) }
            continue
          }
          // A disk that is full or read-only must not keep the music from playing.
          guard desk.path == file, let spare = openSpare(error.description) else {
            answers.post(.trouble("the library: \(error)"))
            refuse(question)
            continue
          }
          desk = spare
          answers.post(.opened(desk.path))
          do throws(SQLiteError) { try answer(question, desk) } catch { refuse(question) }
        }
      }
    }
  }

  private func open() -> Catalogue? {
    do throws(SQLiteError) {
      let catalogue = try Catalogue(file)
      if let aside = catalogue.setAside {
        answers.post(.trouble("the library was damaged; it is kept as \(aside), and made anew"))
      }
      if !catalogue.isReadOnly { return catalogue }
      return openSpare("\(file) can't be written")
    } catch {
      return openSpare("\(error)")
    }
  }

  /// Puts the damaged library aside and begins another; whether that could be done.
  private func mend(_ desk: Catalogue) -> Bool {
    guard (try? desk.beginAnew()) == true, let aside = desk.setAside else { return false }
    answers.post(.trouble("the library was damaged; it is kept as \(aside), and made anew"))
    answers.post(.begunAnew(desk.path))
    return true
  }

  /// A copy of the library in memory's file system, for as long as the machine runs.
  private func openSpare(_ reason: String) -> Catalogue? {
    let base = environment("RUNTIME_DIRECTORY") ?? "/tmp"
    var template = Array("\(base)/jukebox-library-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      answers.post(.trouble("the library: \(reason), and \(base) can't be written either"))
      return nil
    }
    let folder = Path(template.map { UInt8(bitPattern: $0) })
    let spare = folder.appending(Path("library.db"))
    for ending in ["", "-wal"] {
      let from = Path(file.bytes + Array(ending.utf8))
      try? Path(spare.bytes + Array(ending.utf8)).write(from.wholeContents())
    }
    // What is the matter with the library may be the matter with its copy.
    let catalogue =
      (try? Catalogue(spare)) ?? (try? Catalogue(folder.appending(Path("new.db"))))
    guard let catalogue else {
      answers.post(.trouble("the library: \(reason); nothing can be played without one"))
      return nil
    }
    answers.post(.trouble("the library: \(reason); what is found is kept until the power goes"))
    return catalogue
  }

  private func refuse(_ question: Question) {
    switch question {
    case .arrived(_, let root, let turn): answers.post(.refused(root: root, turn: turn))
    case .locate(let tracks): answers.post(.located(tracks, []))
    case .contents(let medium), .playlist(let medium): answers.post(.contents([], medium))
    case .songs(_, _, let client), .add(_, let client): answers.post(.added([], client))
    case .left, .new, .find, .played, .skipped, .mend: break
    }
  }

  private func answer(_ question: Question, _ desk: Catalogue) throws(SQLiteError) {
    switch question {
    case .arrived(let identity, let root, let turn):
      let medium = try desk.arrived(identity, at: root)
      let count = try desk.total(Query(.title, where: [Self.medium(medium)])).count
      answers.post(.entered(medium, identity, root: root, turn: turn, tracks: count))
    case .left(let medium): try desk.left(medium)
    case .locate(let tracks): answers.post(.located(tracks, try places(tracks, desk)))
    case .new(let tracks, let medium): answers.post(.new(try desk.queued(tracks), medium))
    case .contents(let medium):
      answers.post(.contents(try desk.queued(on: medium, below: Path([])), medium))
    case .playlist(let medium):
      var tracks: [Track] = []
      if let list = try desk.playlists().first(where: { $0.medium == medium }) {
        tracks = try desk.queued(desk.entries(list.id).compactMap(\.track))
      }
      if tracks.isEmpty { tracks = try desk.queued(on: medium, below: Path([])) }
      answers.post(.contents(tracks, medium))
    case .find(let selection, let placement):
      answers.post(.found(try find(selection, desk), placement))
    case .played(let track): try desk.played(track, at: Int64(time(nil)))
    case .skipped(let track): try desk.skipped(track)
    case .songs(let items, let start, let client):
      answers.post(.songs(try songs(items, from: start, desk), client))
    case .add(let path, let client): answers.post(.added(try add(path, desk), client))
    case .mend: _ = mend(desk)
    }
  }

  private func places(_ tracks: [TrackID], _ desk: Catalogue) throws(SQLiteError) -> [Place] {
    let roots = Dictionary(uniqueKeysWithValues: try desk.media().map { ($0.id, $0.root) })
    let loudness = loudness.withLock { $0 }
    return try desk.items(tracks).map {
      Place($0, root: roots[$0.medium] ?? Path("/"), loudness: loudness)
    }
  }

  private func songs(
    _ items: [Jukebox.Item], from start: Int, _ desk: Catalogue
  ) throws(SQLiteError) -> String {
    let known = try places(items.map(\.track.id), desk)
    let places = Dictionary(known.map { ($0.track, $0) }) { first, _ in first }
    let names = Dictionary(uniqueKeysWithValues: try names(desk).map { ($0.medium.id, $0.name) })
    var lines = ""
    for (index, item) in items.enumerated() {
      let place = places[item.track.id]
      lines += Song(item, at: start + index, place, on: place.flatMap { names[$0.medium] }).lines
    }
    return lines
  }

  private static func medium(_ medium: MediumID) -> Query.Predicate {
    Query.Predicate(.medium, .equals, String(medium.number))
  }

  private func find(_ selection: Selection, _ desk: Catalogue) throws(SQLiteError) -> [Track] {
    func query(_ predicates: Query.Predicate...) throws(SQLiteError) -> [Track] {
      try desk.queued(desk.tracks(Query(.title, where: predicates)))
    }
    switch selection {
    case .everything: return try query()
    case .artist(let name): return try query(.init(.artist, .equals, name))
    case .album(let title, let artist):
      return artist.isEmpty
        ? try query(.init(.album, .equals, title))
        : try query(.init(.album, .equals, title), .init(.albumArtist, .equals, artist))
    case .genre(let name): return try query(.init(.genre, .equals, name))
    case .playlist(let name): return try query(.init(.playlist, .equals, name))
    case .medium(let medium): return try desk.queued(on: medium, below: Path([]))
    case .search(let words): return try desk.queued(desk.search(words))
    }
  }

  /// What each medium that is here is called in paths: its label, with its number where two share one.
  private func names(
    _ desk: Catalogue
  ) throws(SQLiteError) -> [(name: String, medium: Medium)] {
    let media = try desk.media()
    let counts = Dictionary(media.map { ($0.identity.label, 1) }, uniquingKeysWith: +)
    return media.map { medium in
      let label = medium.identity.label.replacingSlashes
      let isAlone = counts[medium.identity.label] == 1 && !label.isEmpty
      return (isAlone ? label : "\(label)-\(medium.id.number)", medium)
    }
  }

  private func add(_ path: Path, _ desk: Catalogue) throws(SQLiteError) -> [Track] {
    let media = try names(desk)
    if path.isAbsolute, path.bytes.count > 1 {
      for (_, medium) in media {
        if let inner = path.seen(from: medium.root) {
          return try desk.queued(on: medium.id, below: inner)
        }
      }
      return []
    }
    let trimmed = Path(path.bytes.drop { $0 == UInt8(ascii: "/") })
    if trimmed.bytes.isEmpty {
      var all: [Track] = []
      for (_, medium) in media where medium.isPresent {
        all += try desk.queued(on: medium.id, below: trimmed)
      }
      return all
    }
    for (name, medium) in media {
      if let inner = trimmed.seen(from: Path(name)) {
        return try desk.queued(on: medium.id, below: inner)
      }
    }
    return []
  }
}

/// A remote, by its descriptor and a number that no two share.
struct ClientID: Hashable, Sendable {
  var descriptor: Int32
  var number: Int
}

extension String {
  fileprivate var replacingSlashes: String {
    String(map { $0 == "/" ? "-" : $0 })
  }
}

extension Song {
  /// `medium` is what the place's medium is called.
  fileprivate init(_ item: Jukebox.Item, at index: Int, _ place: Place?, on medium: String?) {
    guard let place else {
      self.init(file: "track \(item.track.id.number)", place: index, id: item.id.number)
      return
    }
    let file = Path(medium ?? "").appending(place.path)
    self.init(file: file.description, place: index, id: item.id.number)
    let tags = place.tags
    title = tags.title
    artist = tags.artist
    album = tags.album
    albumArtist = tags.albumArtist
    composer = tags.composer
    genre = tags.genre
    track = tags.number
    disc = tags.disc
    year = tags.year
    length = tags.length.map { Duration($0) }
  }
}
