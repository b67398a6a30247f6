internal import Jukebox
internal import Library
internal import Remote

/// What remotes ask for, and what they are told.
extension Appliance {
  /// Does what is asked; nil where the librarian is asked first, and `reply(_:songs:)` or
  /// `reply(_:adding:)` will answer.
  func answer(_ request: Request, _ client: ClientID) -> Conversation.Answer? {
    switch request {
    case .ping: break
    case .status: return .lines(status)
    case .currentSong:
      guard let item = player.lineup.current else { break }
      return ask(item, client)
    case .playlist(let range):
      let all = 0..<player.lineup.queue.count
      guard range.map({ $0.lowerBound < all.count || $0.upperBound == .max }) ?? true else {
        return .refused(Refusal(.argument, "Bad song index"))
      }
      let places = (range ?? all).clamped(to: all)
      if places.isEmpty { break }
      return ask(places, client)
    case .playlistID(nil): return answer(.playlist(nil), client)
    case .playlistID(let number?):
      return ask(ItemID(number), client)

    case .play(nil), .playID(nil): press(.play)
    case .play(let place?):
      guard place < player.lineup.queue.count else {
        return .refused(Refusal(.argument, "Bad song index"))
      }
      press(.select(player.lineup.queue[place].id))
    case .playID(let number?):
      guard player.lineup.queue.index(of: ItemID(number)) != nil else { return .noSong }
      press(.select(ItemID(number)))
    case .pause(nil): press(.togglePlayPause)
    case .pause(true?): press(.pause)
    case .pause(false?): if player.state != .stopped { press(.play) }
    case .stop: press(.stop)
    case .next: if player.state != .stopped { press(.next) }
    case .previous: if player.state != .stopped { press(.previous) }
    case .seekCurrent(let seconds, let isRelative):
      guard player.state != .stopped else { return .refused(Refusal(.notPlaying, "Not playing")) }
      press(isRelative ? .seekBy(Interval(seconds)) : .seek(to: Interval(seconds)))
    case .seek(let place, let seconds):
      guard place < player.lineup.queue.count else {
        return .refused(Refusal(.argument, "Bad song index"))
      }
      seek(player.lineup.queue[place].id, seconds)
    case .seekID(let number, let seconds):
      guard player.lineup.queue.index(of: ItemID(number)) != nil else { return .noSong }
      seek(ItemID(number), seconds)

    case .setVolume(let level): press(.setVolume(level))
    case .changeVolume(let steps): press(.stepVolume(steps))
    case .volume: return .lines("volume: \(player.volume.level)\n")
    case .setRepeat(let isOn): press(.setRepeat(isOn ? .all : .none))
    case .setRandom(let isOn): press(.setShuffle(isOn ? .songs : .off))
    case .setSingle(let isOn): press(.setSingle(isOn))
    case .setConsume(let isOn): press(.setConsume(isOn))
    case .add(let path):
      librarian.ask(.add(Path(path), client))
      return nil
    case .clear: press(.clear)
    case .delete(let range):
      let queue = player.lineup.queue
      guard range.lowerBound < queue.count else {
        return .refused(Refusal(.argument, "Bad song index"))
      }
      for item in queue.items(range.clamped(to: 0..<queue.count)) { press(.remove(item.id)) }
    case .deleteID(let number):
      guard player.lineup.queue.index(of: ItemID(number)) != nil else { return .noSong }
      press(.remove(ItemID(number)))
    case .commands:
      return .lines(Request.names.map { "command: \($0)\n" }.joined())
    case .outputs:
      let isOn = sound.hasCard ? 1 : 0
      return .lines("outputid: 0\noutputname: card\nplugin: alsa\noutputenabled: \(isOn)\n")
    case .tagTypes: break

    case .press(let name):
      guard let (event, _) = FlightRecord.event("0 pressed \(name)"), case .pressed = event else {
        return .refused(Refusal(.argument, "No command \"\(name)\""))
      }
      tell(event)
    case .turn(let line, let steps): return turn(Line(line), steps)
    case .edge(let line, let isHigh, let nanoseconds):
      let moment = nanoseconds > 0 ? Instant(nanoseconds: nanoseconds) : nil
      tell(.edge(Line(line), isHigh: isHigh), at: moment)
    case .eject: releaseMedia()
    // The conversation itself sees to these.
    case .close, .idle, .noIdle: break
    }
    return .lines("")
  }

  private func ask(_ item: ItemID, _ client: ClientID) -> Conversation.Answer? {
    guard let place = player.lineup.queue.index(of: item) else { return .noSong }
    return ask(place..<place + 1, client)
  }

  private func ask(_ places: Range<Int>, _ client: ClientID) -> Conversation.Answer? {
    librarian.ask(.songs(player.lineup.queue.items(places), from: places.lowerBound, client))
    return nil
  }

  private func press(_ command: Jukebox.Command) { tell(.pressed(command)) }

  private func seek(_ item: ItemID, _ seconds: Double) {
    if player.lineup.current != item || player.state == .stopped { press(.select(item)) }
    press(.seek(to: Interval(seconds)))
  }

  /// A knob's detents, as its use says; without regard to speed, which the socket has none of.
  private func turn(_ knob: Line, _ steps: Int) -> Conversation.Answer {
    let turn = player.settings.controls.turns.first { $0.knob == knob && $0.held == nil }
    switch turn?.use {
    case .volume(let levels): press(.stepVolume(steps * levels))
    case .tracks: for _ in 0..<abs(steps) { press(steps > 0 ? .next : .previous) }
    case .albums: for _ in 0..<abs(steps) { press(steps > 0 ? .nextAlbum : .previousAlbum) }
    case .seek(let interval): press(.seekBy(interval * Int64(steps)))
    case nil: return .refused(Refusal(.missing, "No knob on line \(knob.number)"))
    }
    return .lines("")
  }

  // MARK: - What they are told

  private var status: String {
    let now = now
    let options = player.lineup.options
    let queue = player.lineup.queue
    var lines = """
      volume: \(player.volume.isMuted ? 0 : player.volume.level)
      repeat: \(options.repeats == .none ? 0 : 1)
      random: \(options.shuffle == .off ? 0 : 1)
      single: \(options.single ? 1 : 0)
      consume: \(options.consume ? 1 : 0)
      playlist: \(queue.version)
      playlistlength: \(queue.count)
      state: \(player.state.name)

      """
    guard let playing = player.nowPlaying(at: now) else { return lines }
    lines += "song: \(playing.queueIndex)\nsongid: \(playing.item.number)\n"
    if let next = player.following, let place = queue.index(of: next) {
      lines += "nextsong: \(place)\nnextsongid: \(next.number)\n"
    }
    if player.state != .stopped {
      var position = Duration(playing.position)
      if case .progressed(playing.item, _, let heard) = heard { position = Duration(heard) }
      let length = playing.tags.length.map { Duration($0) }
      let whole = length.map { "\(Int(($0 / .seconds(1)).rounded()))" } ?? "0"
      lines += "time: \(position.components.seconds):\(whole)\nelapsed: \(decimal(position))\n"
      if let length { lines += "duration: \(decimal(length))\n" }
      if let output = sound.output { lines += "audio: \(output)\n" }
    }
    if !shelf.scanners.isEmpty { lines += "updating_db: 1\n" }
    if !sound.hasCard { lines += "error: no sound card\n" }
    return lines
  }

  func reply(_ client: ClientID, songs: String) { reply(client, .lines(songs)) }

  func reply(_ client: ClientID, adding tracks: [Track]) {
    guard !tracks.isEmpty else {
      return reply(client, .refused(Refusal(.missing, "No such directory")))
    }
    tell(.pressed(.append(tracks)))
    reply(client, .lines(""))
  }

  /// A late answer; the remote may be gone meanwhile.
  private func reply(_ client: ClientID, _ answer: Conversation.Answer) {
    guard remotes.clients[client.descriptor]?.id == client else { return }
    remotes.clients[client.descriptor]?.conversation.answer(answer)
    goOn(client.descriptor)
  }
}

extension Conversation.Answer {
  fileprivate static var noSong: Self { .refused(Refusal(.missing, "No such song")) }
}

extension Interval {
  fileprivate init(_ seconds: Double) {
    self.init(nanoseconds: Int64((seconds * 1e9).rounded()))
  }
}

extension PlaybackState {
  /// MPD's word; what is meant to play and waits for something is paused there.
  fileprivate var name: String {
    switch self {
    case .stopped: "stop"
    case .paused, .interrupted: "pause"
    case .playing, .seekingForward, .seekingBackward: "play"
    }
  }
}
