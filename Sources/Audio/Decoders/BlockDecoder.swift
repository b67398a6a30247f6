/// A library that decodes block after block of a stream that may hold more than is to be heard.
///
/// Frames count from the first that the library gives, delay and padding included.
protocol BlockSource: AnyObject {
  /// The file that the blocks are read from.
  var input: InputFile { get }

  /// The format of the block that `advance` made current.
  var format: StreamFormat { get }

  /// Decodes the next block and returns its frames; 0 at the end. A damaged block is passed over.
  func advance() throws(DecoderError) -> Int

  /// Copies frames of the current block, interleaved.
  func copy(_ frames: Range<Int>, to samples: UnsafeMutablePointer<Float>)

  /// Goes to a block at or before a frame and returns the first frame of the next block.
  func rewind(to frame: Int) throws(DecoderError) -> Int
}

/// A decoder that hears one stretch of a block source, exact to the frame at both ends.
final class BlockDecoder<Source: BlockSource>: Decoder {
  private(set) var format: StreamFormat
  private(set) var length: Int?
  private(set) var position = 0

  private let source: Source
  private let first: Int
  private var end: Int?
  /// What is left of the current block.
  private var block = 0..<0
  /// The source's frame that the first of `block` is.
  private var frame = 0

  /// Hears the frames from `first` to before `end` (nil: to the last); decodes the first block.
  /// `length` is for where it is known, or nearly, though `end` is not.
  init(_ source: Source, from first: Int, to end: Int?, length: Int? = nil) throws(DecoderError) {
    self.source = source
    self.first = first
    self.end = end
    self.length = end.map { max(0, $0 - first) } ?? length
    format = source.format
    try start(at: first)
  }

  func read(into samples: inout MutableSpan<Float>) throws(DecoderError) -> Int {
    if block.isEmpty { try advance() }
    let channels = format.channels
    let room = samples.count / channels
    precondition(room > 0, "a read needs room for a frame")
    // Typed throws do not pass through the closure: the error is handed out by hand.
    let result: Result<Int, DecoderError> = unsafe samples.withUnsafeMutableBufferPointer {
      guard let base = $0.baseAddress else { return .success(0) }
      return unsafe fill(base, room, format)
    }
    return try result.get()
  }

  func seek(to target: Int) throws(DecoderError) {
    let last = end.map { max(0, $0 - first) } ?? Int(Int32.max) * 256
    try start(at: first + min(max(0, target), last))
  }

  private func fill(
    _ base: UnsafeMutablePointer<Float>, _ room: Int, _ current: StreamFormat
  ) -> Result<Int, DecoderError> {
    var done = 0
    while done < room, !block.isEmpty, format == current {
      let count = min(room - done, block.count)
      let target = unsafe base + done * current.channels
      unsafe source.copy(block.lowerBound..<block.lowerBound + count, to: target)
      unsafe limit(target, count * current.channels)
      take(count)
      done += count
      position += count
      // The next block is decoded at once, so that `format` is always that of the next frame.
      if block.isEmpty {
        do { try advance() } catch {
          return done > 0 ? .success(done) : .failure(error)
        }
      }
    }
    return .success(done)
  }

  private func take(_ count: Int) {
    block = block.lowerBound + count..<block.upperBound
    frame += count
  }

  /// Makes the next block current, cut at `end`; leaves it empty at the end of all.
  private func advance() throws(DecoderError) {
    if let end, frame >= end { return }
    source.input.patience = InputFile.blockLimit
    defer { source.input.patience = nil }
    let count = try source.advance()
    guard count > 0 else {
      end = frame
      length = max(0, frame - first)
      return
    }
    block = 0..<(end.map { min(count, $0 - frame) } ?? count)
    format = source.format
  }

  private func start(at target: Int) throws(DecoderError) {
    block = 0..<0
    position = target - first
    if let end, target >= end {
      frame = end
      return
    }
    frame = try source.rewind(to: target)
    while frame < target {
      try advance()
      if block.isEmpty { break }
      take(min(block.count, target - frame))
    }
    // The source may have ended early, even before what is heard of it.
    position = max(0, frame - first)
    if block.isEmpty { try advance() }
  }
}

/// Makes the samples of a broken file harmless: what is not a number becomes 0, the rest stays
/// within ±8 (18 dB over full scale).
func limit(_ samples: UnsafeMutablePointer<Float>, _ count: Int) {
  for index in 0..<count {
    let sample = unsafe samples[index]
    let low = sample < -8 ? -8 : sample
    let within: Float = low > 8 ? 8 : low
    // Only what is not a number differs from itself; infinities have become ±8.
    unsafe samples[index] = sample == sample ? within : 0
  }
}
