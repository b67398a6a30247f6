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

  /// A file that has not been read, and stays listed: the next try may go well.
  init(size: Int, modified: Int64, failure: SystemError? = nil) {
    self.size = size
    self.modified = modified
    reason = failure?.description
  }
}

/// Finds the album artists of the files of one folder.
///
/// Without a tag for it, an album's artist is the artist of its tracks; if they have several, or say
/// so, it is a compilation, and one with another of its title in another folder is another. But where
/// artists have several tracks each, and some of the same number, these are albums of one title.
struct AlbumArtists {
  /// What an album of several artists is listed under.
  static let various = "Various Artists"

  private let several: Set<String>
  private let place: String

  init(of files: some Sequence<Tags>, place: String) {
    var artists: [String: Set<String>] = [:]
    var counts: [String: Int] = [:]
    var holders: [String: [[Int]: String]] = [:]
    var clashing: Set<String> = []
    for tags in files {
      guard tags.albumArtist == nil, let album = tags.album else { continue }
      let artist = tags.artist ?? ""
      artists[album, default: []].insert(artist)
      counts[album, default: 0] += 1
      guard let track = tags.track, !tags.isCompilation else { continue }
      let place = [tags.disc ?? 1, track]
      if let other = holders[album, default: [:]].updateValue(artist, forKey: place),
        other != artist, Folding.fold(other) != Folding.fold(artist)
      {
        clashing.insert(album)
      }
    }
    let several = artists.filter { album, names in
      let areSeparate = clashing.contains(album) && 2 * names.count <= counts[album, default: 0]
      return names.count > 1 && !areSeparate && Set(names.map(Folding.fold)).count > 1
    }
    self.several = Set(several.keys)
    self.place = place
  }

  func settle(_ record: inout TrackRecord) {
    if let artist = record.tags.albumArtist {
      record.albumArtist = artist
    } else if let album = record.tags.album, record.tags.isCompilation || several.contains(album) {
      record.albumArtist = Self.various
      record.albumPlace = place
      record.tags.isCompilation = true
    } else {
      record.albumArtist = record.tags.artist
    }
  }
}
