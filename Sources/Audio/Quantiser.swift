// On the realtime path, like Realtime.swift, and as pure.

/// How a card wants its samples; all little-endian, interleaved, two channels.
enum SampleFormat: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  /// 32-bit integers.
  case s32
  /// 24-bit integers in the lower three of four bytes.
  case s24
  /// 24-bit integers in three bytes.
  case s24x3
  /// 32-bit floats.
  case float
  /// 16-bit integers.
  case s16

  var bytesPerFrame: Int {
    @_noLocks get {
      switch self {
      case .s16: 4
      case .s24x3: 6
      case .s24, .s32, .float: 8
      }
    }
  }

  /// Bits of an integer that a sample holds exactly.
  var bits: UInt8 {
    @_noLocks get {
      switch self {
      case .s16: 16
      case .s24, .s24x3, .float: 24
      case .s32: 32
      }
    }
  }
}

/// Rounds samples to a card's format, with dither where bits are lost.
///
/// The dither is the difference of two neighbouring uniform numbers: triangular, ±1 step, and weaker at
/// low frequencies than white noise of the same size.
struct Quantiser: BitwiseCopyable, Sendable {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var left: Double = 0
  private var right: Double = 0

  /// Writes `count` frames times `gain` to `output`; without dither if `exact`.
  @_noLocks mutating func pack(
    _ frames: UnsafePointer<Frame>, count: Int, gain: Float, exact: Bool,
    to output: UnsafeMutableRawPointer, as format: SampleFormat
  ) {
    let samples = unsafe UnsafeRawPointer(frames).assumingMemoryBound(to: Float.self)
    switch format {
    case .float:
      let out = unsafe output.assumingMemoryBound(to: Float.self)
      var index = 0
      while index < 2 * count {
        unsafe out[index] = samples[index] * gain
        index += 1
      }
    case .s32:
      let out = unsafe output.assumingMemoryBound(to: Int32.self)
      let scale = Double(gain) * 0x1p31
      var index = 0
      while index < 2 * count {
        unsafe out[index] = rounded(Double(samples[index]) * scale, limit: 0x1p31)
        index += 1
      }
    case .s24:
      let out = unsafe output.assumingMemoryBound(to: Int32.self)
      let scale = Double(gain) * 0x1p23
      var index = 0
      while index < count {
        let noise = exact ? (0, 0) : dither()
        unsafe out[2 * index] = rounded(Double(samples[2 * index]) * scale + noise.0, limit: 0x1p23)
        unsafe out[2 * index + 1] = rounded(
          Double(samples[2 * index + 1]) * scale + noise.1, limit: 0x1p23)
        index += 1
      }
    case .s24x3:
      let out = unsafe output.assumingMemoryBound(to: UInt8.self)
      let scale = Double(gain) * 0x1p23
      var index = 0
      while index < count {
        let noise = exact ? (0, 0) : dither()
        let left = unsafe rounded(Double(samples[2 * index]) * scale + noise.0, limit: 0x1p23)
        let right = unsafe rounded(Double(samples[2 * index + 1]) * scale + noise.1, limit: 0x1p23)
        unsafe out[6 * index] = UInt8(truncatingIfNeeded: left)
        unsafe out[6 * index + 1] = UInt8(truncatingIfNeeded: left >> 8)
        unsafe out[6 * index + 2] = UInt8(truncatingIfNeeded: left >> 16)
        unsafe out[6 * index + 3] = UInt8(truncatingIfNeeded: right)
        unsafe out[6 * index + 4] = UInt8(truncatingIfNeeded: right >> 8)
        unsafe out[6 * index + 5] = UInt8(truncatingIfNeeded: right >> 16)
        index += 1
      }
    case .s16:
      let out = unsafe output.assumingMemoryBound(to: Int16.self)
      let scale = Double(gain) * 0x1p15
      if exact {
        var index = 0
        while index < 2 * count {
          unsafe out[index] = Int16(
            truncatingIfNeeded: rounded(Double(samples[index]) * scale, limit: 0x1p15))
          index += 1
        }
        return
      }
      var index = 0
      while index < count {
        let noise = dither()
        unsafe out[2 * index] = Int16(
          truncatingIfNeeded: rounded(Double(samples[2 * index]) * scale + noise.0, limit: 0x1p15))
        unsafe out[2 * index + 1] = Int16(
          truncatingIfNeeded: rounded(
            Double(samples[2 * index + 1]) * scale + noise.1, limit: 0x1p15))
        index += 1
      }
    }
  }

  /// Noise for the two samples of a frame, within ±1.
  @_noLocks private mutating func dither() -> (Double, Double) {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let first = Double(Int32(truncatingIfNeeded: state >> 32)) * 0x1p-32
    let second = Double(Int32(truncatingIfNeeded: state >> 16)) * 0x1p-32
    defer { (left, right) = (first, second) }
    return (first - left, second - right)
  }

  /// The nearest integer, held within -limit ..< limit; 0 for what is no number.
  ///
  /// Adding 1.5 × 2^52 leaves the integer in the low bits.
  @_noLocks private func rounded(_ value: Double, limit: Double) -> Int32 {
    let held = value == value ? max(-limit, min(value, limit - 1)) : 0
    return Int32(truncatingIfNeeded: (held + 0x1.8p52).bitPattern)
  }
}
