internal import Jukebox

/// The names that settings have for what the brains can do.
enum Actions {
  /// What a name may be followed by.
  private enum Argument: Sendable {
    case number(ClosedRange<Int>, usual: Int?, @Sendable (Int) -> Command)
    case interval(@Sendable (Interval) -> Command)
    /// The rest of the line.
    case words(@Sendable (String) -> Command?)
  }

  static let plain: [(name: String, command: Command)] =
    [
      ("play", .play), ("pause", .pause), ("stop", .stop), ("play-pause", .togglePlayPause),
      ("next", .next), ("previous", .previous), ("skip-to-beginning", .skipToBeginning),
      ("album-forward", .nextAlbum), ("album-backward", .previousAlbum),
      ("seek-forward", .beginSeekingForward), ("seek-backward", .beginSeekingBackward),
      ("end-seeking", .endSeeking), ("mute", .toggleMute), ("mute-on", .mute(true)),
      ("mute-off", .mute(false)), ("clear", .clear), ("shuffle", .toggleShuffle),
      ("shuffle-off", .setShuffle(.off)), ("shuffle-songs", .setShuffle(.songs)),
      ("shuffle-albums", .setShuffle(.albums)), ("repeat-off", .setRepeat(.none)),
      ("repeat-one", .setRepeat(.one)), ("repeat-all", .setRepeat(.all)),
      ("single-on", .setSingle(true)), ("single-off", .setSingle(false)),
      ("consume-on", .setConsume(true)), ("consume-off", .setConsume(false)),
      ("sleep-off", .sleep(nil)), ("sleep-after-track", .sleep(.endOfTrack)),
      ("sleep-after-album", .sleep(.endOfAlbum)), ("sleep-after-queue", .sleep(.endOfQueue)),
      ("line-in-on", .lineIn(true)), ("line-in-off", .lineIn(false)), ("power-off", .shutDown),
      ("play-everything", .enqueue(.everything, .replace)),
      ("add-everything", .enqueue(.everything, .append)),
      ("next-everything", .enqueue(.everything, .next)),
    ] + categories.map { ("category-" + $0.name, .setCategory($0.category)) }

  static let categories: [(name: String, category: SessionCategory)] = [
    ("ambient", .ambient), ("solo-ambient", .soloAmbient), ("playback", .playback),
    ("record", .record), ("play-and-record", .playAndRecord), ("processing", .processing),
    ("multi-route", .multiRoute),
  ]

  private static let followed: [(name: String, argument: Argument)] = {
    var all: [(name: String, argument: Argument)] = []
    all.append(("volume-up", .number(1...100, usual: 2) { .stepVolume($0) }))
    all.append(("volume-down", .number(1...100, usual: 2) { .stepVolume(-$0) }))
    all.append(("volume", .number(0...100, usual: nil) { .setVolume($0) }))
    all.append(("seek-by", .interval { .seekBy($0) }))
    all.append(("seek-to", .interval { .seek(to: $0) }))
    all.append(("sleep", .interval { .sleep(.after($0)) }))
    let verbs: [(name: String, placement: Placement)] = [
      ("play", .replace), ("add", .append), ("next", .next),
    ]
    for (verb, placement) in verbs {
      all.append((verb + "-artist", .words { .enqueue(.artist($0), placement) }))
      all.append((verb + "-album", .words { album($0).map { .enqueue($0, placement) } }))
      all.append((verb + "-genre", .words { .enqueue(.genre($0), placement) }))
      all.append((verb + "-playlist", .words { .enqueue(.playlist($0), placement) }))
      all.append((verb + "-search", .words { .enqueue(.search($0), placement) }))
    }
    return all
  }()

  static let names = plain.map(\.name) + followed.map(\.name)

  /// What is allowed after the name; nil for a name that stands alone, or is none.
  static func argument(of name: String) -> String? {
    switch followed.first(where: { $0.name == name })?.argument {
    case .number(let range, let usual, _)?:
      "\(name) and a number from \(range.lowerBound) to \(range.upperBound)"
        + (usual.map { ", \($0) if it is left out" } ?? "")
    case .interval?: "\(name) and a time, such as \"\(name) 10 s\" or \"\(name) 15 min\""
    case .words?:
      name.hasSuffix("-album")
        ? "\(name) TITLE / ARTIST" : "\(name) and a name, as the library has it"
    case nil: nil
    }
  }

  static func command(_ text: String) -> Command? {
    if let found = plain.first(where: { $0.name == text }) { return found.command }
    let name = String(text.prefix { $0 != " " })
    let rest = String(text.dropFirst(name.count).drop { $0 == " " })
    switch followed.first(where: { $0.name == name })?.argument {
    case .number(let range, let usual, let command)?:
      guard let number = rest.isEmpty ? usual : Int(rest), range.contains(number) else {
        return nil
      }
      return command(number)
    case .interval(let command)?: return Interval(rest).map(command)
    case .words(let command)?: return rest.isEmpty ? nil : command(rest)
    case nil: return nil
    }
  }

  /// As settings would have it; nil for what no hand can do, such as choosing one track of many.
  static func name(of command: Command) -> String? {
    if let found = plain.first(where: { $0.command == command }) { return found.name }
    switch command {
    case .stepVolume(let steps): return steps < 0 ? "volume-down \(-steps)" : "volume-up \(steps)"
    case .setVolume(let level): return "volume \(level)"
    case .seekBy(let interval): return "seek-by \(interval.text)"
    case .seek(let place): return "seek-to \(place.text)"
    case .sleep(.after(let interval)?): return "sleep \(interval.text)"
    case .enqueue(let selection, let placement):
      return words(of: selection).map { verb(of: placement) + "-" + $0 }
    case .select, .replace, .append, .insertNext, .insert, .move, .remove: return nil
    case .play, .pause, .stop, .togglePlayPause, .next, .previous, .nextAlbum, .previousAlbum,
      .skipToBeginning, .beginSeekingForward, .beginSeekingBackward, .endSeeking, .mute,
      .toggleMute, .clear,
      .setRepeat, .setShuffle, .toggleShuffle, .setSingle, .setConsume, .sleep, .setCategory,
      .lineIn, .shutDown:
      preconditionFailure("An action has no name")
    }
  }

  private static func verb(of placement: Placement) -> String {
    switch placement {
    case .replace: "play"
    case .append: "add"
    case .next: "next"
    }
  }

  private static func words(of selection: Selection) -> String? {
    switch selection {
    case .everything: "everything"
    case .artist(let name): "artist \(name)"
    case .album(let title, let artist): "album \(title) / \(artist)"
    case .genre(let name): "genre \(name)"
    case .playlist(let name): "playlist \(name)"
    case .search(let words): "search \(words)"
    case .medium: nil
    }
  }

  private static func album(_ words: String) -> Selection? {
    let parts = words.split(separator: "/").map { part in
      String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    return .album(parts[0], artist: parts[1])
  }
}

extension Section {
  /// A command by its name.
  func action(_ key: String) -> Command? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value.content else {
      refuse(key, allowed: "is an action in \"quotes\", such as \"play-pause\"")
      return nil
    }
    if let command = Actions.command(text) { return command }
    let name = String(text.prefix { $0 != " " })
    if let argument = Actions.argument(of: name) {
      refuse(key, allowed: "is \(argument)")
    } else {
      refuse(key, allowed: "are \(list(Actions.names))", nearest: Actions.names)
    }
    return nil
  }
}
