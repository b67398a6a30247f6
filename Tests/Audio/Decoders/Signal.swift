import Glibc

/// A seeded generator (SplitMix64), so that every run has the same numbers.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Original samples, interleaved integers.
struct Signal {
  let rate: Int
  let channels: Int
  let bits: Int
  var samples: [Int32]

  var frames: Int { samples.count / channels }
  /// The samples as a decoder gives them.
  var floats: [Float] { samples.map { Float($0) / Float(1 << (bits - 1)) } }

  /// Swept tones and bursts of noise: like music to an encoder, and like nothing but itself at any
  /// shift.
  static func music(
    rate: Int, frames: Int, channels: Int = 2, bits: Int = 16, seed: UInt64 = 1
  ) -> Signal {
    var random = Seeded(state: seed)
    var left = [Double](repeating: 0, count: frames)
    for (low, high, period, level) in [
      (110.0, 1760.0, 3.1, 0.15), (220, 523, 1.7, 0.12), (900, 5000, 2.3, 0.08), (60, 90, 5, 0.2),
    ] {
      var phase = 0.0
      for frame in 0..<frames {
        let turn = 0.5 - 0.5 * cos(2 * Double.pi * Double(frame) / (period * Double(rate)))
        phase += 2 * Double.pi * low * pow(high / low, turn) / Double(rate)
        left[frame] += level * sin(phase)
      }
    }
    var frame = 0
    while frame < frames {
      let level = Double.random(in: 0.02...0.15, using: &random)
      for index in 0..<min(3000, frames - frame) {
        let noise = Double.random(in: -1.7...1.7, using: &random)
        left[frame + index] += level * noise * exp(-Double(index) / 600)
      }
      frame += Int.random(in: 4000...15000, using: &random)
    }
    let full = Double(1 << (bits - 1))
    var samples: [Int32] = []
    samples.reserveCapacity(frames * channels)
    for frame in 0..<frames {
      for channel in 0..<channels {
        let value = left[max(0, frame - 5 * channel)] * (1 - 0.1 * Double(channel)) * 0.8
        samples.append(Int32(max(-full, min(full - 1, (value * full).rounded()))))
      }
    }
    return Signal(rate: rate, channels: channels, bits: bits, samples: samples)
  }

  func cut(_ range: Range<Int>) -> Signal {
    Signal(
      rate: rate, channels: channels, bits: bits,
      samples: Array(samples[range.lowerBound * channels..<range.upperBound * channels]))
  }

  /// A WAV file of integer samples; `dataSize` is what its header claims.
  func wav(dataSize: Int? = nil) -> [UInt8] {
    let width = bits / 8
    var data: [UInt8] = []
    data.reserveCapacity(samples.count * width)
    for sample in samples {
      // 8 bits are unsigned in WAV.
      let value = bits == 8 ? sample + 128 : sample
      for byte in 0..<width { data.append(UInt8(truncatingIfNeeded: value >> (8 * Int32(byte)))) }
    }
    let size = dataSize ?? data.count
    // More than two channels need WAVE_FORMAT_EXTENSIBLE, which says where they belong.
    let isExtensible = channels > 2
    let format =
      little(isExtensible ? 0xFFFE : 1, 2) + little(channels, 2) + little(rate, 4)
      + little(rate * channels * width, 4) + little(channels * width, 2) + little(bits, 2)
    let extended =
      little(22, 2) + little(bits, 2) + little((1 << channels) - 1, 4)
      + [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    let description = isExtensible ? format + extended : format
    return Array("RIFF".utf8) + little(20 + description.count + size, 4)
      + Array("WAVEfmt ".utf8) + little(description.count, 4) + description
      + Array("data".utf8) + little(size, 4) + data
  }
}

/// The little-endian bytes of a number.
func little(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// The big-endian bytes of a number.
func big(_ value: Int, _ count: Int) -> [UInt8] { little(value, count).reversed() }
