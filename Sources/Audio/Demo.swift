internal import CSndFile
internal import Glibc

/// The demo album: one short piece, synthesised, cut into three tracks that run into one another.
public enum Demo {
  /// The files' names, in the album's order.
  public static let names = titles.enumerated().map { "0\($0 + 1) - \($1).flac" }

  private static let titles = ["First Light", "Open Water", "Harbour Lamps"]
  /// The frames at which the piece is cut, odd so that no block of any codec fits.
  private static let cuts = [0, 588_001, 1_176_003, Piece.frames]

  /// Writes the tracks as 16-bit FLAC into `folder`, which is made if its parent exists.
  ///
  /// The same bytes each time. A track has its name only once it is whole. Takes half a second.
  public static func write(to folder: String) throws(SoundFileError) {
    if unsafe mkdir(folder, 0o755) != 0 && errno != EEXIST { throw SoundFileError(errno: errno) }
    let samples = Piece.samples()
    for (number, title) in titles.enumerated() {
      let path = folder + "/" + names[number]
      let track = samples[2 * cuts[number]..<2 * cuts[number + 1]]
      let part = path + ".part"
      defer { unsafe unlink(part) }
      try write(track, to: part, title: title, number: number + 1)
      if unsafe rename(part, path) != 0 { throw SoundFileError(errno: errno) }
    }
  }

  private static func write(
    _ samples: ArraySlice<Int16>, to path: String, title: String, number: Int
  ) throws(SoundFileError) {
    var info = SF_INFO()
    info.samplerate = Int32(Piece.rate)
    info.channels = 2
    info.format = Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
    errno = 0
    guard let file = unsafe sf_open(path, Int32(SFM_WRITE), &info) else {
      throw unsafe SoundFileError(sf_strerror(nil))
    }
    let tags = [
      (SF_STR_TITLE, title), (SF_STR_ARTIST, "Jukebox"), (SF_STR_ALBUM, "Demo"),
      (SF_STR_TRACKNUMBER, "\(number)"),
    ]
    for (tag, value) in tags { unsafe sf_set_string(file, Int32(tag), value) }
    let written = unsafe samples.withUnsafeBufferPointer { buffer in
      Int(unsafe sf_write_short(file, buffer.baseAddress, sf_count_t(buffer.count)))
    }
    let failure = written == samples.count ? nil : unsafe SoundFileError(sf_strerror(file))
    let code = unsafe sf_close(file)
    if let failure { throw failure }
    if code != 0 { throw unsafe SoundFileError(sf_error_number(code)) }
  }
}

/// The demo's music: twelve slow bars of plucked chords, bells, bass, and a little percussion.
private struct Piece {
  static let rate = 44_100
  static let frames = 40 * rate
  /// Seconds; twelve bars of four beats fill the piece.
  private static let beat = 10.0 / 12

  /// Semitones above D3: a chord's bass, then its notes upwards.
  private static let chords: [[Double]] = [
    [0, 7, 12, 16, 19, 23], [-3, 9, 12, 16, 19, 24], [-7, 5, 9, 12, 16, 21],
    [-5, 7, 9, 14, 17, 21], [0, 7, 12, 16, 19, 23], [-8, 4, 11, 14, 19, 23],
    [-7, 5, 12, 16, 19, 21], [-5, 7, 12, 14, 17, 23], [-3, 9, 12, 16, 19, 24],
    [-7, 5, 9, 12, 16, 19], [-5, 7, 11, 14, 17, 21], [0, 7, 12, 14, 16, 19],
  ]
  /// The bells: bar, beat, semitones above D3.
  private static let bells: [(bar: Int, beat: Double, note: Double)] = [
    (1, 0, 31), (1, 2, 28), (2, 1, 33), (3, 0, 31), (3, 2.5, 26), (4, 0, 28), (4, 3, 31),
    (5, 1, 35), (5, 3, 31), (6, 0, 33), (6, 2, 36), (7, 0, 35), (7, 2.5, 31), (8, 0, 36),
    (8, 2, 31), (9, 1, 33), (9, 3, 28), (10, 0, 26), (10, 2, 29), (11, 0, 28), (11, 1.5, 24),
  ]

  private var mix = [Float](repeating: 0, count: 2 * frames)
  private var noise = Noise()

  /// The finished piece, interleaved.
  static func samples() -> [Int16] {
    var piece = Piece()
    piece.play()
    piece.echo()
    return piece.master()
  }

  private mutating func play() {
    let order = [1, 3, 2, 4, 5, 4, 2, 3]
    for (bar, chord) in Self.chords.enumerated() {
      let begin = 4 * Double(bar)
      for (string, note) in chord[1...4].enumerated() {
        pad(note, at: begin, pan: Double(string) * 0.5 - 0.75)
      }
      for eighth in 0..<8 where bar < 11 || eighth < 5 {
        let accent = eighth.isMultiple(of: 4) ? 1.0 : 0.7
        pluck(
          chord[order[eighth]], at: begin + Double(eighth) / 2, level: accent,
          pan: eighth.isMultiple(of: 2) ? -0.4 : 0.4)
      }
      for stroke in [0, 2.5] where bar < 11 || stroke == 0 { bass(chord[0], at: begin + stroke) }
      guard (2..<11).contains(bar) else { continue }
      for stroke in 0..<4 {
        if stroke.isMultiple(of: 2) { drum(at: begin + Double(stroke)) }
        shaker(at: begin + Double(stroke) + 0.5, level: 1)
        if bar >= 4 { shaker(at: begin + Double(stroke) + 0.75, level: 0.5) }
      }
    }
    for bell in Self.bells {
      self.bell(bell.note, at: 4 * Double(bell.bar) + bell.beat, pan: bell.note / 20 - 1.5)
    }
  }

  // MARK: - Voices

  private mutating func pad(_ note: Double, at beat: Double, pan: Double) {
    for detune in [-0.04, 0.04] {
      ring(pitch(note + detune), at: beat, level: 0.06, decay: 1.3, attack: 0.6, pan: pan)
    }
    ring(2 * pitch(note), at: beat, level: 0.02, decay: 1.0, attack: 0.5, pan: -pan)
  }

  private mutating func pluck(_ note: Double, at beat: Double, level: Double, pan: Double) {
    for harmonic in 1...5 {
      let k = Double(harmonic)
      ring(
        pitch(note) * k, at: beat, level: 0.13 * level / (k * k.squareRoot()), decay: 0.55 / k,
        attack: 0.002, pan: pan)
    }
  }

  /// Partials as in a small bronze bell.
  private mutating func bell(_ note: Double, at beat: Double, pan: Double) {
    for (ratio, level, decay) in [(1, 0.09, 1.1), (2.76, 0.04, 0.5), (5.4, 0.02, 0.2)] {
      ring(pitch(note) * ratio, at: beat, level: level, decay: decay, attack: 0.001, pan: pan)
    }
  }

  private mutating func bass(_ note: Double, at beat: Double) {
    ring(pitch(note - 12), at: beat, level: 0.17, decay: 0.8, attack: 0.012, pan: 0)
    ring(2 * pitch(note - 12), at: beat, level: 0.11, decay: 0.5, attack: 0.008, pan: 0)
  }

  private mutating func drum(at beat: Double) {
    ring(52, at: beat, level: 0.28, decay: 0.09, attack: 0.004, pan: 0)
    ring(180, at: beat, level: 0.08, decay: 0.02, attack: 0.001, pan: 0)
  }

  private mutating func shaker(at beat: Double, level: Double) {
    let begin = frame(beat)
    let fall = Float(exp(-1 / (0.035 * Double(Self.rate))))
    var level = Float(0.035 * level)
    var last: Float = 0
    for n in begin..<min(begin + Self.rate / 4, Self.frames) {
      let next = noise.next()
      mix[2 * n] += 0.8 * level * (next - last)
      mix[2 * n + 1] += level * (next - last)
      last = next
      level *= fall
    }
  }

  /// A sine that swells and dies: (e^(-t/decay) - e^(-t/attack)) sin 2πft, as two resonators.
  ///
  /// `decay` and `attack` in seconds; `pan` from -1, left, to 1, right.
  private mutating func ring(
    _ frequency: Double, at beat: Double, level: Double, decay: Double, attack: Double, pan: Double
  ) {
    let begin = frame(beat)
    let angle = (pan + 1) * .pi / 4
    for (time, level) in [(decay, level), (attack, -level)] {
      let (left, right) = (Float(level * cos(angle)), Float(level * sin(angle)))
      var resonator = Resonator(
        step: 2 * .pi * frequency / Double(Self.rate), decay: time * Double(Self.rate))
      unsafe mix.withUnsafeMutableBufferPointer { mix in
        for n in begin..<min(begin + Int(7 * time * Double(Self.rate)), Self.frames) {
          let sample = Float(resonator.next())
          unsafe mix[2 * n] += left * sample
          unsafe mix[2 * n + 1] += right * sample
        }
      }
    }
  }

  private func pitch(_ note: Double) -> Double { 146.832 * exp2(note / 12) }

  private func frame(_ beat: Double) -> Int { Int(beat * Self.beat * Double(Self.rate)) }

  // MARK: - Finish

  /// Echoes that change sides, and a denser one as of a small room.
  private mutating func echo() {
    for (delay, level) in [(1_931, 0.16), (2_879, 0.13), (27_562, 0.28)] as [(Int, Float)] {
      unsafe mix.withUnsafeMutableBufferPointer { mix in
        for n in delay..<Self.frames {
          unsafe mix[2 * n] += level * mix[2 * (n - delay) + 1]
          unsafe mix[2 * n + 1] += level * mix[2 * (n - delay)]
        }
      }
    }
  }

  /// Fades both ends, brings the peak to -3 dB, and rounds with dither.
  private mutating func master() -> [Int16] {
    fade(0..<2 * Self.rate)
    fade((Self.frames - 5 * Self.rate..<Self.frames).reversed())
    let peak = mix.reduce(0) { max($0, abs($1)) }
    let scale = 32_767 * 0.7079 / peak
    return mix.map { sample in
      let dither = (noise.next() + noise.next()) / 2
      return Int16((sample * scale + dither).rounded())
    }
  }

  /// Raises frames from silence by half a cosine.
  private mutating func fade(_ frames: some Collection<Int>) {
    for (step, n) in frames.enumerated() {
      let gain = Float(0.5 - 0.5 * cos(.pi * Double(step) / Double(frames.count)))
      mix[2 * n] *= gain
      mix[2 * n + 1] *= gain
    }
  }
}

/// A sine that dies away, by two products a sample; `step` in radians, `decay` in samples.
private struct Resonator {
  private let feedback: Double
  private let loss: Double
  private var last: Double
  private var now = 0.0

  init(step: Double, decay: Double) {
    let fall = exp(-1 / decay)
    feedback = 2 * cos(step) * fall
    loss = fall * fall
    last = -sin(step) / fall
  }

  mutating func next() -> Double {
    let sample = now
    now = feedback * sample - loss * last
    last = sample
    return sample
  }
}

/// White noise from -1 to 1, the same each time; the constants are Knuth's MMIX.
private struct Noise {
  private var state: UInt64 = 1

  mutating func next() -> Float {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float(Int32(truncatingIfNeeded: state >> 32)) / 2_147_483_648
  }
}
