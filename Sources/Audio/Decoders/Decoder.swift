/// An open audio file that yields interleaved 32-bit float samples, full scale at ±1.
///
/// Owned and called by one thread. A 16- or 24-bit source's samples are exact: integer × 2^-(bits-1).
public protocol Decoder: AnyObject {
  /// The format of the frame that the next `read` returns; it may change in mid file.
  var format: StreamFormat { get }
  /// Frames from the first to the last, encoder delay and padding taken off; nil if not known (yet).
  ///
  /// Exact where the file tells it, as WAV, AIFF, FLAC, Vorbis, Opus, MP4 and tagged MP3 do. Else
  /// it is an estimate until the end has been reached: only a `read` that returns 0 is the end.
  var length: Int? { get }
  /// The frame that the next `read` returns first, from 0.
  var position: Int { get }

  /// Decodes into `samples` (interleaved, `format.channels` a frame) and returns the frames written.
  ///
  /// Returns fewer frames than fit where the format is about to change, and 0 only at the end.
  /// `samples` must hold at least one frame. Throws if the file can no longer be read; damage that
  /// can be passed over is passed over.
  func read(into samples: inout MutableSpan<Float>) throws(DecoderError) -> Int

  /// Goes to a frame, so that the next `read` returns exactly it; past the end means the end.
  func seek(to frame: Int) throws(DecoderError)
}

/// Sampling rate, speaker positions and sample size of a stream.
public struct StreamFormat: Equatable, Sendable {
  /// Frames a second (Hz).
  public var rate: Int
  /// Where each channel of a frame belongs, in the order they stand in.
  public var layout: ChannelLayout
  /// Significant bits of an integer source (8, 16, 24, 32); 0 where the source is float or lossy.
  public var bits: Int

  public var channels: Int { layout.positions.count }

  public init(rate: Int, layout: ChannelLayout, bits: Int) {
    self.rate = rate
    self.layout = layout
    self.bits = bits
  }
}

/// The loudspeaker positions of a frame's channels.
public struct ChannelLayout: Equatable, Sendable {
  public enum Position: UInt8, Sendable {
    case left, right, centre, lowFrequency, surroundLeft, surroundRight, surroundCentre
    case sideLeft, sideRight, other
  }
  public var positions: [Position]

  public init(_ positions: [Position]) { self.positions = positions }

  public static let mono = ChannelLayout([.centre])
  public static let stereo = ChannelLayout([.left, .right])

  /// The usual order of WAV and FLAC (SMPTE) for a count of 1 to 8 channels; `other` beyond.
  public static func standard(channels: Int) -> ChannelLayout {
    switch channels {
    case 1: mono
    case 2: stereo
    case 3: ChannelLayout([.left, .right, .centre])
    case 4: ChannelLayout([.left, .right, .surroundLeft, .surroundRight])
    case 5: ChannelLayout([.left, .right, .centre, .surroundLeft, .surroundRight])
    case 6:
      ChannelLayout([.left, .right, .centre, .lowFrequency, .surroundLeft, .surroundRight])
    case 7:
      ChannelLayout([
        .left, .right, .centre, .lowFrequency, .surroundCentre, .sideLeft, .sideRight,
      ])
    case 8:
      ChannelLayout([
        .left, .right, .centre, .lowFrequency, .surroundLeft, .surroundRight, .sideLeft, .sideRight,
      ])
    default:
      ChannelLayout([.left, .right] + Array(repeating: .other, count: max(0, channels - 2)))
    }
  }
}

/// Why a file can't be opened or read on.
public struct DecoderError: Error, Equatable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// The file can't be opened or read: `errno`.
    case unreadable(Int32)
    /// No decoder knows the content.
    case notAudio
    /// Known, but broken beyond playing.
    case damaged
    /// A library that would read it is not installed; the value is the Debian package.
    case missing(package: String)
  }
  public var kind: Kind
  /// One line for the user, without the file's name.
  public var description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
