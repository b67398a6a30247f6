internal import CEBUR128

/// Measures how loud stereo sound is, piece by piece; belongs to one thread.
@safe public struct LoudnessMeter: ~Copyable {
  private let state: UnsafeMutablePointer<ebur128_state>
  /// Frames of 0.1 s, as the library counts them.
  private let step: Int
  private var filled = 0
  private var steps = 0
  private var blocks = GatingBlocks()

  /// `rate` is in Hz; nil for one that no sound has.
  public init?(rate: Int) {
    let mode = EBUR128_MODE_I.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue
    guard (1000...2_000_000).contains(rate),
      let state = unsafe ebur128_init(2, UInt(rate), Int32(mode))
    else { return nil }
    unsafe self.state = unsafe state
    step = (rate + 5) / 10
  }

  deinit {
    var state: UnsafeMutablePointer<ebur128_state>? = unsafe state
    unsafe ebur128_destroy(&state)
  }

  /// Takes whole frames of left and right.
  public mutating func add(_ samples: Span<Float>) {
    unsafe samples.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      var frame = 0
      while frame < buffer.count / 2 {
        let count = min(buffer.count / 2 - frame, step - filled)
        unsafe ebur128_add_frames_float(state, start + 2 * frame, count)
        frame += count
        filled += count
        if filled == step { endStep() }
      }
    }
  }

  /// At the end of each 0.1 s a block of 0.4 s is complete: the momentary loudness.
  private mutating func endStep() {
    filled = 0
    steps += 1
    var loudness = 0.0
    if steps >= 4, unsafe ebur128_loudness_momentary(state, &loudness) == 0 {
      blocks.add(loudness)
    }
  }

  /// Of all the sound so far.
  public var loudness: Loudness {
    var integrated = 0.0
    unsafe ebur128_loudness_global(state, &integrated)
    let peaks = [UInt32(0), 1].map { channel in
      var peak = 0.0
      unsafe ebur128_true_peak(state, channel, &peak)
      return peak
    }
    return Loudness(
      integrated: integrated.isFinite ? integrated : nil, peak: peaks.max() ?? 0, blocks: blocks)
  }
}
