/// A moment on the kernel's monotonic clock, in nanoseconds.
public struct Instant: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  public static func + (left: Instant, right: Interval) -> Instant {
    Instant(nanoseconds: left.nanoseconds &+ right.nanoseconds)
  }

  public static func - (left: Instant, right: Interval) -> Instant {
    Instant(nanoseconds: left.nanoseconds &- right.nanoseconds)
  }

  /// Negative when the left one is the earlier one.
  public static func - (left: Instant, right: Instant) -> Interval {
    Interval(nanoseconds: left.nanoseconds &- right.nanoseconds)
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
    Interval(nanoseconds: count &* 1_000)
  }

  public static func milliseconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: count &* 1_000_000)
  }

  public static func seconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: count &* 1_000_000_000)
  }

  public static func minutes(_ count: Int64) -> Interval { .seconds(count &* 60) }

  public var milliseconds: Int64 { nanoseconds / 1_000_000 }

  public static func < (left: Interval, right: Interval) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  public static func + (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: left.nanoseconds &+ right.nanoseconds)
  }

  public static func - (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: left.nanoseconds &- right.nanoseconds)
  }

  public static func * (left: Interval, right: Int64) -> Interval {
    Interval(nanoseconds: left.nanoseconds &* right)
  }
}

/// The earlier of two moments, where either may be absent.
func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
  guard let left else { return right }
  guard let right else { return left }
  return min(left, right)
}
