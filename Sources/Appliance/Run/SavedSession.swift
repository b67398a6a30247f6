internal import Jukebox
internal import Library

/// What the short of the two state files holds: the brains' own bytes, and what lets the sound start
/// before the library is open.
struct SavedSession: Equatable, Sendable {
  /// As `SavedState.stateBytes`.
  var state: [UInt8] = []
  /// The media that were here.
  var media: [KnownMedium] = []
  /// The track that plays, and the one after it.
  var places: [Place] = []
  /// Where each medium was left: the track that played last.
  var left: [MediumID: TrackID] = [:]

  /// The first byte: how the rest is written.
  private static let version: UInt8 = 1

  init() {}

  var bytes: [UInt8] {
    var writer = FieldWriter()
    writer.put(state)
    writer.put(media.count)
    for medium in media {
      writer.put(Int(medium.id.number))
      writer.put(Array(medium.identity.uuid.utf8))
      writer.put(medium.identity.size)
      writer.put(Array(medium.identity.label.utf8))
    }
    writer.put(places.count)
    for place in places { Self.put(place, into: &writer) }
    writer.put(left.count)
    for (medium, track) in left.sorted(by: { $0.key.number < $1.key.number }) {
      writer.put(Int(medium.number))
      writer.put(Int(track.number))
    }
    return [Self.version] + writer.bytes
  }

  /// Nothing is saved where the bytes are of another kind.
  init(_ bytes: [UInt8]) {
    guard bytes.first == Self.version else { return }
    var reader = FieldReader(bytes.dropFirst())
    state = reader.bytes()
    for _ in 0..<reader.count() {
      media.append(
        KnownMedium(
          id: MediumID(Int32(clamping: reader.number())),
          identity: MediumIdentity(
            uuid: reader.text(), size: reader.number(), label: reader.text())))
    }
    for _ in 0..<reader.count() { places.append(Self.place(from: &reader)) }
    for _ in 0..<reader.count() {
      let medium = MediumID(Int32(clamping: reader.number()))
      left[medium] = TrackID(Int64(reader.number()))
    }
  }

  private static func put(_ place: Place, into writer: inout FieldWriter) {
    writer.put(Int(place.track.number))
    writer.put(Int(place.medium.number))
    writer.put(place.path.bytes)
    writer.put(Int(Interval(place.start).nanoseconds))
    writer.put(place.end.map { Int(Interval($0).nanoseconds) } ?? -1)
    writer.put(Int((place.gain * 1000).rounded()))
    let tags = place.tags
    for text in [tags.title, tags.artist, tags.album, tags.albumArtist, tags.composer, tags.genre] {
      writer.put(Array(text.utf8))
    }
    for number in [tags.disc, tags.number, tags.year] { writer.put(number) }
    writer.put(tags.length.map { Int($0.nanoseconds) } ?? -1)
  }

  private static func place(from reader: inout FieldReader) -> Place {
    var place = Place(
      track: TrackID(Int64(reader.number())), medium: MediumID(Int32(clamping: reader.number())),
      path: Path(reader.bytes()))
    place.start = .nanoseconds(Int64(reader.number()))
    let end = reader.number()
    place.end = end < 0 ? nil : .nanoseconds(Int64(end))
    place.gain = Double(reader.number()) / 1000
    place.tags.title = reader.text()
    place.tags.artist = reader.text()
    place.tags.album = reader.text()
    place.tags.albumArtist = reader.text()
    place.tags.composer = reader.text()
    place.tags.genre = reader.text()
    place.tags.disc = reader.number()
    place.tags.number = reader.number()
    place.tags.year = reader.number()
    place.tags.path = place.path.description
    let length = reader.number()
    place.tags.length = length < 0 ? nil : Interval(nanoseconds: Int64(length))
    return place
  }
}

extension Place {
  init(track: TrackID, medium: MediumID, path: Path) {
    self.track = track
    self.medium = medium
    self.path = path
  }
}

/// Writes numbers as eight bytes, and byte strings after their length.
struct FieldWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ number: Int) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  mutating func put(_ field: [UInt8]) {
    put(field.count)
    bytes += field
  }
}

/// Reads what `FieldWriter` wrote; where the bytes end, all that is left is nothing.
struct FieldReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  mutating func number() -> Int {
    guard rest.count >= 8 else {
      rest = []
      return 0
    }
    defer { rest = rest.dropFirst(8) }
    return rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// How many of something follow: never more than there are bytes.
  mutating func count() -> Int { min(max(0, number()), rest.count) }

  mutating func bytes() -> [UInt8] {
    let count = count()
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }
}
