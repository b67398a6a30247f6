extension Words {
  mutating func transfer(_ command: inout Command) {
    if isReading { command = takeCommand() ?? command } else { put(command) }
  }

  mutating func put(_ command: Command) {
    switch command {
    case .play: put("play")
    case .pause: put("pause")
    case .stop: put("stop")
    case .togglePlayPause: put("toggle-play-pause")
    case .next: put("next")
    case .previous: put("previous")
    case .skipToBeginning: put("skip-to-beginning")
    case .nextAlbum: put("next-album")
    case .previousAlbum: put("previous-album")
    case .beginSeekingForward: put("begin-seeking-forward")
    case .beginSeekingBackward: put("begin-seeking-backward")
    case .endSeeking: put("end-seeking")
    case .seek(let position): put("seek", position.nanoseconds)
    case .seekBy(let interval): put("seek-by", interval.nanoseconds)
    case .select(let item): put("select", Int64(item.number))
    case .stepVolume(let steps): put("step-volume", Int64(steps))
    case .setVolume(let level): put("set-volume", Int64(level))
    case .mute(let isMuted): put("mute", isMuted)
    case .toggleMute: put("toggle-mute")
    case .replace(let tracks): put("replace", tracks)
    case .append(let tracks): put("append", tracks)
    case .insertNext(let tracks): put("insert-next", tracks)
    case .insert(let tracks, let index):
      put("insert", Int64(index))
      put(tracks)
    case .move(let item, let index):
      put("move", Int64(item.number))
      put(String(index))
    case .remove(let item): put("remove", Int64(item.number))
    case .clear: put("clear")
    case .enqueue(let selection, let placement):
      put("enqueue")
      put(selection)
      put(placement)
    case .setRepeat(let mode): put("repeat", Int64(mode.rawValue))
    case .setShuffle(let mode): put("shuffle", Int64(mode.rawValue))
    case .toggleShuffle: put("toggle-shuffle")
    case .setSingle(let single): put("single", single)
    case .setConsume(let consume): put("consume", consume)
    case .sleep(let setting):
      put("sleep")
      put(setting)
    case .setCategory(let category): put("category", Int64(category.rawValue))
    case .lineIn(let isOn): put("line-in", isOn)
    case .shutDown: put("shut-down")
    }
  }

  mutating func takeCommand() -> Command? {
    switch take() {
    case "play": .play
    case "pause": .pause
    case "stop": .stop
    case "toggle-play-pause": .togglePlayPause
    case "next": .next
    case "previous": .previous
    case "skip-to-beginning": .skipToBeginning
    case "next-album": .nextAlbum
    case "previous-album": .previousAlbum
    case "begin-seeking-forward": .beginSeekingForward
    case "begin-seeking-backward": .beginSeekingBackward
    case "end-seeking": .endSeeking
    case "seek": .seek(to: Interval(nanoseconds: taken(0)))
    case "seek-by": .seekBy(Interval(nanoseconds: taken(0)))
    case "select": .select(ItemID(taken(0)))
    case "step-volume": .stepVolume(taken(0))
    case "set-volume": .setVolume(taken(0))
    case "mute": .mute(taken(false))
    case "toggle-mute": .toggleMute
    case "replace": .replace(takenTracks())
    case "append": .append(takenTracks())
    case "insert-next": .insertNext(takenTracks())
    case "insert": takenInsert()
    case "move": .move(ItemID(taken(0)), to: taken(0))
    case "remove": .remove(ItemID(taken(0)))
    case "clear": .clear
    case "enqueue": takenEnqueue()
    case "repeat": .setRepeat(taken(RepeatMode.none))
    case "shuffle": .setShuffle(taken(ShuffleMode.off))
    case "toggle-shuffle": .toggleShuffle
    case "single": .setSingle(taken(false))
    case "consume": .setConsume(taken(false))
    case "sleep": .sleep(takenSleep())
    case "category": .setCategory(taken(SessionCategory.playback))
    case "line-in": .lineIn(taken(false))
    case "shut-down": .shutDown
    default: void()
    }
  }

  // MARK: - Parts

  mutating func put(_ name: String, _ number: Int64) {
    put(name)
    put(String(number))
  }

  mutating func put(_ name: String, _ flag: Bool) {
    put(name)
    put(flag)
  }

  mutating func put(_ flag: Bool) {
    var flag = flag
    transfer(&flag)
  }

  mutating func put(_ name: String, _ tracks: [Track]) {
    put(name)
    put(tracks)
  }

  mutating func put(_ tracks: [Track]) {
    var tracks = tracks
    transfer(&tracks)
  }

  mutating func put(text: String) {
    var text = text
    transfer(&text)
  }

  mutating func taken<Number: FixedWidthInteger>(_ zero: Number) -> Number {
    var number = zero
    transfer(&number)
    return number
  }

  mutating func taken(_ no: Bool) -> Bool {
    var flag = no
    transfer(&flag)
    return flag
  }

  mutating func taken<Choice: RawRepresentable>(_ first: Choice) -> Choice
  where Choice.RawValue == UInt8 {
    var choice = first
    transfer(&choice)
    return choice
  }

  mutating func takenText() -> String {
    var text = ""
    transfer(&text)
    return text
  }

  mutating func takenTracks() -> [Track] {
    var tracks: [Track] = []
    transfer(&tracks)
    return tracks
  }

  mutating func void<Value>() -> Value? {
    spoil()
    return nil
  }

  private mutating func takenInsert() -> Command {
    let index = taken(0)
    return .insert(takenTracks(), at: index)
  }

  private mutating func takenEnqueue() -> Command? {
    guard let selection = takenSelection(), let placement = takenPlacement() else { return nil }
    return .enqueue(selection, placement)
  }

  mutating func put(_ placement: Placement) {
    switch placement {
    case .replace: put("replace")
    case .append: put("append")
    case .next: put("next")
    }
  }

  mutating func takenPlacement() -> Placement? {
    switch take() {
    case "replace": .replace
    case "append": .append
    case "next": .next
    default: void()
    }
  }

  mutating func put(_ selection: Selection) {
    switch selection {
    case .everything: put("everything")
    case .artist(let name):
      put("artist")
      put(text: name)
    case .album(let name, let artist):
      put("album")
      put(text: name)
      put(text: artist)
    case .genre(let name):
      put("genre")
      put(text: name)
    case .playlist(let name):
      put("playlist")
      put(text: name)
    case .medium(let medium): put("medium", Int64(medium.number))
    case .search(let words):
      put("search")
      put(text: words)
    }
  }

  private mutating func takenSelection() -> Selection? {
    switch take() {
    case "everything": .everything
    case "artist": .artist(takenText())
    case "album": .album(takenText(), artist: takenText())
    case "genre": .genre(takenText())
    case "playlist": .playlist(takenText())
    case "medium": .medium(MediumID(taken(0)))
    case "search": .search(takenText())
    default: void()
    }
  }

  private mutating func put(_ setting: SleepSetting?) {
    switch setting {
    case nil: put("off")
    case .after(let length)?: put("after", length.nanoseconds)
    case .endOfTrack?: put("track")
    case .endOfAlbum?: put("album")
    case .endOfQueue?: put("queue")
    }
  }

  private mutating func takenSleep() -> SleepSetting? {
    switch take() {
    case "off": nil
    case "after": .after(Interval(nanoseconds: taken(0)))
    case "track": .endOfTrack
    case "album": .endOfAlbum
    case "queue": .endOfQueue
    default: void()
    }
  }
}
