internal import Audio
internal import CLinux
internal import Glibc
internal import Library

/// What is told by a few notes, where there is no screen to read.
struct Tones: ~Copyable {
  enum Word: String {
    /// Touch nothing: one note.
    case quiet
    /// Your turn: two, rising.
    case now
    /// Found, and written down: three, rising.
    case found
    /// Nothing was found: one, deep and long.
    case nothing

    /// Each in hertz: a just fifth and its third over A4.
    var notes: [Double] {
      switch self {
      case .quiet: [440]
      case .now: [440, 660]
      case .found: [440, 550, 660]
      case .nothing: [220, 220, 220]
      }
    }
  }

  private static let rate = 44_100
  private static let length = Duration.milliseconds(200)

  private let deck: Deck
  private let folder: Path
  private var isSounding = false

  /// Plays to the ALSA PCM; the notes' files are in a folder that goes at the end.
  init(device: String) throws(SystemError) {
    var template = Array("/tmp/jukebox-tones-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw SystemError(call: "mkdtemp", errno: errno)
    }
    folder = Path(template.map { UInt8(bitPattern: $0) })
    deck = Deck(
      OutputSettings(device: device, buffer: .milliseconds(200), rewinding: .never))
  }

  deinit {
    for word in [Word.quiet, .now, .found, .nothing] { unsafe unlink(path(word).description) }
    unsafe rmdir(folder.description)
  }

  private func path(_ word: Word) -> Path { folder.appending(Path(word.rawValue + ".wav")) }

  /// Begins to sound; what sounded before ends.
  mutating func say(_ word: Word) {
    let path = path(word)
    guard (try? path.write(Self.file(word.notes))) != nil else { return }
    isSounding = true
    deck.play(Audio.Item(id: 1, source: Source(path: path.bytes)))
  }

  /// Until the last note has been heard, but no longer than where there is no sound card.
  mutating func finish() {
    let end = ContinuousClock.now + .seconds(3)
    while isSounding, .now < end {
      clinux_await(deck.descriptor, 100_000_000)
      if deck.takeEvents().contains(.finished) { isSounding = false }
    }
  }

  /// A WAV file of 16-bit samples in mono; Microsoft's RIFF specification of 1991.
  private static func file(_ notes: [Double]) -> [UInt8] {
    let samples = notes.flatMap { note($0) }
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return Array("RIFF".utf8) + little(36 + 2 * samples.count, 4) + Array("WAVEfmt ".utf8)
      + little(16, 4) + little(1, 2) + little(1, 2) + little(rate, 4) + little(2 * rate, 4)
      + little(2, 2) + little(16, 2) + Array("data".utf8) + little(2 * samples.count, 4)
      + samples.flatMap { little(Int($0), 2) }
  }

  /// With a ramp of 10 ms at both ends, and a twentieth of a second of silence.
  private static func note(_ frequency: Double) -> [Int16] {
    let frames = Int(length / .seconds(1) * Double(rate))
    let sound = (0..<frames).map { frame -> Int16 in
      let ramp = min(1, Double(min(frame, frames - frame)) / (0.01 * Double(rate)))
      return Int16(8_000 * ramp * sin(2 * .pi * frequency * Double(frame) / Double(rate)))
    }
    return sound + [Int16](repeating: 0, count: rate / 20)
  }
}
