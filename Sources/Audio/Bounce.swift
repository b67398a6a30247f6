/// Plays items into a WAV file as fast as they can be decoded, through the chain and the renderer that play live.
///
/// All on the calling thread, and always the same bytes for the same input.
public final class Bounce {
  public enum Event: Equatable, Sendable {
    case opened(id: UInt32, length: Duration?, StreamFormat)
    case failed(id: UInt32, DecoderError)
    case writing(rate: Int)
  }

  private let stage = Stage(frames: 1 << 16, isThreaded: false)
  private let chain: Chain
  private let format: WAVFile.Format
  private let path: [UInt8]
  private static let piece = 4096

  /// `rate` in Hz; nil takes the first item's for all. `volume` in decibels.
  public init(to path: [UInt8], format: WAVFile.Format, rate: Int?, volume: Double) {
    self.path = path
    self.format = format
    chain = Chain(stage, isCut: true)
    chain.output = rate.map { .fixed($0) } ?? .first
    _ = stage.link.commands.push(.gain(linear(decibels: volume)))
  }

  /// Renders `first` from a place on and then whatever `next` gives, until that is nil; returns the frames written.
  ///
  /// The file is made when the first frame is there. Throws if it can't be written.
  public func render(
    _ first: Item, from place: Duration, next: () -> Item?, report: (Event) -> Void
  ) throws(SoundFileError) -> Int {
    let sampleFormat = format.sampleFormat
    let bytes = sampleFormat.bytesPerFrame
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.piece * bytes, alignment: 16)
    defer { unsafe memory.deallocate() }
    guard let start = memory.baseAddress else { return 0 }

    var renderer = Renderer()
    var file: WAVFile?
    var frames = 0
    chain.play(first, from: place, generation: 1)
    while true {
      fill(next, report)
      if renderer.hasEntry(stage.link) {
        while let command = stage.link.commands.pop() {
          if case .gain(let gain) = command { renderer.setGain(gain) }
        }
        renderer.enter(stage.link, audible: false)
      }
      while true {
        let rendered = unsafe renderer.render(
          stage.link, frames: Self.piece, to: start, as: sampleFormat)
        if rendered.frames > 0 {
          if file == nil {
            let rate = Int(renderer.rate)
            report(.writing(rate: rate))
            file = try WAVFile(path: path, rate: rate, channels: 2, format: format)
          }
          try file?.write(
            bytes: unsafe RawSpan(
              _unsafeStart: UnsafeRawPointer(start), byteCount: rendered.frames * bytes))
          frames += rendered.frames
        }
        renderer.release(stage.link, heard: renderer.clock)
        if case .end = rendered.stop {
          if let file = file.take() { try file.close() }
          return frames
        }
        if case .none = rendered.stop { continue }
        break
      }
    }
  }

  /// Fills the ring, and tells the chain what comes next when it asks.
  private func fill(_ next: () -> Item?, _ report: (Event) -> Void) {
    while true {
      let step = chain.step()
      let events = chain.events
      chain.events = []
      for event in events {
        switch event {
        case .opened(let id, let length, let format):
          report(.opened(id: id, length: length, format))
        case .failed(let id, let error): report(.failed(id: id, error))
        case .wantsNext: chain.follow(with: next())
        case .overtaken: break
        }
      }
      if case .worked = step { continue }
      if events.isEmpty { return }
    }
  }
}

extension WAVFile.Format {
  var sampleFormat: SampleFormat {
    switch self {
    case .int16: .s16
    case .int24: .s24x3
    case .int32: .s32
    case .float32: .float
    }
  }
}
