internal import Glibc
internal import Jukebox
internal import Library

/// What `jukebox picture` is to give.
struct PictureOptions: Equatable {
  /// Where the picture is looked for.
  enum Subject: Equatable {
    /// A track of the library, by its number.
    case track(Int64)
    case file(Path)
  }

  var subject = Subject.file(Path(""))
  /// The longer side in pixels; nil for the picture as it is stored.
  var size: Int?
  /// Of a video.
  var time = Duration.seconds(10)
  /// Nil for stdout.
  var target: Path?
  var library: Path?
  var cache: Path?

  private enum Option: String, CaseIterable {
    case size = "--size"
    case time = "--at"
    case target = "--to"
    case track = "--track"
    case library = "--library"
    case cache = "--cache"
  }

  init(_ words: ArraySlice<[UInt8]>) throws(UsageError) {
    var words = OptionWords<Option>(words, of: "picture")
    var subjects: [Subject] = []
    while let word = try words.next() {
      switch word {
      case .plain(let path): subjects.append(.file(Path(path)))
      case .option(.track): subjects.append(.track(Int64(try words.number())))
      case .option(.size):
        size = try words.number()
        guard let size, 1...10_000 ~= size else {
          throw UsageError("--size is \(size ?? 0): allowed is 1 to 10000")
        }
      case .option(.time): time = .seconds(try words.number())
      case .option(.target):
        let path = Path(try words.value("FILE"))
        target = path == Path("-") ? nil : path
      case .option(.library): library = Path(try words.value("FILE"))
      case .option(.cache): cache = Path(try words.value("FOLDER"))
      }
    }
    guard let subject = subjects.first, subjects.count == 1 else {
      throw UsageError(
        "picture is of \(subjects.count) tracks: allowed is one, as PATH or --track NUMBER")
    }
    self.subject = subject
  }
}

/// Writes the picture of a track.
struct PictureCommand {
  private let options: PictureOptions

  init(_ options: PictureOptions) {
    self.options = options
  }

  func run() throws -> Ending {
    guard let reference = try reference() else { throw PictureError.notThere }
    let bytes: [UInt8]
    if let side = options.size {
      let cache = PictureCache(try options.cache ?? LibraryPlace.cache())
      bytes = try cache.picture(reference, side: side)
    } else {
      guard let stored = reference.bytes() else { throw PictureError.notThere }
      bytes = stored
    }
    if let target = options.target {
      do {
        try target.write(bytes)
      } catch {
        write("jukebox: \(printable("\(target): \(error)"))\n", to: STDERR_FILENO)
        return .nothingPlayed
      }
    } else {
      guard isatty(STDOUT_FILENO) == 0 else {
        throw UsageError("a picture is no text for a terminal: give --to FILE")
      }
      emit(bytes)
    }
    return .played
  }

  private func reference() throws -> PictureReference? {
    switch options.subject {
    case .file(let path): return PictureReference(of: path, at: options.time)
    case .track(let number):
      let catalogue = try Catalogue(options.library ?? LibraryPlace.standard())
      return try catalogue.picture(of: TrackID(number), at: options.time)
    }
  }
}
