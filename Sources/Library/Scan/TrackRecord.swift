/// All that the library writes down of a file, or of a part of one.
struct TrackRecord {
  enum State: Int {
    case listed, covered, noMusic, gone
  }

  var state = State.listed
  var reason: String?
  var size = 0
  var modified: Int64 = 0
  var fingerprint: Int64 = 0
  var tags = Tags()
  var sound: Sound?
  /// Of the part; in milliseconds.
  var length = 0
  /// Whose album it is: the tag's album artist, the artist, or "Various Artists".
  var albumArtist: String?
  /// Tells albums of one title and artist apart.
  var albumPlace = ""

  init(_ reading: Reading) {
    size = reading.size
    modified = reading.modified
    fingerprint = reading.fingerprint
    tags = reading.tags
    sound = reading.sound
    length = reading.sound?.milliseconds ?? 0
    reason = reading.problem
    state = reason == nil ? .listed : .noMusic
  }

  /// A file that could not be read; it stays listed, since the next try may go well.
  init(failure: SystemError, size: Int, modified: Int64) {
    self.size = size
    self.modified = modified
    reason = failure.description
  }
}

extension TrackRecord {
  /// What an album of several artists is listed under.
  static let variousArtists = "Various Artists"

  /// Finds the album artists of the files of one folder.
  ///
  /// Without a tag for it, an album's artist is the artist of its tracks; if they have several, or say
  /// so, it is a compilation, and one with another of its title in another folder is another.
  static func gatherAlbums(_ records: inout [TrackRecord], place: String) {
    var artists: [String: Set<String>] = [:]
    for record in records {
      guard record.tags.albumArtist == nil, let album = record.tags.album else { continue }
      artists[album, default: []].insert(Folding.fold(record.tags.artist ?? ""))
    }
    for index in records.indices {
      let tags = records[index].tags
      if let artist = tags.albumArtist {
        records[index].albumArtist = artist
      } else if let album = tags.album, tags.isCompilation || (artists[album]?.count ?? 0) > 1 {
        records[index].albumArtist = variousArtists
        records[index].albumPlace = place
        records[index].tags.isCompilation = true
      } else {
        records[index].albumArtist = tags.artist
      }
    }
  }
}
