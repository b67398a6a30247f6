internal import Audio
internal import Library

/// The sound of tracks as the library measures it: as it is heard, mixed to stereo.
enum MeasuredSound {
  /// Decodes a part of a file; see `LoudnessSurvey.Sound`.
  static func read(_ part: SoundPart, _ take: (Span<Float>, Int) -> Bool) throws {
    let decoder = try AudioFile.open(part.path.bytes)
    let rate = Double(decoder.format.rate)
    if part.start > .zero { try decoder.seek(to: Int((part.start / .seconds(1) * rate).rounded())) }
    let end = part.end.map { Int(($0 / .seconds(1) * rate).rounded()) } ?? .max
    var decoded: [Float] = []
    var mixed: [Float] = []
    while decoder.position < end {
      let format = decoder.format
      let frames = min(format.rate, 1 << 16, end - decoder.position)
      if decoded.count != frames * format.channels {
        decoded = Array(repeating: 0, count: frames * format.channels)
        mixed = Array(repeating: 0, count: frames * 2)
      }
      var room = decoded.mutableSpan
      let count = try decoder.read(into: &room)
      if count == 0 { return }
      var stereo = mixed.mutableSpan
      Downmix(format.layout).mix(
        decoded.span.extracting(..<(count * format.channels)), into: &stereo)
      guard take(mixed.span.extracting(..<(count * 2)), format.rate) else { return }
    }
  }
}
