internal import Glibc
public import Jukebox

/// All that the owner may decide, as the settings files say it.
///
/// A file read later overrules the ones before it, key by key; a pin it names is its own altogether.
public struct Configuration: Equatable, Sendable {
  /// What plays when a medium is plugged in.
  public enum Plug: String, CaseIterable, Sendable {
    /// As `left` while nothing plays, else as `nothing`.
    case auto
    case nothing
    /// The medium from its first track.
    case start
    /// The track that played when it was pulled out.
    case left
    case shuffle
    /// The playlist on it.
    case playlist
  }

  /// When a card that is preferred is switched to.
  public enum CardChange: String, CaseIterable, Sendable {
    case atOnce = "at-once"
    case trackEnd = "track-end"
  }

  public enum Loudness: String, CaseIterable, Sendable {
    case off, track, album
  }

  /// The GPIO chip's label; nil for that of a known board.
  public var chip: String?
  /// What the brains take of it, the panel included.
  public var brains = Settings()
  /// How lines are pulled, where it is not against what closes them.
  public var pulls: [Line: Pull] = [:]
  public var lights: [LightSettings] = []
  /// What topics look like, where it is not the usual.
  public var patterns: [LightSettings.Topic: LightPattern] = [:]

  /// Sound cards by id, the best first; empty for ALSA's default.
  public var cards: [String] = []
  public var cardChange = CardChange.trackEnd
  /// The mixer's element; nil for the one that is found.
  public var mixer: String?
  /// What is added to every volume of this card.
  public var offset = Decibels.unity
  public var loudness = Loudness.off
  /// Switched on before sound and off after it.
  public var amplifier: Line?
  /// How long without sound until the card is given back.
  public var rest = Interval.minutes(5)
  /// The highest level to start with, whatever it was before.
  public var safeLevel = 70
  /// How long the sound takes to rise at the start, and to fall at the end.
  public var rise = Interval.seconds(2)
  public var fall = Interval.milliseconds(300)

  public var plug = Plug.auto
  /// The mode to start with; nil for that of last time.
  public var shuffle: ShuffleMode?
  /// Folders below which mounts are media.
  public var folders = HotPlug.usualFolders
  /// Whether a stick may carry settings of its own, of the harmless kinds.
  public var allowsStickSettings = false

  /// Whether devices with media keys are taken away from others.
  public var grabsKeys = false
  /// What keys mean, by their kernel names such as "KEY_F1", where it is not the usual.
  public var keys: [String: Command] = [:]

  public init() {}

  /// The lines that the panel's controls are on.
  public var inputs: [GPIO.Input] {
    let controls = brains.controls
    let switches = controls.buttons + controls.switches
    let knobs = controls.knobs.flatMap { knob in
      [knob.a, knob.b].map { SwitchSettings($0, isActiveLow: knob.isActiveLow) }
    }
    return (switches + knobs).map {
      GPIO.Input($0.line, pull: pulls[$0.line] ?? ($0.isActiveLow ? .up : .down))
    }
  }

  /// The lines that lights and the amplifier are on.
  public var outputs: [Line] {
    lights.compactMap { light in
      if case .line(let line) = light.place { line } else { nil }
    } + (amplifier.map { [$0] } ?? [])
  }

  // MARK: - Files

  /// The board's own, the owner's, and what was put beside the boot files in another computer.
  public static let usualFiles = [
    "/usr/share/jukebox/board.toml", "/etc/jukebox/jukebox.toml", "/boot/firmware/jukebox.toml",
  ]

  /// Reads the files in turn; one that is not there is passed over.
  public static func load(_ paths: [String]) -> (Configuration, [SettingsFault]) {
    var configuration = Configuration()
    var faults: [SettingsFault] = []
    for path in paths {
      do {
        guard let bytes = try contents(of: path) else { continue }
        faults += configuration.read(bytes, named: path)
      } catch {
        faults.append(
          SettingsFault(
            file: path, place: Place(line: 1, column: 1),
            sentence: "it can't be read (\(error)): allowed is a file that the player may read"))
      }
    }
    return (configuration, faults)
  }

  /// Nil where there is no such file. What is longer than any file of settings is cut off.
  public static func contents(
    of path: String, followingLinks: Bool = true
  ) throws(DeviceError) -> [UInt8]? {
    let links = followingLinks ? 0 : O_NOFOLLOW
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | links)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw DeviceError(call: "open", code: errno)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count <= SettingsText.limit {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      guard count >= 0 else { throw DeviceError(call: "read", code: errno) }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return bytes
  }
}
