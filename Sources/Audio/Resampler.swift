internal import CSoXR

/// Brings interleaved stereo from one rate to another, aligned to the frame; owns a soxr handle.
///
/// Tracks of one rate that follow each other go through one resampler without a `finish` between
/// them, so that their joins stay seamless. Frames count from the source's frame 0, over all joins:
/// what stood at source frame n stands at output frame `outputFrame(of: n)`, without drift.
///
/// Before a source's first and after its last frame a resampling filter needs samples that don't
/// exist. Zeros there would make a step, thus a click, so the sound is continued in both directions
/// by linear prediction and the frames of these continuations are trimmed off the output again.
@safe public struct Resampler: ~Copyable {
  /// Rates that can be resampled (Hz), both ways.
  public static let rates = 4_000...768_000

  /// Frames that a prediction looks at, and its poles: error at the ends of tones under -110 dB.
  private static let window = 2048
  private static let order = 64
  /// Frames of the lower rate over which soxr's filter spreads to each side, to below -140 dB.
  private static let reach = 128

  private enum Phase { case gathering, streaming, ending }

  private let soxr: soxr_t
  private let from: Int
  private let to: Int
  /// Source frames, and output frames, after which frames of both coincide again.
  private let sourceStep: Int
  private let outputStep: Int
  /// The filter's spread in source frames.
  private let reach: Int

  private var phase = Phase.gathering
  /// Source frame of the first one fed; a multiple of `sourceStep`.
  private var start = 0
  private var fed = 0
  /// Output frame of the first one handed out.
  private var first = 0
  /// Output frames still to drop, handed out, and to hand out in all (known at the end).
  private var surplus = 0
  private var made = 0
  private var total = Int.max
  /// The last `window` frames fed, as a ring: frame n at n modulo `window`.
  private var recent = [Float](repeating: 0, count: 2 * window)
  /// Samples that go to soxr before the next input, from `queued` on.
  private var queue: [Float] = []
  private var queued = 0

  /// A resampler at source frame 0; both rates in Hz and not equal. soxr_create, 24-bit recipe.
  public init(from: Int, to: Int) throws(ResamplerError) {
    precondition(from != to, "Equal rates need no resampler.")
    guard Self.rates ~= from, Self.rates ~= to else { throw ResamplerError(from: from, to: to) }
    var quality = unsafe soxr_quality_spec(UInt(SOXR_24_BITQ), UInt(SOXR_HI_PREC_CLOCK))
    guard let soxr = unsafe soxr_create(Double(from), Double(to), 2, nil, nil, &quality, nil)
    else { throw ResamplerError(from: from, to: to) }
    let divisor = greatestCommonDivisor(from, to)
    unsafe self.soxr = soxr
    self.from = from
    self.to = to
    sourceStep = from / divisor
    outputStep = to / divisor
    reach = Self.reach * from / min(from, to) + 1
  }

  deinit { unsafe soxr_delete(soxr) }

  /// The output frame on which a source frame lands: frame × to / from, to the nearest.
  public func outputFrame(of sourceFrame: Int) -> Int {
    (2 * sourceFrame * outputStep + sourceStep) / (2 * sourceStep)
  }

  /// Starts anew so that the next output is that of source frame `frame`, as a straight run has it.
  ///
  /// Returns the source frame to feed from: some way before it, for the filter to settle and to begin
  /// where both rates' frames coincide. What comes of the frames between is dropped here.
  public mutating func restart(at frame: Int) -> Int {
    first = outputFrame(of: frame)
    start = max(0, first * sourceStep / outputStep - max(reach, Self.window))
    start -= start % sourceStep
    surplus = first - start / sourceStep * outputStep
    phase = start == 0 ? .gathering : .streaming
    fed = 0
    made = 0
    total = .max
    queue = []
    queued = 0
    let error = unsafe soxr_clear(soxr)
    precondition(unsafe error == nil, "soxr_clear is out of memory.")
    return start
  }

  /// Takes source frames and gives output frames (interleaved stereo both), as many as fit.
  ///
  /// Returns the frames taken and given. Call again with the rest while the input is not used up;
  /// none given means only that more is needed.
  public mutating func process(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) -> (consumed: Int, produced: Int) {
    precondition(phase != .ending, "After finish a resampler must be restarted.")
    precondition(input.count.isMultiple(of: 2), "The input must be whole frames.")
    var consumed = 0
    if phase == .gathering {
      consumed = min(input.count / 2, Self.window - fed)
      remember(input, 0..<consumed)
      if fed < Self.window { return (consumed, 0) }
      begin()
    }
    var produced = drainQueue(into: &output)
    if queue.isEmpty {
      let pushed = unsafe input.withUnsafeBufferPointer { samples in
        unsafe push(samples.extracting((2 * consumed)...), into: &output, at: produced)
      }
      remember(input, consumed..<consumed + pushed.consumed)
      consumed += pushed.consumed
      produced += pushed.produced
    }
    return (consumed, produced)
  }

  /// Gives what is left after the last source frame; 0 when that was all.
  ///
  /// The output since the (re)start at frame s then has `outputFrame(of: end)` - `outputFrame(of: s)`
  /// frames. Only `restart(at:)` may follow.
  public mutating func finish(into output: inout MutableSpan<Float>) -> Int {
    if phase == .gathering { begin() }
    if phase != .ending {
      phase = .ending
      total = max(0, outputFrame(of: start + fed) - first)
      queue.append(contentsOf: continuation(frames: reach, backwards: false))
    }
    let produced = drainQueue(into: &output)
    guard queue.isEmpty else { return produced }
    return unsafe produced + push(nil, into: &output, at: produced).produced
  }

  /// Queues the frames gathered at the source's start, with their continuation before them.
  private mutating func begin() {
    // A whole number of steps, so that the frames to drop are whole too; silence fills it up.
    let lead = (reach + sourceStep - 1) / sourceStep * sourceStep
    surplus += lead / sourceStep * outputStep
    queue = [Float](repeating: 0, count: 2 * (lead - reach))
    queue += continuation(frames: reach, backwards: true)
    queue += recent.prefix(2 * fed)
    phase = .streaming
  }

  /// The frames that would follow the recent ones, or would have come before them.
  private func continuation(frames: Int, backwards: Bool) -> [Float] {
    var continuation = [Float](repeating: 0, count: 2 * frames)
    let known = min(fed, Self.window)
    for channel in 0..<2 {
      var samples = (fed - known..<fed).map { Double(recent[$0 % Self.window * 2 + channel]) }
      if backwards { samples.reverse() }
      let model = LinearPrediction(samples, order: Self.order)
      for (n, sample) in model.continuation(of: samples, count: frames).enumerated() {
        continuation[(backwards ? frames - 1 - n : n) * 2 + channel] = Float(sample)
      }
    }
    return continuation
  }

  /// Counts frames as fed, and keeps the last of them.
  private mutating func remember(_ input: Span<Float>, _ frames: Range<Int>) {
    for frame in frames.suffix(Self.window) {
      let place = (fed + frame - frames.lowerBound) % Self.window
      recent[2 * place] = input[2 * frame]
      recent[2 * place + 1] = input[2 * frame + 1]
    }
    fed += frames.count
  }

  /// Resamples what is queued, as far as the output has room; returns the frames given.
  private mutating func drainQueue(into output: inout MutableSpan<Float>) -> Int {
    guard !queue.isEmpty else { return 0 }
    let samples = queue
    let pushed = unsafe samples.withUnsafeBufferPointer { samples in
      unsafe push(samples.extracting(queued...), into: &output, at: 0)
    }
    queued += 2 * pushed.consumed
    if queued == queue.count {
      queue = []
      queued = 0
    }
    return pushed.produced
  }

  /// Resamples `input` (nil: the end) into the output from frame `place` on; soxr_process.
  private mutating func push(
    _ input: UnsafeBufferPointer<Float>?, into output: inout MutableSpan<Float>, at place: Int
  ) -> (consumed: Int, produced: Int) {
    let capacity = min(output.count / 2 - place, total - made)
    let frames = unsafe (input?.count ?? 0) / 2
    var consumed = 0
    var produced = 0
    unsafe output.withUnsafeMutableBufferPointer { output in
      guard capacity > 0, let base = output.baseAddress else { return }
      // soxr takes a null input for the end, and an empty buffer's address may be null.
      let source = unsafe input.map { unsafe $0.baseAddress ?? UnsafePointer(base) }
      while produced < capacity {
        let target = unsafe base + 2 * (place + produced)
        var used = 0
        var given = 0
        let error = unsafe soxr_process(
          soxr, source.map { unsafe $0 + 2 * consumed }, frames - consumed, &used,
          target, capacity - produced, &given)
        precondition(unsafe error == nil, "soxr_process is out of memory.")
        if used == 0 && given == 0 { break }
        consumed += used
        let dropped = min(surplus, given)
        if dropped > 0 {
          surplus -= dropped
          given -= dropped
          for n in 0..<2 * given { unsafe target[n] = unsafe target[2 * dropped + n] }
        }
        produced += given
      }
    }
    made += produced
    return (consumed, produced)
  }
}

/// A pair of rates that can't be resampled.
public struct ResamplerError: Error, Equatable, CustomStringConvertible {
  /// Hz.
  public var from: Int
  public var to: Int
  public var description: String { "can't resample from \(from) Hz to \(to) Hz" }
}

private func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
  b == 0 ? a : greatestCommonDivisor(b, a % b)
}
