/// Which tracks are gone on with where they were left, as books and podcasts are.
public struct ResumeRule: Equatable, Sendable {
  public var genres = ["Audiobook", "Audiobooks", "Podcast", "Podcasts", "Hörbuch", "Hörspiel"]
  /// Parts of a path, such as "/Books/".
  public var paths: [String] = []
  public var longerThan: Interval? = .minutes(30)
  /// How far before the point it goes on.
  public var rewind = Interval.seconds(5)

  public init() {}

  func covers(_ tags: Tags) -> Bool {
    if let longerThan, let length = tags.length, length > longerThan { return true }
    return genres.contains { isSame($0, tags.genre) }
      || paths.contains { occurs($0, in: tags.path) }
  }

  /// Equal but for the case of the letters a to z.
  private func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8) { small($0) == small($1) }
  }

  private func small(_ byte: UInt8) -> UInt8 {
    (65...90).contains(byte) ? byte + 32 : byte
  }

  private func occurs(_ part: String, in path: String) -> Bool {
    let part = Array(part.utf8)
    let path = Array(path.utf8)
    guard !part.isEmpty, part.count <= path.count else { return false }
    return (0...(path.count - part.count)).contains { start in
      path[start..<(start + part.count)].elementsEqual(part)
    }
  }
}

/// Where tracks were left; the oldest point goes when there are too many.
public struct ResumePoints: Equatable, Sendable {
  struct Point: Equatable, Sendable {
    var track: TrackID
    var position: Interval
  }

  static let most = 500

  private(set) var points: [Point] = []

  init() {}

  init(_ points: [Point]) {
    self.points = Array(points.suffix(Self.most))
  }

  public func position(of track: TrackID) -> Interval? {
    points.first { $0.track == track }?.position
  }

  /// Remembers a position, or with nil to start at the beginning next time.
  public mutating func set(_ track: TrackID, to position: Interval?) {
    points.removeAll { $0.track == track }
    guard let position else { return }
    if points.count == Self.most { points.removeFirst() }
    points.append(Point(track: track, position: position))
  }
}
