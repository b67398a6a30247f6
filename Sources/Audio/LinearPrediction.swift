/// Continues a signal from its last samples, as the best fitting sum of decaying oscillations.
///
/// The model is all-pole, fitted by Burg's method: always stable, so a continuation dies away and
/// never runs off, and near exact for tones.
struct LinearPrediction {
  /// Sample n is predicted as the sum of `coefficients[i]` × sample n-1-i.
  private var coefficients: [Double] = []

  /// Fits the model to `samples`, with at most `order` poles and never more than half the samples.
  init(_ samples: [Double], order: Int) {
    // At each stage the errors of predicting forwards, from sample `stage + 1` on, stand against
    // those of predicting backwards, from sample 0 on.
    var forward = samples
    var backward = samples
    for stage in 0..<min(order, samples.count / 2) {
      let pairs = samples.count - stage - 1
      let reflection = unsafe forward.withUnsafeMutableBufferPointer { forward in
        unsafe backward.withUnsafeMutableBufferPointer { backward in
          let forward = forward.extracting((stage + 1)...)
          let backward = backward.extracting(..<pairs)
          let reflection = unsafe Self.reflection(forward, backward)
          for n in 0..<pairs {
            let (ahead, behind) = unsafe (forward[n], backward[n])
            unsafe forward[n] = ahead - reflection * behind
            unsafe backward[n] = behind - reflection * ahead
          }
          return reflection
        }
      }
      let previous = coefficients
      for i in 0..<stage { coefficients[i] -= reflection * previous[stage - 1 - i] }
      coefficients.append(reflection)
    }
  }

  /// The part of either error that the other one foretells, from -1 to 1; 0 for silence.
  private static func reflection(
    _ forward: UnsafeMutableBufferPointer<Double>, _ backward: UnsafeMutableBufferPointer<Double>
  ) -> Double {
    // Four sums at once: the additions of one would wait for each other.
    var product = SIMD4<Double>.zero
    var energy = SIMD4<Double>.zero
    let whole = forward.count & ~3
    for n in stride(from: 0, to: whole, by: 4) {
      let f = unsafe SIMD4(forward[n], forward[n + 1], forward[n + 2], forward[n + 3])
      let b = unsafe SIMD4(backward[n], backward[n + 1], backward[n + 2], backward[n + 3])
      product += f * b
      energy += f * f + b * b
    }
    for n in whole..<forward.count {
      let (f, b) = unsafe (forward[n], backward[n])
      product[0] += f * b
      energy[0] += f * f + b * b
    }
    return energy.sum() > 0 ? 2 * product.sum() / energy.sum() : 0
  }

  /// The `count` samples that follow `samples`.
  func continuation(of samples: [Double], count: Int) -> [Double] {
    let order = coefficients.count
    var signal = Array(samples.suffix(order))
    signal.reserveCapacity(order + count)
    for n in order..<order + count {
      var next = 0.0
      for i in 0..<order { next += coefficients[i] * signal[n - 1 - i] }
      signal.append(next)
    }
    return Array(signal.dropFirst(order))
  }
}
