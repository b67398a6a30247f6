internal import Glibc

/// How loud a piece of stereo sound is to the ear (EBU R 128, ITU-R BS.1770-4).
public struct Loudness: Equatable, Sendable {
  /// LUFS; nil where nothing is louder than -70 LUFS, or nothing lasts for 0.4 s.
  public var integrated: Double?
  /// The true peak, between the samples too; full scale is 1.
  public var peak: Double
  /// What it takes to tell how loud several pieces are together.
  var blocks: GatingBlocks

  /// Several pieces as one, such as an album's tracks; to 0.05 LU.
  public init(together pieces: [Loudness]) {
    blocks = pieces.reduce(into: GatingBlocks()) { $0.add($1.blocks) }
    integrated = blocks.integrated
    peak = pieces.map(\.peak).max() ?? 0
  }

  init(integrated: Double?, peak: Double, blocks: GatingBlocks) {
    self.integrated = integrated
    self.peak = peak
    self.blocks = blocks
  }

  /// What brings it to ReplayGain's -18 LUFS; nil for silence.
  public var adjustment: ReplayGain.Adjustment? {
    integrated.map { ReplayGain.Adjustment(loudness: $0, peak: peak) }
  }
}

/// How many blocks of 0.4 s, one each 0.1 s, are how loud; in steps of 0.1 LU from -70 LUFS on.
///
/// A track's few hundred bytes stay in the library, so that an album's gain needs no track twice.
struct GatingBlocks: Equatable, Sendable {
  private static let lowest = -70.0
  private static let steps = 1000

  /// By the step.
  private var counts: [Int: Int] = [:]

  /// Counts a block of so many LUFS; those below the absolute gate don't count (BS.1770-4, annex 1).
  mutating func add(_ loudness: Double) {
    guard loudness >= Self.lowest else { return }
    counts[min(Int((loudness - Self.lowest) * 10), Self.steps - 1), default: 0] += 1
  }

  mutating func add(_ other: GatingBlocks) {
    counts.merge(other.counts, uniquingKeysWith: +)
  }

  /// In LUFS, gated: blocks 10 LU below the mean of all are left out; nil if there are none.
  var integrated: Double? {
    guard !counts.isEmpty else { return nil }
    let gate = mean { _ in true } - 10
    return mean { Self.loudness($0) >= gate }
  }

  /// Of energies; in LUFS.
  private func mean(of isCounted: (Int) -> Bool) -> Double {
    var (energy, number) = (0.0, 0)
    for (step, count) in counts where isCounted(step) {
      energy += pow(10, Self.loudness(step) / 10) * Double(count)
      number += count
    }
    return 10 * log10(energy / Double(number))
  }

  /// The middle of a step.
  private static func loudness(_ step: Int) -> Double { lowest + (Double(step) + 0.5) / 10 }
}

extension GatingBlocks {
  /// Each step that has blocks: its distance from the one before, then the count; 7 bits a byte.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    var last = 0
    for (step, count) in counts.sorted(by: { $0.key < $1.key }) {
      for number in [step - last, count] {
        var rest = number
        while rest >= 0x80 {
          bytes.append(UInt8(rest & 0x7F | 0x80))
          rest >>= 7
        }
        bytes.append(UInt8(rest))
      }
      last = step
    }
    return bytes
  }

  /// Nothing where the bytes are of something else.
  init(bytes: [UInt8]) {
    var numbers: [Int] = []
    var (number, shift) = (0, 0)
    for byte in bytes {
      guard shift < 56 else { return }
      number |= Int(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 {
        numbers.append(number)
        (number, shift) = (0, 0)
      }
    }
    var step = 0
    for index in stride(from: 0, to: numbers.count - 1, by: 2) {
      guard numbers[index] < Self.steps - step, numbers[index + 1] > 0 else { return }
      step += numbers[index]
      counts[step] = numbers[index + 1]
    }
  }
}
