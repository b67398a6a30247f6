internal import CLinux
internal import Devices
internal import Glibc
internal import Jukebox
internal import Library

/// Which control `jukebox learn` asks for, and where it writes it down.
struct LearnOptions: Equatable {
  struct Action: Equatable {
    var key: String
    var action: String
  }

  var wish = Learning.Wish.button
  var actions: [Action] = []
  var file = Path("/etc/jukebox/jukebox.toml")
  var chip: String?
  /// Prompts are notes, on this ALSA PCM, as well as sentences.
  var isBySound = false
  var device = "default"

  private enum Option: String, CaseIterable {
    case config = "--config"
    case chip = "--chip"
    case bySound = "--by-sound"
    case device = "--device"
  }

  init(_ words: ArraySlice<[UInt8]>) throws(UsageError) {
    var words = OptionWords<Option>(words, of: "learn")
    var plain: [String] = []
    while let word = try words.next() {
      switch word {
      case .plain(let word): plain.append(String(decoding: word, as: UTF8.self))
      case .option(.config): file = Path(try words.value("FILE"))
      case .option(.chip): chip = try words.text("LABEL")
      case .option(.bySound): isBySound = true
      case .option(.device): device = try words.text("NAME")
      }
    }
    guard let kind = plain.first, kind == "button" || kind == "knob" else {
      let found = plain.first.map(quoted) ?? "nothing"
      throw UsageError(
        "learn is followed by \(found): allowed are button and knob, and what it is to do",
        nearest: plain.first, in: ["button", "knob"])
    }
    wish = kind == "button" ? .button : .knob
    for word in plain.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw UsageError(
          "an action is \(quoted(word)): allowed is KEY=ACTION, such as press=play-pause")
      }
      actions.append(Action(key: parts[0], action: parts[1]))
    }
    guard !actions.isEmpty else {
      throw UsageError(
        "learn \(kind) is followed by no action: allowed is "
          + (kind == "button" ? "press=play-pause hold=power-off" : "turn=volume")
          + " or the like")
    }
  }
}

/// Finds out where a button or a knob is wired, and writes it into the settings.
struct LearnCommand {
  /// How long a person may take.
  private static let patience = Interval.minutes(2)

  let options: LearnOptions

  func run() throws -> Ending {
    var tones = options.isBySound ? try Tones(device: options.device) : nil
    let ending = try learn(&tones)
    tones?.say(ending == .played ? .found : .nothing)
    tones?.finish()
    return ending
  }

  private func learn(_ tones: inout Tones?) throws -> Ending {
    let bytes = try Configuration.contents(of: options.file.description) ?? []
    var before = Configuration()
    _ = before.read(bytes, named: options.file.description)
    let start = now
    var listening = try Listening(
      for: options.wish, chip: options.chip ?? before.chip, at: start)
    guard !listening.lines.isEmpty else {
      for trouble in listening.troubles { tell("jukebox: \(trouble)") }
      return .nothingPlayed
    }
    tones?.say(.quiet)
    tell("Listening to \(listening.lines.count) lines. Please touch nothing for two seconds.")
    var isAsking = false
    while now - start < Self.patience {
      clinux_await(listening.descriptor, 20_000_000)
      if let finding = listening.next(at: now) { return try keep(finding, text: bytes) }
      if !isAsking, !listening.isQuiet(at: now) {
        isAsking = true
        tones?.say(.now)
        let noisy = listening.noisy.map { String($0.number) }
        if !noisy.isEmpty { tell("GPIO \(list(noisy)) move by themselves and are passed over.") }
        tell(
          options.wish == .button
            ? "Now press the button \(Learning.presses) times, then leave it alone."
            : "Now turn the knob slowly to the right, detent by detent.")
      }
    }
    tell("jukebox: nothing was found: is one contact on a GPIO pin and the other on ground?")
    return .nothingPlayed
  }

  private var now: Instant { Instant(nanoseconds: clinux_now()) }

  private func tell(_ sentence: String) {
    write(printable(sentence) + "\n", to: STDOUT_FILENO)
  }

  /// Shows what was found, and puts it into the file if that is right afterwards.
  private func keep(_ finding: Learning.Finding, text bytes: [UInt8]) throws -> Ending {
    switch finding {
    case .button(let button, let bounce):
      tell(
        "Found: GPIO \(button.line.number), \(button.isActiveLow ? "low" : "high") when pressed, "
          + "bounces for \(bounce.nanoseconds / 1_000) microseconds.")
    case .knob(let knob):
      tell(
        "Found: GPIO \(knob.a.number) and \(knob.b.number), \(knob.encoder.edgesPerDetent) edges "
          + "a detent\(knob.encoder.isInverted ? ", the other way around" : "").")
    }
    var edit = SettingsEdit(String(decoding: bytes, as: UTF8.self))
    edit.put(finding, doing: options.actions.map { ($0.key, $0.action) })
    var configuration = Configuration()
    let old = configuration.read(bytes, named: options.file.description)
    let new = configuration.read(Array(edit.text.utf8), named: options.file.description)
    for fault in new where !old.contains(where: { $0.sentence == fault.sentence }) {
      tell("jukebox: \(fault)")
      return .nothingPlayed
    }
    try store(edit.text)
    tell("It is in \(options.file).")
    return .played
  }

  /// Beside the file, then in its place, so that a power cut leaves one of the two.
  private func store(_ text: String) throws(DeviceError) {
    let path = options.file.description
    let new = path + ".new"
    let file = unsafe open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw DeviceError(call: "open \(new)", code: errno) }
    write(text, to: file)
    let isSafe = fsync(file) == 0
    close(file)
    guard isSafe, unsafe rename(new, path) == 0 else {
      throw DeviceError(call: "write \(path)", code: errno)
    }
  }
}
