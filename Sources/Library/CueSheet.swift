/// A cue sheet: the tracks of a disc, as ranges of one file or of several.
///
/// The commands are those of the CDRWIN user guide, appendix A; REM lines carry what came later.
struct CueSheet {
  private(set) var items: [Playlist.Item] = []

  /// A disc has 99 at most.
  private static let mostTracks = 999

  private struct Track {
    var number: Int
    var isAudio: Bool
    var tags = Tags()
    /// Which FILE it starts in, and where, by its INDEX 01; in CD frames.
    var start: (file: Int, frame: Int)?
    var gain: String?
    var peak: String?
  }

  private var files: [[UInt8]] = []
  private var tracks: [Track] = []
  private var disc = Tags()
  private var discGain: String?
  private var discPeak: String?

  init(_ lines: [ArraySlice<UInt8>]) {
    for line in lines {
      take(Self.words(line))
      if tracks.count > Self.mostTracks { break }
    }
    disc.replayGain.album = ReplayGain.Adjustment(gain: discGain, peak: discPeak)
    for (position, track) in tracks.enumerated() where track.isAudio {
      guard let start = track.start else { continue }
      let next = tracks.dropFirst(position + 1).first { $0.start != nil }?.start
      let end = next.flatMap { $0.file == start.file ? $0.frame : nil }
      if let end, end <= start.frame { continue }
      items.append(
        Playlist.Item(
          target: files[start.file], start: Self.duration(frames: start.frame),
          end: end.map(Self.duration), tags: tags(of: track)))
    }
  }

  private func tags(of track: Track) -> Tags {
    var tags = track.tags
    tags.track = track.number
    tags.artist = tags.artist ?? disc.artist
    tags.album = disc.title
    tags.albumArtist = disc.artist
    tags.disc = disc.disc
    tags.genres = tags.genres.isEmpty ? disc.genres : tags.genres
    tags.date = tags.date ?? disc.date
    tags.replayGain.track = ReplayGain.Adjustment(gain: track.gain, peak: track.peak)
    tags.replayGain.album = disc.replayGain.album
    return tags
  }

  private mutating func take(_ words: [ArraySlice<UInt8>]) {
    guard let command = words.first.map(Text.string)?.uppercased(), words.count > 1 else { return }
    let first = Text.string(words[1])
    let second = words.count > 2 ? Text.string(words[2]) : ""
    switch command {
    case "FILE":
      files.append(Array(words[1]))
    case "TRACK":
      tracks.append(Track(number: Int(first) ?? 0, isAudio: second.uppercased() == "AUDIO"))
    case "INDEX":
      if Int(first) == 1, let frame = Self.frames(second), !files.isEmpty, !tracks.isEmpty {
        tracks[tracks.count - 1].start = (files.count - 1, frame)
      }
    case "TITLE":
      setTags { $0.title = first }
    case "PERFORMER":
      setTags { $0.artist = first }
    case "REM":
      remark(first.uppercased(), second)
    default:
      break
    }
  }

  private mutating func remark(_ key: String, _ value: String) {
    switch key {
    case "DISCNUMBER": disc.disc = Int(value)
    case "GENRE": setTags { $0.genres = [value] }
    case "DATE": setTags { $0.date = value }
    case "REPLAYGAIN_ALBUM_GAIN": discGain = value
    case "REPLAYGAIN_ALBUM_PEAK": discPeak = value
    case "REPLAYGAIN_TRACK_GAIN" where !tracks.isEmpty: tracks[tracks.count - 1].gain = value
    case "REPLAYGAIN_TRACK_PEAK" where !tracks.isEmpty: tracks[tracks.count - 1].peak = value
    default: break
    }
  }

  /// Of the last track so far; of the disc before the first.
  private mutating func setTags(_ set: (inout Tags) -> Void) {
    if tracks.isEmpty {
      set(&disc)
    } else {
      set(&tracks[tracks.count - 1].tags)
    }
  }

  /// Words between blanks, or between quotes with blanks inside; an open quote ends with the line.
  private static func words(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let quote = UInt8(ascii: "\"")
    var words: [ArraySlice<UInt8>] = []
    var rest = line.drop(while: Text.isBlank)
    while let first = rest.first {
      let body = first == quote ? rest.dropFirst() : rest
      let word = body.prefix { first == quote ? $0 != quote : !Text.isBlank($0) }
      words.append(word)
      rest = body[word.endIndex...].dropFirst().drop(while: Text.isBlank)
    }
    return words
  }

  /// "mm:ss:ff", 75 frames a second, in frames.
  private static func frames(_ time: String) -> Int? {
    let parts = time.split(separator: ":").map { Int($0) }
    guard parts.count == 3, let minutes = parts[0], let seconds = parts[1], let frames = parts[2],
      (0...100_000).contains(minutes), (0..<60).contains(seconds), (0..<75).contains(frames)
    else { return nil }
    return (minutes * 60 + seconds) * 75 + frames
  }

  /// Up to the next attosecond, so that the sample it means is found by rounding down, too.
  static func duration(frames: Int) -> Duration {
    let (whole, part) = Int64(1_000_000_000_000_000_000).quotientAndRemainder(dividingBy: 75)
    let rest = Int64(frames % 75)
    let attoseconds = rest * whole + (rest * part + 74) / 75
    return Duration(
      secondsComponent: Int64(frames / 75), attosecondsComponent: attoseconds)
  }
}
