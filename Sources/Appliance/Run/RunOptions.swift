internal import Audio
internal import Devices
internal import Jukebox
import Library

/// What `jukebox run` is to do, as its command line says.
struct RunOptions: Equatable {
  var state: Path?
  var library: Path?
  /// Folders that stand for media.
  var media: [Path] = []
  /// Settings files, read after the usual ones.
  var files: [Path] = []
  /// What overrules the settings files where it is given.
  var device: String?
  var plug: Configuration.Plug?
  var loudness: Configuration.Loudness?
  var rest: Jukebox.Interval?
  var bufferMilliseconds = 1000
  var rewind = PlayOptions.Rewind.auto
  var panel = Panel.none
  var isVerbose = false

  /// Where the front panel is drawn and its controls are typed.
  enum Panel: String, CaseIterable {
    case terminal, none
  }

  private enum Option: String, CaseIterable {
    case config = "--config"
    case state = "--state"
    case library = "--library"
    case media = "--media"
    case device = "--device"
    case buffer = "--buffer-ms"
    case rewind = "--rewind"
    case plug = "--on-plug"
    case replayGain = "--replaygain"
    case rest = "--rest-minutes"
    case panel = "--panel"
    case verbose = "--verbose"
  }

  init(_ words: ArraySlice<[UInt8]>) throws(UsageError) {
    var words = OptionWords<Option>(words, of: "run")
    while let word = try words.next() {
      switch word {
      case .plain(let word):
        let text = quoted(String(decoding: word, as: UTF8.self))
        throw UsageError("run is followed by \(text): allowed are options; media are --media DIR")
      case .option(.config): files.append(Path(try words.value("FILE")))
      case .option(.state): state = Path(try words.value("DIR"))
      case .option(.library): library = Path(try words.value("FILE"))
      case .option(.media):
        let path = Path(try words.value("DIR"))
        guard !path.name.bytes.isEmpty else {
          throw UsageError("--media is '\(path)': allowed are folders other than /")
        }
        media.append(path)
      case .option(.device): device = try words.text("NAME")
      case .option(.buffer):
        let number = try words.number()
        guard 20...10_000 ~= number else {
          throw UsageError("--buffer-ms is \(number): allowed is 20 to 10000 (milliseconds)")
        }
        bufferMilliseconds = number
      case .option(.rewind):
        rewind = try words.word(Self.named(PlayOptions.Rewind.self), "auto|always|never")
      case .option(.plug):
        plug = try words.word(
          Self.named(Configuration.Plug.self), "auto|nothing|start|left|shuffle|playlist")
      case .option(.replayGain):
        loudness = try words.word(
          Self.named(Configuration.Loudness.self), "off|track|album")
      case .option(.rest): rest = Jukebox.Interval.minutes(Int64(try words.number()))
      case .option(.panel):
        panel = try words.word(Self.named(Panel.self), "terminal|none")
      case .option(.verbose): isVerbose = true
      }
    }
  }

  private static func named<Word: RawRepresentable & CaseIterable>(
    _: Word.Type
  ) -> [(name: String, word: Word)] where Word.RawValue == String {
    Word.allCases.map { ($0.rawValue, $0) }
  }

  /// `device` is the PCM.
  func output(_ device: String) -> OutputSettings {
    let rewinding: Rewinding =
      switch rewind {
      case .auto: .auto
      case .always: .always
      case .never: .never
      }
    return OutputSettings(
      device: device, buffer: .milliseconds(bufferMilliseconds), rewinding: rewinding)
  }
}
