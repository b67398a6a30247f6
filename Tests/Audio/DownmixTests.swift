import Audio
import Testing

struct DownmixTests {
  /// Mixes one frame.
  private func mix(_ layout: ChannelLayout, _ frame: [Float]) -> [Float] {
    var output: [Float] = [9, 9]
    var span = output.mutableSpan
    Downmix(layout).mix(frame.span, into: &span)
    return output
  }

  @Test func `mono goes to both sides at unity`() {
    #expect(mix(.mono, [0.75]) == [0.75, 0.75])
  }

  @Test func `stereo is the identity, and is known as such`() {
    #expect(Downmix(.stereo).isIdentity)
    #expect(mix(.stereo, [0.3, -1]) == [0.3, -1])
    #expect(!Downmix(.mono).isIdentity)
    #expect(!Downmix(ChannelLayout([.right, .left])).isIdentity)
  }

  @Test func `swapped channels are put right`() {
    #expect(mix(ChannelLayout([.right, .left]), [0.25, 0.5]) == [0.5, 0.25])
  }

  /// ITU-R BS.775, table 2: left' = L + 0.7071 C + 0.7071 Ls; here over their sum, 2.4142.
  @Test(
    arguments: [
      ([1, 0, 0, 0, 0, 0], [0.41421, 0]),
      ([0, 1, 0, 0, 0, 0], [0, 0.41421]),
      ([0, 0, 1, 0, 0, 0], [0.29289, 0.29289]),
      ([0, 0, 0, 1, 0, 0], [0, 0]),
      ([0, 0, 0, 0, 1, 0], [0.29289, 0]),
      ([0, 0, 0, 0, 0, 1], [0, 0.29289]),
    ] as [([Float], [Float])])
  func `each channel of 5.1 has its BS.775 gain`(frame: [Float], expected: [Float]) {
    let stereo = mix(.standard(channels: 6), frame)
    #expect(abs(stereo[0] - expected[0]) < 1e-5 && abs(stereo[1] - expected[1]) < 1e-5)
  }

  @Test(arguments: 1...12)
  func `full scale in all channels reaches full scale and no more`(channels: Int) {
    for sign: Float in [1, -1] {
      let stereo = mix(.standard(channels: channels), Array(repeating: sign, count: channels))
      #expect(stereo.allSatisfy { abs(abs($0) - 1) < 1e-6 && abs($0) <= 1 })
    }
  }

  @Test func `channels of no known place alternate, and one is mono`() {
    let unknown = ChannelLayout([.other, .other, .other, .other])
    #expect(mix(unknown, [0.5, 0.25, 0.5, 0.25]) == [0.5, 0.25])
    #expect(mix(ChannelLayout([.other]), [0.5]) == [0.5, 0.5])
    #expect(mix(ChannelLayout([.lowFrequency]), [0.5]) == [0.5, 0.5])
  }

  @Test func `frames stay in order`() {
    let input = (0..<999).map { Float($0) / 1000 }
    var output = [Float](repeating: 0, count: 1998)
    var span = output.mutableSpan
    Downmix(.mono).mix(input.span, into: &span)
    #expect(output == input.flatMap { [$0, $0] })
  }

  @Test func `an output too small is refused`() async {
    await #expect(processExitsWith: .failure) {
      var output: [Float] = [0, 0]
      var span = output.mutableSpan
      let input: [Float] = [0, 0, 0, 0]
      Downmix(.stereo).mix(input.span, into: &span)
    }
  }
}
