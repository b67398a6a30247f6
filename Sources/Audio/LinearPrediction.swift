/// Continues a signal from its last samples, as the best fitting sum of decaying oscillations.
///
/// The model is all-pole, fitted by Burg's method: always stable, so a continuation dies away and
/// never runs off, and near exact for tones.
struct LinearPrediction {
  /// Sample n is predicted as the sum of `coefficients[i]` × sample n-1-i.
  private var coefficients: [Double] = []

  /// Fits the model to `samples`, with at most `order` poles and never more than half the samples.
  init(_ samples: [Double], order: Int) {
    let count = samples.count
    var forward = samples
    var backward = samples
    for stage in 0..<min(order, count / 2) {
      var product = 0.0
      var energy = 0.0
      for n in stage + 1..<count {
        product += forward[n] * backward[n - 1]
        energy += forward[n] * forward[n] + backward[n - 1] * backward[n - 1]
      }
      guard energy > 0 else { break }
      let reflection = 2 * product / energy
      for n in (stage + 1..<count).reversed() {
        let ahead = forward[n]
        let behind = backward[n - 1]
        forward[n] = ahead - reflection * behind
        backward[n] = behind - reflection * ahead
      }
      let previous = coefficients
      for i in 0..<stage { coefficients[i] -= reflection * previous[stage - 1 - i] }
      coefficients.append(reflection)
    }
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
