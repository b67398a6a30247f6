import Audio
import Glibc
import Testing

struct ResamplerTests {
  // MARK: - Counting

  @Test func `a source frame lands on the nearest output frame, exact after days`() throws {
    let up = try Resampler(from: 44_100, to: 48_000)
    #expect(up.outputFrame(of: 0) == 0)
    #expect(up.outputFrame(of: 1) == 1)
    #expect(up.outputFrame(of: 147) == 160)
    let day = 86_400
    #expect(up.outputFrame(of: 44_100 * day) == 48_000 * day)
    // 7 × 160 / 147 = 7.619
    #expect(up.outputFrame(of: 44_100 * day + 7) == 48_000 * day + 8)
    let half = try Resampler(from: 96_000, to: 48_000)
    #expect((0...4).map { half.outputFrame(of: $0) } == [0, 1, 1, 2, 2])
  }

  @Test(arguments: [
    (44_100, 48_000), (48_000, 44_100), (96_000, 44_100), (8_000, 48_000), (44_100, 192_000),
    (384_000, 8_000), (8_000, 384_000), (44_100, 44_101), (37_800, 48_000), (384_000, 383_999),
  ])
  func `the output is as long as the source`(from: Int, to: Int) throws {
    for frames in [0, 1, 2, 63, 1152, 2047, 2048, 2049, 10_007] {
      var resampler = try Resampler(from: from, to: to)
      let output = resampler.run(tone(1_000, from, frames), block: 997, room: 1009)
      let expected = (Double(frames) * Double(to) / Double(from)).rounded(.toNearestOrAwayFromZero)
      #expect(output.count / 2 == Int(expected), "\(frames) frames")
      #expect(output.allSatisfy { abs($0) < 1.5 })
    }
  }

  @Test func `the size of the blocks makes no difference`() throws {
    let source = music(rate: 44_100, 0..<5_003)
    var whole = try Resampler(from: 44_100, to: 48_000)
    var pieces = try Resampler(from: 44_100, to: 48_000)
    #expect(pieces.run(source, block: 1, room: 1) == whole.run(source, block: 9_999, room: 9_999))
  }

  @Test func `rates out of range are refused by name`() {
    let refusal = #expect(throws: ResamplerError.self) {
      _ = try Resampler(from: 44_100, to: 3_000)
    }
    #expect(refusal?.description == "can't resample from 44100 Hz to 3000 Hz")
    #expect(throws: ResamplerError.self) { _ = try Resampler(from: 0, to: 48_000) }
  }

  @Test(arguments: [(44_100, 48_000), (44_100, 44_101)])
  func `no drift after a minute, nor at a rate without a simple ratio`(from: Int, to: Int) throws {
    var resampler = try Resampler(from: from, to: to)
    let output = resampler.run(tone(997, from, 60 * from))
    let tail = output.count / 2 - 3000..<output.count / 2 - 1000
    #expect(decibels(error(of: output, in: tail) { sine(997, $0, rate: to) }) < -105)
  }

  // MARK: - Quality

  /// Float samples end at about -150 dB; soxr's 24-bit recipe at -144.
  @Test(arguments: [(44_100, 48_000), (96_000, 44_100)], [1_000.0, 15_000])
  func `a sine stays pure`(rates: (from: Int, to: Int), frequency: Double) throws {
    var resampler = try Resampler(from: rates.from, to: rates.to)
    let output = resampler.run(tone(frequency, rates.from, 2 * rates.from))
    let fit = SineFit(output, frequency, rate: rates.to)
    #expect(abs(decibels(fit.amplitude / level)) < 0.001)
    #expect(abs(fit.phase) < 1e-9)
    #expect(decibels(fit.residue / fit.amplitude) < -144)
  }

  /// soxr: rolloff at most 0.01 dB to 0.913 of the lower rate's half (20.13 kHz).
  @Test(arguments: [(44_100, 48_000), (96_000, 44_100)], [20.0, 5_000, 10_000, 18_000, 20_000])
  func `the passband is flat`(rates: (from: Int, to: Int), frequency: Double) throws {
    var resampler = try Resampler(from: rates.from, to: rates.to)
    let output = resampler.run(tone(frequency, rates.from, rates.from))
    #expect(abs(decibels(SineFit(output, frequency, rate: rates.to).amplitude / level)) < 0.01)
  }

  @Test(arguments: [22_060.0, 23_000, 25_000, 30_000, 40_000])
  func `what the lower rate can't hold is gone`(frequency: Double) throws {
    var resampler = try Resampler(from: 96_000, to: 44_100)
    let output = resampler.run(tone(frequency, 96_000, 96_000))
    let middle = 4_000..<output.count / 2 - 4_000
    #expect(decibels(error(of: output, in: middle) { _ in 0 }) < -140)
  }

  @Test(arguments: [(44_100, 48_000), (96_000, 44_100)])
  func `sox hears the same`(from: Int, to: Int) throws {
    let folder = try TemporaryFolder()
    let source = music(rate: from, 0..<from)
    try folder.write(source, "in.f32")
    let shape = ["-t", "f32", "-c", "2"]
    let sox = ["sox", "-r", "\(from)"] + shape + [folder / "in.f32", "-r", "\(to)"] + shape
    try #require(run(sox + [folder / "out.f32", "rate", "-v"]).status == 0)
    let reference: [Float] = try folder.read("out.f32")
    var resampler = try Resampler(from: from, to: to)
    let output = resampler.run(source)
    #expect(output.count == reference.count)
    let middle = 1_000..<output.count / 2 - 1_000
    #expect(decibels(error(of: output, in: middle) { Double(reference[2 * $0]) }) < -100)
  }

  // MARK: - Joins

  /// Reached: -120 dB at 96 kHz, -144 dB at 48 and 44.1 kHz, where float samples end.
  @Test(arguments: [48_000, 96_000, 44_100])
  func `tracks of two rates join without a click`(to: Int) throws {
    let rates = [44_100, 48_000, 44_100, 48_000]
    let lengths = [30_011, 24_007, 9_001, 20_011]
    var output: [Float] = []
    var joins: [Int] = []
    for (rate, length) in zip(rates, lengths) {
      let begin = Double(output.count / 2) / Double(to)
      let track = music(rate: rate, 0..<length, from: begin)
      let played: [Float]
      if rate == to {
        played = track
      } else {
        var resampler = try Resampler(from: rate, to: to)
        played = resampler.run(track)
      }
      #expect(abs(Double(played.count / 2) - Double(length) * Double(to) / Double(rate)) <= 0.5)
      output += played
      joins.append(output.count / 2)
    }
    let ideal = music(rate: to, 0..<output.count / 2)
    func worst(_ frames: Range<Int>) -> Double {
      decibels(frames.map { Double(abs(output[2 * $0] - ideal[2 * $0])) }.max() ?? 1)
    }
    for join in joins.dropLast() {
      #expect(worst(join - 64..<join + 64) < -115)
    }
    #expect(worst(0..<64) < -115)
    #expect(worst(ideal.count / 2 - 64..<ideal.count / 2) < -115)
  }

  @Test(arguments: [(44_100, 48_000), (96_000, 44_100)], [50.0, 1_000, 15_000])
  func `a sine that starts and ends at full swing has clean edges`(
    rates: (from: Int, to: Int), frequency: Double
  ) throws {
    var resampler = try Resampler(from: rates.from, to: rates.to)
    let output = resampler.run(tone(frequency, rates.from, 10_007, phase: 0.7))
    let frames = output.count / 2
    for edge in [0..<64, frames - 64..<frames] {
      let off = error(of: output, in: edge) { sine(frequency, $0, rate: rates.to, phase: 0.7) }
      #expect(decibels(off) < -105)
    }
  }

  @Test func `a constant stays a constant to the last frame`() throws {
    var resampler = try Resampler(from: 48_000, to: 44_100)
    let output = resampler.run([Float](repeating: 0.5, count: 2 * 5_000))
    #expect(output.allSatisfy { abs($0 - 0.5) < 1e-5 })
  }

  @Test func `noise at full scale is no louder at its ends than within`() throws {
    var state: UInt32 = 1
    let source = (0..<20_000).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return Float(Int32(bitPattern: state)) / 2_147_483_648
    }
    var resampler = try Resampler(from: 44_100, to: 48_000)
    let output = resampler.run(source).map(abs)
    let within = output[1_000..<output.count - 1_000].max() ?? 0
    #expect(max(output.prefix(200).max() ?? 9, output.suffix(200).max() ?? 9) < 1.2 * within)
  }

  @Test func `silence stays silence`() throws {
    var resampler = try Resampler(from: 48_000, to: 44_100)
    #expect(resampler.run([Float](repeating: 0, count: 2 * 5_000)).allSatisfy { $0 == 0 })
  }

  @Test func `tracks of one rate pass their join as if uncut`() throws {
    let source = music(rate: 44_100, 0..<30_011)
    var whole = try Resampler(from: 44_100, to: 48_000)
    var cut = try Resampler(from: 44_100, to: 48_000)
    var output: [Float] = []
    output += cut.feed(Array(source[..<(2 * 13_337)]))
    output += cut.feed(Array(source[(2 * 13_337)...]))
    output += cut.end()
    #expect(output == whole.run(source, block: 30_011))
  }

  // MARK: - Seeking

  @Test(arguments: [
    (44_100, 48_000), (48_000, 44_100), (96_000, 44_100), (44_100, 192_000), (48_000, 8_000),
    (44_100, 44_101),
  ])
  func `after a restart the output is that of a straight run`(from: Int, to: Int) throws {
    let length = 60_011
    let source = music(rate: from, 0..<length)
    var resampler = try Resampler(from: from, to: to)
    let straight = resampler.run(source)
    for frame in [0, 1, 500, 3_001, 30_000, 55_555, length - 100, length - 1, length] {
      let entry = resampler.restart(at: frame)
      #expect(entry <= frame)
      let output = resampler.run(Array(source[(2 * entry)...]))
      let place = Int((Double(frame) * Double(to) / Double(from)).rounded())
      let expected = straight[(2 * place)...]
      #expect(output.count == expected.count, "from frame \(frame)")
      let off = zip(output, expected).map { abs($0 - $1) }.max() ?? 0
      #expect(decibels(Double(off)) < -120, "from frame \(frame)")
    }
  }
}

// MARK: - Signals

/// -1 dB.
private let level = pow(10, -1.0 / 20)

private func decibels(_ ratio: Double) -> Double { 20 * log10(max(ratio, 1e-12)) }

private func sine(_ frequency: Double, _ frame: Int, rate: Int, phase: Double = 0) -> Double {
  level * sin(2 * .pi * frequency * Double(frame) / Double(rate) + phase)
}

/// A stereo sine at -1 dB, the right side negated.
private func tone(_ frequency: Double, _ rate: Int, _ frames: Int, phase: Double = 0) -> [Float] {
  stereo(0..<frames) { sine(frequency, $0, rate: rate, phase: phase) }
}

/// Sixteen partials from 60 Hz to 13 kHz that swell and fade, the same signal at any rate.
private func music(rate: Int, _ frames: Range<Int>, from begin: Double = 0) -> [Float] {
  let partials = (0..<16).map { n -> (frequency: Double, swell: Double, level: Double) in
    let n = Double(n)
    return (120 * .pi * pow(2, n * 0.52), 2 * .pi * (0.7 + 0.13 * n), 0.1 * pow(0.9, n))
  }
  return stereo(frames) { frame in
    let time = begin + Double(frame) / Double(rate)
    var sample = 0.0
    for (frequency, swell, level) in partials {
      sample += level * (1 + 0.5 * sin(swell * time)) * sin(frequency * time + 0.01 * frequency)
    }
    return sample
  }
}

/// Interleaved frames of a signal and its negative.
private func stereo(_ frames: Range<Int>, _ signal: (Int) -> Double) -> [Float] {
  var samples: [Float] = []
  samples.reserveCapacity(2 * frames.count)
  for frame in frames {
    let sample = Float(signal(frame))
    samples.append(sample)
    samples.append(-sample)
  }
  return samples
}

/// The greatest difference from a reference, left side, over some frames.
private func error(of output: [Float], in frames: Range<Int>, _ ideal: (Int) -> Double) -> Double {
  frames.map { abs(Double(output[2 * $0]) - ideal($0)) }.max() ?? 0
}

/// The sine of a known frequency nearest to a signal's middle (least squares), and what it leaves.
private struct SineFit {
  var amplitude: Double
  var phase: Double
  /// Root mean square of the rest, as the amplitude of a sine.
  var residue: Double

  init(_ output: [Float], _ frequency: Double, rate: Int) {
    let frames = 3_000..<output.count / 2 - 3_000
    var (ss, sc, cc, xs, xc) = (0.0, 0.0, 0.0, 0.0, 0.0)
    func basis(_ frame: Int) -> (Double, Double) {
      let angle = 2 * .pi * frequency * Double(frame) / Double(rate)
      return (sin(angle), cos(angle))
    }
    for frame in frames {
      let (s, c) = basis(frame)
      let x = Double(output[2 * frame])
      ss += s * s
      sc += s * c
      cc += c * c
      xs += x * s
      xc += x * c
    }
    let a = (xs * cc - xc * sc) / (ss * cc - sc * sc)
    let b = (xc * ss - xs * sc) / (ss * cc - sc * sc)
    var rest = 0.0
    for frame in frames {
      let (s, c) = basis(frame)
      let off = Double(output[2 * frame]) - a * s - b * c
      rest += off * off
    }
    amplitude = (a * a + b * b).squareRoot()
    phase = atan2(b, a)
    residue = (2 * rest / Double(frames.count)).squareRoot()
  }
}

// MARK: - Running

extension Resampler {
  /// Feeds frames in blocks through an output of `room` frames.
  fileprivate mutating func feed(
    _ input: [Float], block: Int = 4_096, room: Int = 4_096
  ) -> [Float] {
    var output: [Float] = []
    var buffer = [Float](repeating: 0, count: 2 * room)
    var place = 0
    while place < input.count {
      let piece = input.span.extracting(place..<min(place + 2 * block, input.count))
      var span = buffer.mutableSpan
      let (consumed, produced) = process(piece, into: &span)
      place += 2 * consumed
      output += buffer[..<(2 * produced)]
    }
    return output
  }

  fileprivate mutating func end(room: Int = 4_096) -> [Float] {
    var output: [Float] = []
    var buffer = [Float](repeating: 0, count: 2 * room)
    while true {
      var span = buffer.mutableSpan
      let produced = finish(into: &span)
      if produced == 0 { return output }
      output += buffer[..<(2 * produced)]
    }
  }

  fileprivate mutating func run(
    _ input: [Float], block: Int = 4_096, room: Int = 4_096
  ) -> [Float] {
    feed(input, block: block, room: room) + end(room: room)
  }
}
