/// A level relative to full scale, in hundredths of a decibel, so that sums are exact.
public struct Decibels: Hashable, Comparable, Sendable {
  public var hundredths: Int

  public init(hundredths: Int) {
    self.hundredths = max(hundredths, -12_000)
  }

  public static let unity = Decibels(hundredths: 0)
  /// -120 dB: nothing can be heard; a sum never falls below it.
  public static let silence = Decibels(hundredths: -12_000)

  public static func decibels(_ whole: Int) -> Decibels { Decibels(hundredths: whole * 100) }

  public static func < (left: Decibels, right: Decibels) -> Bool {
    left.hundredths < right.hundredths
  }

  public static func + (left: Decibels, right: Decibels) -> Decibels {
    Decibels(hundredths: left.hundredths + right.hundredths)
  }
}
