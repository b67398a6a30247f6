internal import Audio
internal import Glibc
internal import Library

/// `jukebox play --to FILE.wav`: writes what would be heard, as fast as it can be decoded.
final class BounceCommand {
  private let file: Path
  private let options: PlayOptions
  private var tracks: TrackList
  private var screen = Screen(hasStatusLine: false)
  /// The place of the next track to give out.
  private var next = 0
  private var failed: Set<Int> = []

  init(to file: Path, _ options: PlayOptions) {
    self.file = file
    self.options = options
    tracks = TrackList(options.paths, loudness: options.loudness)
  }

  func run() -> Ending {
    if let path = options.paths.first(where: { $0.leadsToSameFile(as: file) }) {
      screen.complain("\(path): is to be played and to be written; write to another file")
      return .nothingPlayed
    }
    guard let first = takeNext() else {
      screen.complain("nothing to play was found")
      return .nothingPlayed
    }
    let rate: Int? = if case .hertz(let rate) = options.rate { rate } else { nil }
    let bounce = Bounce(
      to: file.bytes, format: options.bits.format, rate: rate, volume: options.volume)
    let frames: Int
    do throws(SoundFileError) {
      frames = try bounce.render(
        first, from: options.start, next: { takeNext() }, report: { report($0) })
    } catch {
      screen.complain("\(file): \(error)")
      return .nothingPlayed
    }
    if frames == 0 { screen.complain("\(file): not written, since there is no sound to write") }
    return frames > 0 ? .played : .nothingPlayed
  }

  /// The next track that is not the very file to be written.
  private func takeNext() -> Item? {
    while let entry = tracks.entry(at: next) {
      tellSkipped()
      next += 1
      if !entry.path.leadsToSameFile(as: file) { return tracks.item(at: next - 1) }
      failed.insert(next - 1)
      screen.complain("\(entry.path): passed over, since it is the file to be written")
    }
    tellSkipped()
    return nil
  }

  private func tellSkipped() {
    for skipped in tracks.skipped { screen.complain(skipped.description) }
    tracks.skipped = []
  }

  private func report(_ event: Bounce.Event) {
    switch event {
    case .opened(let id, let length, _):
      let time = length.map { " (\(clock($0)))" } ?? ""
      screen.tell("writing \(tracks.entries[Int(id)].label)\(time)")
    case .failed(let id, let error):
      failed.insert(Int(id))
      screen.complain("\(tracks.entries[Int(id)].path): \(error)")
    case .writing(let rate):
      if options.isVerbose { screen.complain("\(file): \(rate) Hz, \(options.bits.rawValue) bit") }
    }
  }
}

extension PlayOptions.Bits {
  fileprivate var format: WAVFile.Format {
    switch self {
    case .sixteen: .int16
    case .twentyFour: .int24
    case .thirtyTwo: .int32
    }
  }
}
