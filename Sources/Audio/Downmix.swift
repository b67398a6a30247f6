/// Brings frames of any loudspeaker layout to stereo.
///
/// Gains before the scaling, by ITU-R BS.775 (table 2) where it has the channel:
///
///     position                      left     right
///     left                          1        0
///     right                         0        1
///     centre                        0.7071   0.7071
///     surroundLeft, sideLeft        0.7071   0
///     surroundRight, sideRight      0        0.7071
///     surroundCentre                0.5      0.5       (a surround, split by power; ATSC A/52)
///     lowFrequency, other           0        0
///
/// They are then scaled so that the larger of the two sums is 1: full scale in all channels can't
/// clip, and mono comes out at unity on both sides. A layout with none of the six kinds above is
/// taken as left, right, left, right ..., a single channel as mono.
public struct Downmix: Sendable {
  /// Channels of an input frame.
  public var channels: Int { gains.count }
  /// Whether the output equals the input, so that the call can be left out.
  public let isIdentity: Bool

  /// For each channel its gain to the left and to the right.
  let gains: [SIMD2<Float>]

  /// The layout must have at least one channel.
  public init(_ layout: ChannelLayout) {
    precondition(!layout.positions.isEmpty, "A layout without channels has no stereo form.")
    var gains = layout.positions.map(Self.gain)
    if gains.allSatisfy({ $0 == .zero }) {
      gains = gains.indices.map { $0.isMultiple(of: 2) ? SIMD2(1, 0) : SIMD2(0, 1) }
      if gains.count == 1 { gains = [SIMD2(1, 1)] }
    }
    let sum = gains.reduce(.zero, +).max()
    self.gains = gains.map { SIMD2<Float>($0 / sum) }
    isIdentity = self.gains == [SIMD2(1, 0), SIMD2(0, 1)]
  }

  /// Mixes whole frames (interleaved, `channels` samples each) into as many interleaved stereo frames.
  ///
  /// Allocates nothing. `output` must hold two samples for each frame of the input.
  public func mix(_ input: Span<Float>, into output: inout MutableSpan<Float>) {
    let (frames, rest) = input.count.quotientAndRemainder(dividingBy: channels)
    precondition(rest == 0, "The input must be whole frames.")
    precondition(output.count >= 2 * frames, "The output must hold every frame of the input.")
    let gains = gains.span
    let channels = gains.count
    if channels == 1 {
      for frame in 0..<frames {
        // Bounds: frame < input.count and 2 * frame + 1 < output.count by the checks above.
        let sample = unsafe input[unchecked: frame] * gains[unchecked: 0]
        unsafe output[unchecked: 2 * frame] = sample.x
        unsafe output[unchecked: 2 * frame + 1] = sample.y
      }
      return
    }
    for frame in 0..<frames {
      var sum = SIMD2<Float>.zero
      for channel in 0..<channels {
        let sample = unsafe input[unchecked: frame * channels + channel]
        unsafe sum += sample * gains[unchecked: channel]
      }
      unsafe output[unchecked: 2 * frame] = sum.x
      unsafe output[unchecked: 2 * frame + 1] = sum.y
    }
  }

  private static func gain(_ position: ChannelLayout.Position) -> SIMD2<Double> {
    let minus3dB = 0.5.squareRoot()
    return switch position {
    case .left: SIMD2(1, 0)
    case .right: SIMD2(0, 1)
    case .centre: SIMD2(minus3dB, minus3dB)
    case .surroundLeft, .sideLeft: SIMD2(minus3dB, 0)
    case .surroundRight, .sideRight: SIMD2(0, minus3dB)
    case .surroundCentre: SIMD2(0.5, 0.5)
    case .lowFrequency, .other: .zero
    }
  }
}
