internal import Glibc

/// How much louder or softer to play so that all music sounds equally loud (-18 LUFS).
public struct ReplayGain: Equatable, Sendable {
  /// A change of level, and the highest sample before it.
  public struct Adjustment: Equatable, Sendable {
    /// Decibels.
    public var gain: Double
    /// Full scale is 1; nil if unknown.
    public var peak: Double?

    public init(gain: Double, peak: Double? = nil) {
      self.gain = gain
      self.peak = peak
    }

    /// What brings a loudness in LUFS to ReplayGain's.
    public init(loudness: Double, peak: Double?) {
      self.init(gain: -18 - loudness, peak: peak)
    }

    /// The gain in decibels, less where it must be so that the peak stays within full scale.
    public var limited: Double {
      guard let peak, peak > 0 else { return gain }
      return min(gain, -20 * log10(peak))
    }
  }

  /// Makes each track equally loud.
  public var track: Adjustment?
  /// Makes each album equally loud, and leaves its tracks as they stand to each other.
  public var album: Adjustment?

  public init(track: Adjustment? = nil, album: Adjustment? = nil) {
    self.track = track
    self.album = album
  }
}

extension ReplayGain.Adjustment {
  /// From the texts of tags, as "-6.48 dB" and "0.988"; nil if there is no gain among them.
  ///
  /// `opus` is R128_*_GAIN, in 1/256 dB to -23 LUFS (RFC 7845, 5.2.1), 5 dB below ReplayGain's.
  init?(opus: String? = nil, gain: String?, peak: String? = nil) {
    if let opus = opus.flatMap({ Int($0) }), (-32768...32767).contains(opus) {
      self.gain = Double(opus) / 256 + 5
    } else if let gain = gain.flatMap(leadingNumber), abs(gain) <= 60 {
      self.gain = gain
    } else {
      return nil
    }
    self.peak = peak.flatMap(leadingNumber).flatMap { (0...100).contains($0) ? $0 : nil }
  }
}

/// The decimal number that a text starts with; a comma is taken for a point.
private func leadingNumber(_ text: String) -> Double? {
  let digits = text.drop { $0 == " " || $0 == "+" }.prefix { "+-0123456789.,eE".contains($0) }
  return Double(String(digits.map { $0 == "," ? "." : $0 }))
}
