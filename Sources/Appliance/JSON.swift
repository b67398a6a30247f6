internal import Jukebox
internal import Library

/// A flat JSON object (RFC 8259), written in one line with its members in order.
struct JSONObject {
  enum Value {
    case text(String?)
    case number(Int?)
    case decimal(Double?)
    case flag(Bool)
    case texts([String])
  }

  private let members: KeyValuePairs<String, Value>

  init(_ members: KeyValuePairs<String, Value>) {
    self.members = members
  }

  /// Without the members that are not known.
  var line: String {
    let written = members.compactMap { name, value -> String? in
      let text: String?
      switch value {
      case .text(let value): text = value.map(Self.quoted)
      case .number(let value): text = value.map { String($0) }
      case .decimal(let value): text = value.flatMap { $0.isFinite ? "\($0)" : nil }
      case .flag(let value): text = value ? "true" : "false"
      case .texts(let values): text = "[" + values.map(Self.quoted).joined(separator: ",") + "]"
      }
      return text.map { Self.quoted(name) + ":" + $0 }
    }
    return "{" + written.joined(separator: ",") + "}\n"
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        quoted += "\\u00" + String(String(scalar.value + 0x100, radix: 16).dropFirst())
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension JSONObject {
  init(_ item: LibraryItem) {
    let (tags, sound) = (item.tags, item.sound)
    self.init([
      "id": .number(Int(item.id.number)), "path": .text(item.path.description),
      "medium": .number(Int(item.medium.number)), "here": .flag(item.isPresent),
      "title": .text(tags.title), "artist": .text(tags.artist), "album": .text(tags.album),
      "albumartist": .text(item.albumArtist), "composer": .text(tags.composer),
      "genres": .texts(tags.genres), "date": .text(tags.date), "year": .number(tags.year),
      "track": .number(tags.track), "tracks": .number(tags.trackTotal),
      "disc": .number(tags.disc), "discs": .number(tags.discTotal),
      "compilation": .flag(tags.isCompilation), "comment": .text(tags.comment),
      "lyrics": .flag(tags.hasLyrics), "bpm": .number(tags.beatsPerMinute),
      "kind": .text(["music", "podcast", "audiobook"][tags.kind.rawValue]),
      "picture": .flag(tags.hasPicture),
      "trackgain": .decimal(tags.replayGain.track?.gain),
      "trackpeak": .decimal(tags.replayGain.track?.peak),
      "albumgain": .decimal(tags.replayGain.album?.gain),
      "albumpeak": .decimal(tags.replayGain.album?.peak),
      "codec": .text(sound?.codec), "milliseconds": .number(Int(item.length / .milliseconds(1))),
      "frames": .number(sound?.frames), "rate": .number(sound?.rate),
      "channels": .number(sound?.channels), "bits": .number(sound?.bits),
      "bitrate": .number(sound?.bitrate), "delay": .number(sound?.delay),
      "padding": .number(sound?.padding),
      "start": .decimal(item.start > .zero ? item.start / .seconds(1) : nil),
      "end": .decimal(item.end.map { $0 / .seconds(1) }), "size": .number(item.size),
      "modified": .number(Int(item.modified)), "added": .number(Int(item.added)),
      "rating": .number(item.usage.rating), "plays": .number(item.usage.plays),
      "skips": .number(item.usage.skips), "played": .number(item.usage.played.map { Int($0) }),
      "resume": .decimal(item.usage.resume.map { $0 / .seconds(1) }), "reason": .text(item.reason),
    ])
  }

  init(_ collection: LibraryCollection) {
    self.init([
      "title": .text(collection.title),
      "albumartist": .text(collection.detail.isEmpty ? nil : collection.detail),
      "year": .number(collection.year), "tracks": .number(collection.count),
      "seconds": .number(Int(collection.length / .seconds(1))),
      "representative": .number(collection.representative.map { Int($0.number) }),
    ])
  }
}
