/// Something to play: a file or a part of one.
public struct Entry: Equatable, Sendable {
  public var path: Path
  /// Where in the file it starts.
  public var start: Duration
  /// Where in the file it ends; nil at the file's end.
  public var end: Duration?
  /// The file's tags, completed from the cue sheet or playlist and the file's name.
  public var tags: Tags

  public init(path: Path, start: Duration = .zero, end: Duration? = nil, tags: Tags) {
    self.path = path
    self.start = start
    self.end = end
    self.tags = tags
  }

  /// What people call it: its title, or the file's name.
  public var title: String { tags.title ?? path.name.description }
}

extension Entry {
  /// A cue sheet's track; what the sheet says goes before the file's own tags.
  init(path: Path, item: Playlist.Item, fileTags: Tags) {
    var tags = item.tags
    var rest = fileTags
    if item.start > .zero || item.end != nil {
      // The file is more than this track, so its title and track gain are not the track's.
      rest.title = nil
      rest.replayGain.album = rest.replayGain.album ?? rest.replayGain.track
      rest.replayGain.track = nil
    }
    tags.fill(from: rest)
    if tags.title == nil, let track = tags.track {
      tags.title = "Track \(track)"
    }
    self.init(path: path, start: item.start, end: item.end, tags: tags)
  }
}

/// Something that was to be played and can't be found or read.
public struct Skipped: Equatable, Sendable, CustomStringConvertible {
  /// As it was given on the command line or in the playlist.
  public var name: String
  public var reason: String
  /// The playlist that names it.
  public var playlist: Path?

  /// One line for the user.
  public var description: String {
    (playlist.map { "\($0): " } ?? "") + "\(name): \(reason)"
  }
}
