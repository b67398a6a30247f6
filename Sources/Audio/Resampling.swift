/// A resampler at work on the voices of one rate, and which of its output frames are whose.
final class Resampling {
  /// Hz.
  let from: Int
  let to: Int
  /// True until the first frame at a file's very beginning came out.
  private(set) var isAtStart: Bool

  private var resampler: Resampler
  private var input: [Frame]
  private var inputRange = 0..<0
  /// Source frames taken from voices, counted as the resampler does.
  private var taken: Int
  /// The next output frame, counted as the resampler does.
  private var next: Int
  /// Where each voice begins: an output frame, its item, and the item's place of that frame.
  private var begins: [(frame: Int, id: UInt32, position: Int)]

  private static let piece = 4096

  /// Starts at the voice's present position, with some of what stands before it as a run-up.
  init(from: Int, to: Int, _ voice: Voice) throws(DecoderError) {
    self.from = from
    self.to = to
    input = Array(repeating: Frame(left: 0, right: 0), count: Self.piece)
    var resampler: Resampler
    do throws(ResamplerError) {
      resampler = try Resampler(from: from, to: to)
    } catch {
      throw DecoderError(.damaged, error.description)
    }
    let position = voice.position
    isAtStart = position == 0
    taken = position
    next = resampler.outputFrame(of: position)
    begins = [
      (next, voice.item.id, next - resampler.outputFrame(of: voice.start))
    ]
    if position > 0 {
      taken = resampler.restart(at: position)
      if taken != position { try voice.seek(to: taken) }
    }
    self.resampler = resampler
  }

  /// The next voice goes on where the last one ended.
  func join(_ voice: Voice) {
    begins.append((resampler.outputFrame(of: taken), voice.item.id, 0))
  }

  /// Resamples a piece of the voice into `room`; nil if the voice has no more.
  func read(
    _ voice: Voice, into room: UnsafeMutableBufferPointer<Frame>
  ) throws(DecoderError) -> Int? {
    if inputRange.isEmpty {
      let count = try readInput(voice)
      if count == 0 { return nil }
      taken += count
      inputRange = 0..<count
    }
    let (consumed, produced) = unsafe process(into: room)
    inputRange = inputRange.lowerBound + consumed..<inputRange.upperBound
    return produced
  }

  private func readInput(_ voice: Voice) throws(DecoderError) -> Int {
    try unsafe input.withUnsafeMutableBufferPointer { (frames) throws(DecoderError) in
      try unsafe voice.read(into: frames)
    }
  }

  private func process(
    into room: UnsafeMutableBufferPointer<Frame>
  ) -> (consumed: Int, produced: Int) {
    unsafe input.withUnsafeBufferPointer { input in
      let raw = unsafe UnsafeRawBufferPointer(input).assumingMemoryBound(to: Float.self)
      let part = unsafe UnsafeBufferPointer(
        rebasing: raw[(2 * inputRange.lowerBound)..<(2 * inputRange.upperBound)])
      let span = unsafe Span(_unsafeElements: part)
      return unsafe Self.withSamples(room) { samples in
        resampler.process(span, into: &samples)
      }
    }
  }

  /// Gives what is left once all voices of this rate are through; 0 when nothing is.
  func finish(into room: UnsafeMutableBufferPointer<Frame>) -> Int {
    unsafe Self.withSamples(room) { resampler.finish(into: &$0) }
  }

  private static func withSamples<R>(
    _ room: UnsafeMutableBufferPointer<Frame>, _ body: (inout MutableSpan<Float>) -> R
  ) -> R {
    let raw = unsafe UnsafeMutableRawBufferPointer(room).assumingMemoryBound(to: Float.self)
    var samples = unsafe MutableSpan(_unsafeElements: raw)
    return body(&samples)
  }

  /// Divides the next `count` output frames among the items they belong to, in at most `limit` parts.
  ///
  /// Where there are more, items of a few frames go under in the last one.
  func parts(of count: Int, limit: Int) -> [(count: Int, id: UInt32, position: Int)] {
    var parts: [(count: Int, id: UInt32, position: Int)] = []
    let end = next + count
    while next < end {
      while begins.count > 1, begins[1].frame <= next { begins.removeFirst() }
      let isCut = begins.count > 1 && parts.count < limit - 1
      let stop = isCut ? min(end, begins[1].frame) : end
      parts.append((stop - next, begins[0].id, begins[0].position + next - begins[0].frame))
      next = stop
    }
    if count > 0 { isAtStart = false }
    return parts
  }
}
