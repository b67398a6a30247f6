internal import Glibc

/// What to play: a sound file or a part of one.
public struct Source: Equatable, Sendable {
  /// The file's name as the kernel has it: bytes, UTF-8 or not, without a NUL.
  public var path: [UInt8]
  /// From the file's first frame.
  public var start: Duration
  /// From the file's first frame; nil is the file's end.
  public var end: Duration?
  /// A gain of its own, such as ReplayGain's, in decibels; 0 leaves the samples as they are.
  public var gain: Double

  public init(path: [UInt8], start: Duration = .zero, end: Duration? = nil, gain: Double = 0) {
    self.path = path
    self.start = start
    self.end = end
    self.gain = gain
  }

  public init(path: String) { self.init(path: Array(path.utf8)) }
}

extension Duration {
  /// Frames at a rate (Hz), to the nearest.
  func frames(at rate: Int) -> Int {
    let (seconds, attoseconds) = components
    let half: Int64 = 500_000_000_000_000_000
    let part = attoseconds.multipliedFullWidth(by: Int64(rate))
    let (whole, rest) = (half * 2).dividingFullWidth(part)
    return Int(seconds) * rate + Int(whole) + (rest >= half ? 1 : 0)
  }

  /// The time that frames last at a rate (Hz).
  init(frames: Int, at rate: Int) {
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: rate)
    let attoseconds = Int64(rest).multipliedFullWidth(by: 1_000_000_000_000_000_000)
    self.init(
      secondsComponent: Int64(seconds),
      attosecondsComponent: Int64(rate).dividingFullWidth(attoseconds).quotient)
  }
}

/// A decibel value as a linear factor.
func linear(decibels: Double) -> Float {
  decibels == 0 ? 1 : Float(pow(10, decibels / 20))
}

/// A source with the name that events and reports call it by.
public struct Item: Equatable, Sendable {
  public var id: UInt32
  public var source: Source

  public init(id: UInt32, source: Source) {
    self.id = id
    self.source = source
  }
}
