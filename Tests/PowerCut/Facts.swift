import Jukebox
import Library

/// What people may do with the library, one thing after the other.
enum Fact {
  case rated(TrackID, Int)
  case played(TrackID)
  case skipped(TrackID)
  case stopped(TrackID, at: Int)
  case listed(Int, [TrackID])
  case unlisted(Int)

  static let lists = 4

  static func random(
    _ tracks: [TrackID], using generator: inout some RandomNumberGenerator
  ) -> Fact? {
    guard let track = tracks.randomElement(using: &generator) else { return nil }
    let list = Int.random(in: 0..<lists, using: &generator)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0...2: return .rated(track, Int.random(in: 0...100, using: &generator))
    case 3...4: return .played(track)
    case 5...6: return .skipped(track)
    case 7...9: return .stopped(track, at: Int.random(in: 1...100_000, using: &generator))
    case 10: return .unlisted(list)
    default:
      let count = Int.random(in: 0...30, using: &generator)
      let members = (0..<count).map { _ in tracks.randomElement(using: &generator) ?? track }
      return .listed(list, members)
    }
  }

  /// A line for a pipe.
  var line: String {
    switch self {
    case .rated(let track, let rating): "rated \(track.number) \(rating)"
    case .played(let track): "played \(track.number)"
    case .skipped(let track): "skipped \(track.number)"
    case .stopped(let track, let place): "stopped \(track.number) \(place)"
    case .listed(let list, let tracks):
      (["listed", "\(list)"] + tracks.map { "\($0.number)" }).joined(separator: " ")
    case .unlisted(let list): "unlisted \(list)"
    }
  }

  init?(line: some StringProtocol) {
    let words = line.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Int64($0) }
    guard let verb = words.first, let first = numbers.first, numbers.count == words.count - 1 else {
      return nil
    }
    switch (verb, numbers.count) {
    case ("rated", 2): self = .rated(TrackID(first), Int(numbers[1]))
    case ("played", 1): self = .played(TrackID(first))
    case ("skipped", 1): self = .skipped(TrackID(first))
    case ("stopped", 2): self = .stopped(TrackID(first), at: Int(numbers[1]))
    case ("listed", _): self = .listed(Int(first), numbers.dropFirst().map { TrackID($0) })
    case ("unlisted", 1): self = .unlisted(Int(first))
    default: return nil
    }
  }

  func enter(into catalogue: Catalogue) throws {
    switch self {
    case .rated(let track, let rating): try catalogue.rate(track, rating)
    case .played(let track): try catalogue.played(track, at: 1)
    case .skipped(let track): try catalogue.skipped(track)
    case .stopped(let track, let place): try catalogue.setResume(track, .milliseconds(place))
    case .listed(let list, let tracks):
      if let known = try catalogue.playlists().first(where: { $0.title == "list \(list)" }) {
        try catalogue.setTracks(tracks, of: known.id)
      } else {
        _ = try catalogue.makePlaylist("list \(list)", tracks)
      }
    case .unlisted(let list):
      for known in try catalogue.playlists() where known.title == "list \(list)" {
        try catalogue.deletePlaylist(known.id)
      }
    }
  }
}

/// All that must be in the library after the facts that were told.
struct Knowledge: Equatable {
  struct Usage: Equatable {
    var rating: Int?
    var plays = 0
    var skips = 0
    var resume: Int?
  }

  private(set) var usage: [TrackID: Usage] = [:]
  private(set) var lists: [Int: [TrackID]] = [:]

  init() {}

  /// What a library says of the tracks that `told` knows of, and of the lists.
  init(of catalogue: Catalogue, like told: Knowledge) throws {
    for track in told.usage.keys {
      guard let found = try catalogue.item(track)?.usage else { continue }
      usage[track] = Usage(
        rating: found.rating, plays: found.plays, skips: found.skips,
        resume: found.resume.map { Int($0 / .milliseconds(1)) })
    }
    for list in try catalogue.playlists() {
      guard let number = Int(list.title.dropFirst("list ".count)) else { continue }
      lists[number] = try catalogue.entries(list.id).compactMap(\.track)
    }
  }

  mutating func learn(_ fact: Fact) {
    switch fact {
    case .rated(let track, let rating): usage[track, default: Usage()].rating = rating
    case .played(let track): usage[track, default: Usage()].plays += 1
    case .skipped(let track): usage[track, default: Usage()].skips += 1
    case .stopped(let track, let place): usage[track, default: Usage()].resume = place
    case .listed(let list, let tracks): lists[list] = tracks
    case .unlisted(let list): lists[list] = nil
    }
  }

  /// This, with nothing known of the other tracks that `later` has something of.
  func restOf(_ later: Knowledge) -> Knowledge {
    var all = self
    for track in later.usage.keys where usage[track] == nil { all.usage[track] = Usage() }
    return all
  }

  /// One track or list that the two do not agree on, for people.
  func difference(from other: Knowledge) -> String {
    for (track, known) in usage where other.usage[track] != known {
      return "track \(track.number): \(known), not \(other.usage[track] as Any)"
    }
    for list in 0..<Fact.lists where lists[list] != other.lists[list] {
      return "list \(list): \(lists[list] as Any), not \(other.lists[list] as Any)"
    }
    return "none"
  }
}
