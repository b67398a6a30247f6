/// A queue's item, as MPD's protocol tells it.
public struct Song: Equatable, Sendable {
  public var file: String
  public var title = ""
  public var artist = ""
  public var album = ""
  public var albumArtist = ""
  public var composer = ""
  public var genre = ""
  /// 0 where it is not known; so with the two below.
  public var track = 0
  public var disc = 0
  public var year = 0
  public var length: Duration?
  public var place: Int
  public var id: UInt32

  public init(file: String, place: Int, id: UInt32) {
    self.file = file
    self.place = place
    self.id = id
  }

  public var lines: String {
    var lines = "file: \(Self.oneLine(file))\n"
    let texts = [
      ("Artist", artist), ("AlbumArtist", albumArtist), ("Album", album), ("Title", title),
      ("Composer", composer), ("Genre", genre),
    ]
    for (name, text) in texts where !text.isEmpty { lines += "\(name): \(Self.oneLine(text))\n" }
    for (name, number) in [("Track", track), ("Disc", disc), ("Date", year)] where number > 0 {
      lines += "\(name): \(number)\n"
    }
    if let length {
      lines += "Time: \((length + .milliseconds(500)).components.seconds)\n"
      lines += "duration: \(decimal(length))\n"
    }
    return lines + "Pos: \(place)\nId: \(id)\n"
  }

  private static func oneLine(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 }) else { return text }
    return String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
  }
}

/// Seconds with three places, as MPD tells them.
public func decimal(_ time: Duration) -> String {
  let milliseconds = max(0, time / .milliseconds(1))
  let (whole, rest) = Int(milliseconds).quotientAndRemainder(dividingBy: 1000)
  return "\(whole)." + String(String(rest + 1000).dropFirst())
}
