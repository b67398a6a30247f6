/// A moment on the kernel's monotonic clock, in nanoseconds.
///
/// Sums and differences end at the first and the last moment there is, as do those of `Interval`: a
/// damaged record or an absurd setting then gives a time too far away, and never a crash or a time
/// before the one it was added to.
public struct Instant: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  public static func + (left: Instant, right: Interval) -> Instant {
    Instant(nanoseconds: sum(left.nanoseconds, right.nanoseconds))
  }

  public static func - (left: Instant, right: Interval) -> Instant {
    Instant(nanoseconds: difference(left.nanoseconds, right.nanoseconds))
  }

  /// Negative when the left one is the earlier one.
  public static func - (left: Instant, right: Instant) -> Interval {
    Interval(nanoseconds: difference(left.nanoseconds, right.nanoseconds))
  }
}

/// A length of time, in nanoseconds; 64 bits wide on 32-bit boards too.
public struct Interval: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  public static let zero = Interval(nanoseconds: 0)

  public static func microseconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: product(count, 1_000))
  }

  public static func milliseconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: product(count, 1_000_000))
  }

  public static func seconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: product(count, 1_000_000_000))
  }

  public static func minutes(_ count: Int64) -> Interval { .seconds(product(count, 60)) }

  public var milliseconds: Int64 { nanoseconds / 1_000_000 }

  public static func < (left: Interval, right: Interval) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  public static func + (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: sum(left.nanoseconds, right.nanoseconds))
  }

  public static func - (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: difference(left.nanoseconds, right.nanoseconds))
  }

  public static func * (left: Interval, right: Int64) -> Interval {
    Interval(nanoseconds: product(left.nanoseconds, right))
  }
}

private func sum(_ left: Int64, _ right: Int64) -> Int64 {
  let (sum, overflows) = left.addingReportingOverflow(right)
  return overflows ? (left < 0 ? .min : .max) : sum
}

private func difference(_ left: Int64, _ right: Int64) -> Int64 {
  let (difference, overflows) = left.subtractingReportingOverflow(right)
  return overflows ? (left < 0 ? .min : .max) : difference
}

private func product(_ left: Int64, _ right: Int64) -> Int64 {
  let (product, overflows) = left.multipliedReportingOverflow(by: right)
  return overflows ? ((left < 0) != (right < 0) ? .min : .max) : product
}

/// The earlier of two moments, where either may be absent.
func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
  guard let left else { return right }
  guard let right else { return left }
  return min(left, right)
}
