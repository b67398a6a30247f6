internal import Devices
import Library

/// How `jukebox play` is to play, and what.
struct PlayOptions: Equatable {
  /// Sample sizes of a WAV file.
  enum Bits: Int, CaseIterable {
    case sixteen = 16
    case twentyFour = 24
    case thirtyTwo = 32
  }

  /// The rate of the output.
  enum Rate: Equatable {
    /// That of the music, as far as the output can follow it.
    case source
    case hertz(Int)
  }

  typealias Loudness = Configuration.Loudness

  enum Rewind: String, CaseIterable {
    case auto, always, never
  }

  /// An ALSA PCM; "silent" is an output without sound that keeps real time.
  var device = "default"
  /// The WAV file to write instead of playing.
  var file: Path?
  var bits = Bits.sixteen
  var rate = Rate.source
  /// Where in the first track to start.
  var start = Duration.zero
  /// Decibels, at most 0.
  var volume = 0.0
  var loudness = Loudness.off
  /// How much sound the device is given ahead; milliseconds.
  var bufferMilliseconds = 1000
  var rewind = Rewind.auto
  var isVerbose = false
  var paths: [Path] = []
}

extension PlayOptions {
  private enum Option: String, CaseIterable {
    case device = "--device"
    case to = "--to"
    case bits = "--bits"
    case rate = "--rate"
    case start = "--start"
    case volume = "--volume"
    case replayGain = "--replaygain"
    case buffer = "--buffer-ms"
    case rewind = "--rewind"
    case verbose = "--verbose"
  }

  /// From the words after "play"; options may stand anywhere before a "--".
  init(_ words: ArraySlice<[UInt8]>) throws(UsageError) {
    self.init()
    var words = words
    var given: Set<Option> = []
    while let word = words.popFirst() {
      let text = String(decoding: word, as: UTF8.self)
      if text == "--" {
        paths += words.map { Path($0) }
        break
      }
      guard text.hasPrefix("-"), text != "-" else {
        guard !word.isEmpty else {
          throw UsageError("'' is no PATH: allowed are files and folders")
        }
        paths.append(Path(word))
        continue
      }
      let equals = word.firstIndex(of: UInt8(ascii: "="))
      let name = String(decoding: word[..<(equals ?? word.endIndex)], as: UTF8.self)
      guard let option = Option(rawValue: name) else {
        let names = Option.allCases.map(\.rawValue)
        throw UsageError(
          "\(quoted(name)) is no option of play: allowed are \(list(names))", nearest: name,
          in: names)
      }
      given.insert(option)
      if option == .verbose {
        guard equals == nil else { throw UsageError("--verbose is given a value: allowed is none") }
        isVerbose = true
      } else if let equals {
        try set(option, Array(word[(equals + 1)...]))
      } else if let value = words.popFirst() {
        try set(option, value)
      } else {
        throw UsageError(
          "\(name) ends the command line: allowed is \(name) \(Self.allowed(option))")
      }
    }
    if file != nil, let other = [Option.device, .buffer, .rewind].first(where: given.contains) {
      throw UsageError("--to stands with \(other.rawValue): allowed is one of the two")
    }
    if file == nil, given.contains(.bits) {
      throw UsageError("--bits stands without --to: allowed are both or none")
    }
    if paths.isEmpty { throw UsageError("play has nothing to play: allowed is play PATH...") }
  }

  /// A value's right form, in words.
  private static func allowed(_ option: Option) -> String {
    switch option {
    case .device: "NAME, an ALSA PCM such as default or hw:0, or silent"
    case .to: "FILE.wav"
    case .bits: list(Bits.allCases.map { String($0.rawValue) })
    case .rate: "source, or \(rates.lowerBound) to \(rates.upperBound) (Hz)"
    case .start: "a number of seconds from 0 on"
    case .volume: "a number of decibels from -100 to 0"
    case .replayGain: list(Loudness.allCases.map(\.rawValue))
    case .buffer: "\(buffers.lowerBound) to \(buffers.upperBound) (milliseconds)"
    case .rewind: list(Rewind.allCases.map(\.rawValue))
    case .verbose: "nothing"
    }
  }

  private static let rates = 4000...768_000
  private static let buffers = 20...10_000

  private mutating func set(_ option: Option, _ bytes: [UInt8]) throws(UsageError) {
    let value = String(decoding: bytes, as: UTF8.self)
    let wrong = "\(option.rawValue) is \(quoted(value)): allowed is \(Self.allowed(option))"
    switch option {
    case .device:
      guard !value.isEmpty else { throw UsageError(wrong) }
      device = value
    case .to:
      guard !bytes.isEmpty else { throw UsageError(wrong) }
      file = Path(bytes)
    case .bits:
      guard let number = Int(value) else { throw UsageError(wrong) }
      guard let bits = Bits(rawValue: number) else {
        throw UsageError("\(wrong); the nearest is \(number <= 20 ? 16 : number <= 28 ? 24 : 32)")
      }
      self.bits = bits
    case .rate:
      if value == "source" {
        rate = .source
      } else if let number = Int(value) {
        rate = .hertz(try Self.number(number, in: Self.rates, wrong))
      } else {
        throw UsageError(wrong, nearest: value, in: ["source"])
      }
    case .start:
      guard let seconds = decimal(value), (0...1_000_000_000).contains(seconds) else {
        throw UsageError(wrong)
      }
      start = .microseconds(Int64((seconds * 1_000_000).rounded()))
    case .volume:
      guard let decibels = decimal(value) else { throw UsageError(wrong) }
      guard (-100...0).contains(decibels) else {
        throw UsageError("\(wrong); the nearest is \(decibels < 0 ? -100 : 0)")
      }
      volume = decibels
    case .replayGain:
      loudness = try Self.word(value, wrong)
    case .buffer:
      guard let number = Int(value) else { throw UsageError(wrong) }
      bufferMilliseconds = try Self.number(number, in: Self.buffers, wrong)
    case .rewind:
      rewind = try Self.word(value, wrong)
    case .verbose:
      isVerbose = true
    }
  }

  private static func number(
    _ number: Int, in range: ClosedRange<Int>, _ wrong: String
  ) throws(UsageError) -> Int {
    guard range.contains(number) else {
      let nearest = min(max(number, range.lowerBound), range.upperBound)
      throw UsageError("\(wrong); the nearest is \(nearest)")
    }
    return number
  }

  private static func word<Word: RawRepresentable & CaseIterable>(
    _ value: String, _ wrong: String
  ) throws(UsageError) -> Word where Word.RawValue == String {
    guard let word = Word(rawValue: value) else {
      throw UsageError(wrong, nearest: value, in: Word.allCases.map(\.rawValue))
    }
    return word
  }
}

/// A plain decimal number: no exponent, no hexadecimal, no infinity.
private func decimal(_ text: String) -> Double? {
  text.allSatisfy { "+-.0123456789".contains($0) } ? Double(text) : nil
}
