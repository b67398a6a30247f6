/// The music that paths lead to, found piece by piece: files, folders, playlists and cue sheets.
///
/// A folder gives its files first, then its subfolders, each in the order people expect; the first
/// entry is known before a big tree has been walked. Not thread-safe; reads the file system.
public struct Walk: Sequence, IteratorProtocol {
  public enum Element: Equatable, Sendable {
    case entry(Entry)
    case skipped(Skipped)
  }

  /// What a small piece of work brought.
  public enum Step: Equatable, Sendable {
    case found(Element)
    case nothingYet
    case end
  }

  /// What remains to be done, the next at the end.
  private var tasks: [Task]
  /// The folders and playlists opened since the last path that the user gave.
  private var visited: Set<FileIdentity> = []

  private enum Task {
    case argument(Path)
    case named(Path, title: String?)
    case folder(Path)
    case opening(Folder)
    case list(OpenPlaylist)
    case result(Element)
  }

  /// A playlist that is being gone through.
  private struct OpenPlaylist {
    var path: Path
    var items: ArraySlice<Playlist.Item>
    var kind: Playlist.Kind
    var isCut: Bool
    var finder: Finder
    /// The tags of the file that the last item named: a cue sheet's tracks often share one.
    var lastTags: (path: Path, tags: Tags)?
  }

  public init(_ paths: [Path]) {
    tasks = paths.reversed().map { .argument($0) }
  }

  /// The next entry, or what was passed over and why; nil at the end.
  public mutating func next() -> Element? {
    while true {
      switch step() {
      case .found(let element): return element
      case .nothingYet: continue
      case .end: return nil
      }
    }
  }

  /// Does a little of the walk, such as one file's tags, so that a loop can look after other things.
  public mutating func step() -> Step {
    guard let task = tasks.popLast() else { return .end }
    switch task {
    case .argument(let path):
      visited = []
      open(path, title: nil)
    case .named(let path, let title):
      open(path, title: title)
    case .folder(let path):
      openFolder(path)
    case .opening(var folder):
      if folder.readNext() {
        tasks.append(.opening(folder))
      } else {
        tasks += folder.subfolders.reversed().map { .folder($0) }
        tasks += folder.entries().reversed().map { .result(.entry($0)) }
      }
    case .list(var playlist):
      goOn(&playlist)
    case .result(let element):
      return .found(element)
    }
    return .nothingYet
  }

  /// Opens what the user or a playlist names, whatever it is.
  private mutating func open(_ path: Path, title: String?) {
    do throws(SystemError) {
      let status = try FileStatus(path)
      switch status.kind {
      case .folder:
        tasks.append(.folder(path))
      case .other:
        add(path, tags: Tags(title: title))
      case .file:
        let reading = try Reading(of: path)
        if reading.container == nil,
          let kind = Playlist.kind(of: path, head: try path.contents(upTo: 64))
        {
          openPlaylist(path, kind: kind, status: status)
        } else {
          var tags = reading.tags
          tags.title = tags.title ?? title
          add(path, tags: tags)
        }
      }
    } catch {
      skip(path, error.description)
    }
  }

  private mutating func openFolder(_ path: Path) {
    do throws(SystemError) {
      guard visited.insert(try FileStatus(path).identity).inserted else { return }
      tasks.append(.opening(try Folder(path)))
    } catch {
      skip(path, error.description)
    }
  }

  private mutating func openPlaylist(_ path: Path, kind: Playlist.Kind, status: FileStatus) {
    guard visited.insert(status.identity).inserted else {
      return skip(path, "a playlist that leads back to itself")
    }
    guard status.size <= Playlist.longestFile else {
      return skip(path, "too long for a playlist (\(status.size >> 20) MiB)")
    }
    do {
      let playlist = try Playlist(path.contents(upTo: Playlist.longestFile), kind: kind)
      tasks.append(
        .list(
          OpenPlaylist(
            path: path, items: playlist.items[...], kind: kind, isCut: playlist.isCut,
            finder: Finder(folder: path.parent))))
    } catch {
      skip(path, "\(error)")
    }
  }

  /// Opens a playlist's next item, and leaves the rest for later.
  private mutating func goOn(_ playlist: inout OpenPlaylist) {
    guard let item = playlist.items.popFirst() else {
      if playlist.isCut {
        skip(playlist.path, "only its first \(Playlist.mostItems) items are taken")
      }
      return
    }
    let name = Text.string(item.target.prefix(4096))
    if playlist.kind == .cue {
      let file = playlist.finder.findAudio(item.target)
      if let file, playlist.lastTags?.path != file { playlist.lastTags = (file, Tags(of: file)) }
      tasks.append(.list(playlist))
      guard let file else { return skip(name, "not found", in: playlist.path) }
      let entry = Entry(path: file, item: item, fileTags: playlist.lastTags?.tags ?? Tags())
      tasks.append(.result(.entry(entry)))
      return
    }
    let outcome = playlist.finder.find(item.target)
    tasks.append(.list(playlist))
    switch outcome {
    case .found(let path) where playlist.finder.isAncestor(path):
      skip(name, "holds the playlist itself", in: playlist.path)
    case .found(let path): tasks.append(.named(path, title: item.tags.title))
    case .missing: skip(name, "not found", in: playlist.path)
    case .network: skip(name, "network streams are not supported", in: playlist.path)
    }
  }

  private mutating func add(_ path: Path, tags: Tags) {
    var tags = tags
    tags.fill(fromNameOf: path)
    tasks.append(.result(.entry(Entry(path: path, tags: tags))))
  }

  private mutating func skip(_ path: Path, _ reason: String) {
    skip(path.description, reason, in: nil)
  }

  private mutating func skip(_ name: String, _ reason: String, in playlist: Path?) {
    tasks.append(.result(.skipped(Skipped(name: name, reason: reason, playlist: playlist))))
  }
}
