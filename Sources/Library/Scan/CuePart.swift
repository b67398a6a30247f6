/// A cue sheet's track: a part of a file, by CD frames of 1/75 s.
struct CuePart {
  var start: Int
  var stop: Int?
  var tags: Tags

  /// The tracks of a sheet by the files beside it; by `file` names as the folder has them.
  static func parts(of sheet: Path, in folder: Path) -> [(file: [UInt8], parts: [CuePart])] {
    guard let bytes = try? folder.appending(sheet).contents(upTo: 1 << 20),
      let list = try? Playlist(bytes, kind: .cue)
    else { return [] }
    var finder = Finder(folder: folder)
    var found: [(file: [UInt8], parts: [CuePart])] = []
    for item in list.items {
      guard let path = finder.findAudio(item.target), path.parent == folder else { continue }
      let part = CuePart(
        start: item.start.cueFrames, stop: item.end.map(\.cueFrames), tags: item.tags)
      if let place = found.firstIndex(where: { $0.file == path.name.bytes }) {
        found[place].parts.append(part)
      } else {
        found.append((path.name.bytes, [part]))
      }
    }
    return found
  }

  /// What the sheet says before what the file says of itself as a whole.
  func tags(inFile tags: Tags) -> Tags {
    var whole = tags
    whole.title = nil
    whole.track = nil
    whole.sortNames.title = nil
    whole.replayGain.album = whole.replayGain.album ?? whole.replayGain.track
    whole.replayGain.track = nil
    var part = self.tags
    part.fill(from: whole)
    if part.title == nil, let track = part.track { part.title = "Track \(track)" }
    return part
  }
}

extension Duration {
  /// In 1/75 s, as cue sheets count.
  var cueFrames: Int {
    let (seconds, fraction) = components
    return Int(seconds) * 75 + Int((fraction + 6_666_666_666_666_666) / 13_333_333_333_333_333)
  }
}
