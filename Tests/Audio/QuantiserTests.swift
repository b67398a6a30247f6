import Testing

@testable import Audio

struct QuantiserTests {
  // MARK: - Exact

  @Test(arguments: SampleFormat.allCases)
  func `all 16-bit samples come through`(format: SampleFormat) {
    let values = (-32_768...32_767).map { Int($0) }
    let samples = values.map { Float($0) / 32_768 }
    let packed = pack(samples, exact: true, as: format)
    let step = format == .float ? 1 : 1 << (Int(format.bits) - 16)
    if format == .float {
      #expect(packed == samples.map { Double($0) })
    } else {
      #expect(packed == values.map { Double($0 * step) })
    }
  }

  @Test(arguments: [SampleFormat.s24, .s24x3, .s32, .float])
  func `24-bit samples come through`(format: SampleFormat) {
    var values = [-8_388_608, -8_388_607, -1, 0, 1, 8_388_606, 8_388_607]
    values += stride(from: -8_388_608, to: 8_388_608, by: 127)
    if !values.count.isMultiple(of: 2) { values.append(0) }
    let packed = pack(values.map { Float($0) / 8_388_608 }, exact: true, as: format)
    switch format {
    case .s32: #expect(packed == values.map { Double($0 << 8) })
    case .float: #expect(packed == values.map { Double($0) / 8_388_608 })
    case .s16, .s24, .s24x3: #expect(packed == values.map { Double($0) })
    }
  }

  @Test func `a sample goes to the nearest step`() {
    let samples: [Float] = [0.4, 0.6, -0.4, -0.6, 100.49, 100.51, -100.49, -100.51]
    let packed = pack(samples.map { $0 / 32_768 }, exact: true, as: .s16)
    #expect(packed == [0, 1, 0, -1, 100, 101, -100, -101])
  }

  // MARK: - Clipping

  @Test(arguments: [SampleFormat.s16, .s24, .s24x3, .s32], [true, false])
  func `what is beyond full scale is held there`(format: SampleFormat, exact: Bool) {
    let top = Double(Int64(1) << Int64(format.bits - 1))
    let samples: [Float] = [
      1.01, -1.01, 2, -2, 32_768, -32_768, 1e30, -1e30, .infinity, -.infinity,
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    ]
    let packed = pack(samples, exact: exact, as: format)
    for index in stride(from: 0, to: samples.count, by: 2) {
      #expect(packed[index] == top - 1, "\(samples[index])")
      #expect(packed[index + 1] == -top, "\(samples[index + 1])")
    }
  }

  @Test(arguments: [SampleFormat.s16, .s24, .s24x3, .s32])
  func `full scale never wraps`(format: SampleFormat) {
    let top = Double(Int64(1) << Int64(format.bits - 1))
    let packed = pack([Float](repeating: 1, count: 2000), exact: false, as: format)
    #expect(packed.allSatisfy { $0 >= top - 2 && $0 <= top - 1 })
    let low = pack([Float](repeating: -1, count: 2000), exact: false, as: format)
    #expect(low.allSatisfy { $0 <= -top + 2 && $0 >= -top })
  }

  @Test(arguments: [SampleFormat.s16, .s24, .s24x3, .s32])
  func `what is no number is silence`(format: SampleFormat) {
    #expect(pack([.nan, -.nan], exact: true, as: format) == [0, 0])
  }

  // MARK: - Dither

  /// Two uniform numbers one step wide: a triangle of ±1 step, variance 2/12. Rounding adds 1/12, and
  /// with triangular dither mean and variance of the whole error do not depend on the signal.
  @Test(arguments: [0.0, 0.25, 0.5, 0.9, -1234.37])
  func `the error of dither has no mean and a constant variance`(level: Double) {
    let count = 400_000
    let value = Float(level / 32_768)
    let packed = pack([Float](repeating: value, count: count), exact: false, as: .s16)
    let errors = packed.map { $0 - Double(value) * 32_768 }
    #expect(errors.allSatisfy { abs($0) <= 1.5 })
    let mean = errors.reduce(0, +) / Double(count)
    let variance = errors.reduce(0) { $0 + $1 * $1 } / Double(count) - mean * mean
    #expect(abs(mean) < 0.004)
    #expect(abs(variance - 0.25) < 0.004)
  }

  @Test func `without a signal dither is a triangle`() {
    // The chance of a whole step up or down is that of the triangle beyond half a step: 1/8 each.
    let count = 400_000
    let packed = pack([Float](repeating: 0, count: count), exact: false, as: .s16)
    #expect(Set(packed) == [-1, 0, 1])
    for side in [-1.0, 1.0] {
      let share = Double(packed.count { $0 == side }) / Double(count)
      #expect(abs(share - 0.125) < 0.003)
    }
  }

  @Test func `the error of dither has nothing of the signal in it`() {
    let count = 200_000
    var samples: [Float] = []
    var state: UInt64 = 42
    for frame in 0..<count / 2 {
      // A quiet triangle wave of 3.3 steps, and noise from another generator.
      let phase = Double(frame % 97) / 97
      state = state &* 2_862_933_555_777_941_757 &+ 3_037_000_493
      let noise = Double(state >> 40) / Double(1 << 24) - 0.5
      samples.append(Float((abs(phase - 0.5) * 4 - 1) * 3.3 / 32_768))
      samples.append(Float(noise * 6 / 32_768))
    }
    let packed = pack(samples, exact: false, as: .s16)
    for side in 0..<2 {
      var (product, signal, error) = (0.0, 0.0, 0.0)
      for index in stride(from: side, to: count, by: 2) {
        let x = Double(samples[index]) * 32_768
        let e = packed[index] - x
        product += x * e
        signal += x * x
        error += e * e
      }
      #expect(abs(product / (signal * error).squareRoot()) < 0.012)
    }
  }

  @Test func `the sides have dither of their own`() {
    let packed = pack([Float](repeating: 0, count: 200_000), exact: false, as: .s16)
    var (product, left, right) = (0.0, 0.0, 0.0)
    for index in stride(from: 0, to: packed.count, by: 2) {
      product += packed[index] * packed[index + 1]
      left += packed[index] * packed[index]
      right += packed[index + 1] * packed[index + 1]
    }
    #expect(abs(product / (left * right).squareRoot()) < 0.015)
  }

  @Test(arguments: SampleFormat.allCases)
  func `what is exact gets no dither`(format: SampleFormat) {
    let samples = (0..<1000).map { Float($0 * 13 - 6500) / 32_768 }
    #expect(
      pack(samples, exact: true, as: format) == pack(samples, exact: true, as: format, seed: 99))
  }

  // MARK: -

  /// The samples as numbers in the format's own steps; `seed` calls of dither come before.
  private func pack(
    _ samples: [Float], exact: Bool, as format: SampleFormat, seed: Int = 0
  ) -> [Double] {
    var quantiser = Quantiser()
    let frames = stride(from: 0, to: samples.count, by: 2).map {
      Frame(left: samples[$0], right: samples[$0 + 1])
    }
    var bytes = [UInt8](repeating: 0xAA, count: frames.count * format.bytesPerFrame)
    for _ in 0..<seed {
      bytes.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        quantiser.pack(frames, count: 1, gain: 1, exact: false, to: base, as: format)
      }
    }
    bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      quantiser.pack(frames, count: frames.count, gain: 1, exact: exact, to: base, as: format)
    }
    return bytes.samples(format)
  }
}

extension [UInt8] {
  /// Packed samples as numbers: integers in their own steps, floats as they are.
  func samples(_ format: SampleFormat) -> [Double] {
    withUnsafeBytes { bytes in
      switch format {
      case .s16:
        (0..<count / 2).map { Double(bytes.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self)) }
      case .s24, .s32:
        (0..<count / 4).map { Double(bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self)) }
      case .float:
        (0..<count / 4).map { Double(bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self)) }
      case .s24x3:
        (0..<count / 3).map {
          let low = Int32(bytes[$0 * 3]) | Int32(bytes[$0 * 3 + 1]) << 8
          return Double(low | Int32(Int8(bitPattern: bytes[$0 * 3 + 2])) << 16)
        }
      }
    }
  }
}
