@testable import Audio

/// A renderer and its link, fed by hand on one thread, and all that it rendered.
final class RendererStand {
  private let stage: Stage
  var renderer = Renderer()
  /// What was rendered, by the renderer's clock, in the format's own steps.
  var sound: [Frame] = []
  let format: SampleFormat
  let rate: Int32
  private var reported: [Report] = []

  var link: Link { _read { yield stage.link } }

  /// 64 frames at 8,000 Hz.
  var ramp: Int { Int(rate) / 1000 * 8 }

  init(frames: Int = 1 << 14, rate: Int32 = 8000, as format: SampleFormat = .float) {
    stage = Stage(frames: frames, isThreaded: false)
    self.format = format
    self.rate = rate
  }

  // MARK: The decoder's part

  /// Adds a chunk of `source` as far as there is space; returns the frames.
  @discardableResult
  func push(
    _ count: Int, of generation: UInt32 = 1, track: UInt32 = 0, at position: Int = 0,
    rate: Int32? = nil, bits: UInt8 = 16, entry: Bool = false, isEnd: Bool = false,
    isAttack: Bool = false, source: (UInt32, Int) -> Frame = code
  ) -> Int {
    guard link.chunks.space > 0 else { return 0 }
    let start = link.frames.head
    let done = min(count, link.frames.space)
    if done == 0, !isEnd { return 0 }
    for index in 0..<done {
      let place = start &+ UInt(index)
      link.frames.memory.storeBytes(
        of: source(generation, position + index),
        toByteOffset: Int(place & UInt(link.frames.capacity - 1)) * MemoryLayout<Frame>.stride,
        as: Frame.self)
    }
    let index = stage.push(
      Chunk(
        generation: generation, track: track, start: start, count: done, position: Int64(position),
        rate: rate ?? self.rate, bits: bits, isEnd: isEnd, isAttack: isAttack))
    if entry { stage.enter(index) }
    return done
  }

  /// Announces a generation by its first chunk.
  func announce(_ chunk: UInt) { stage.enter(chunk) }

  /// Begins a generation at once, as when nothing was heard before.
  func begin(_ count: Int, of generation: UInt32 = 1, at position: Int = 0, isAttack: Bool = true) {
    push(count, of: generation, at: position, entry: true, isAttack: isAttack)
    renderer.enter(link, audible: false)
  }

  // MARK: The card's part

  @discardableResult
  func render(_ frames: Int) -> (frames: Int, stop: Renderer.Stop) {
    var bytes = [UInt8](repeating: 0, count: frames * format.bytesPerFrame)
    let rendered = bytes.withUnsafeMutableBytes { bytes -> (frames: Int, stop: Renderer.Stop) in
      guard let base = bytes.baseAddress else { return (0, .none) }
      return renderer.render(link, frames: frames, to: base, as: format)
    }
    keep(Array(bytes[..<(rendered.frames * format.bytesPerFrame)]))
    return rendered
  }

  func renderSilence(_ frames: Int) {
    var bytes = [UInt8](repeating: 0xAA, count: frames * format.bytesPerFrame)
    bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      renderer.renderSilence(frames: frames, to: base, as: format)
    }
    keep(bytes)
  }

  private func keep(_ bytes: [UInt8]) {
    let samples = bytes.samples(format)
    for index in stride(from: 0, to: samples.count, by: 2) {
      sound.append(Frame(left: Float(samples[index]), right: Float(samples[index + 1])))
    }
  }

  func rewind(_ frames: Int) {
    renderer.rewind(link, by: frames)
    sound.removeLast(frames)
  }

  func release(heard: Int) { renderer.release(link, heard: Int64(heard)) }

  /// The marks reported as heard when `heard` is the next frame to be heard.
  func marks(heard: Int) -> [Mark] {
    _ = renderer.reportMarks(link, heard: Int64(heard))
    var marks: [Mark] = []
    while let report = link.reports.pop() {
      if case .heard(let mark) = report { marks.append(mark) }
    }
    return marks
  }

  /// The gain of each rendered frame, which are those of a generation from `position` on.
  func gains(_ frames: Range<Int>, of generation: UInt32 = 1, from position: Int) -> [Float] {
    frames.enumerated().map { index, place in
      let source = code(generation, position + index)
      return generation.isMultiple(of: 2)
        ? sound[place].right / source.right : sound[place].left / source.left
    }
  }
}

/// A frame that says whose and which it is: odd generations sound left, even ones right, and no two
/// neighbours are alike. 16-bit values from 0.25 to 0.75.
func code(_ generation: UInt32, _ position: Int) -> Frame {
  var hash = UInt64(generation) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(position)
  hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
  hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
  let value = Float(8192 + (hash ^ hash >> 31) % 16_384) / 32_768
  return generation.isMultiple(of: 2)
    ? Frame(left: 0, right: value) : Frame(left: value, right: 0)
}
