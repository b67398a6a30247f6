internal import Testing

@testable internal import Jukebox

struct EncoderTests {
  /// One quadrature cycle to the right, as (line, closed).
  private let right: [(Encoder.Line, Bool)] = [(.a, true), (.b, true), (.a, false), (.b, false)]
  private let left: [(Encoder.Line, Bool)] = [(.b, true), (.a, true), (.b, false), (.a, false)]

  private func steps(
    _ encoder: inout Encoder, _ edges: [(Encoder.Line, Bool)], from start: Int64 = 0
  ) -> [Int] {
    edges.enumerated().map { place, edge in
      encoder.handle(.edge(edge.0, closed: edge.1), at: ms(start + Int64(place) * 5))
    }
  }

  private func encoder(_ edges: Int, isInverted: Bool = false) -> Encoder {
    var settings = EncoderSettings()
    settings.edgesPerDetent = edges
    settings.isInverted = isInverted
    return Encoder(settings)
  }

  @Test func `four edges a detent give a step at the fourth`() {
    var encoder = encoder(4)
    #expect(steps(&encoder, right) == [0, 0, 0, 1])
    #expect(steps(&encoder, left, from: 1_000) == [0, 0, 0, -1])
    #expect(encoder.missed == 0)
  }

  @Test func `two edges a detent give a step at each second`() {
    var encoder = encoder(2)
    #expect(steps(&encoder, right) == [0, 1, 0, 1])
    #expect(steps(&encoder, left, from: 1_000) == [0, -1, 0, -1])
  }

  @Test func `one edge a detent gives a step at each`() {
    var encoder = encoder(1)
    #expect(steps(&encoder, right) == [1, 1, 1, 1])
    #expect(steps(&encoder, left, from: 1_000) == [-1, -1, -1, -1])
  }

  @Test func `inverted it counts the other way`() {
    var encoder = encoder(4, isInverted: true)
    #expect(steps(&encoder, right) == [0, 0, 0, -1])
  }

  @Test func `bounce of a line cancels itself out`() {
    var encoder = encoder(4)
    let bounced: [(Encoder.Line, Bool)] = [
      (.a, true), (.a, false), (.a, true), (.b, true), (.b, false), (.b, true), (.a, false),
      (.a, true), (.a, false), (.b, false), (.b, true), (.b, false), (.b, true), (.b, false),
    ]
    #expect(steps(&encoder, bounced).reduce(0, +) == 1)
    #expect(encoder.missed == 0)
  }

  @Test func `turning back before the detent gives no step`() {
    var encoder = encoder(4)
    #expect(
      steps(&encoder, [(.a, true), (.b, true), (.b, false), (.a, false)]) == [0, 0, 0, 0])
  }

  @Test func `a missed edge is counted and gives no step the wrong way`() {
    for lost in 0..<4 {
      var encoder = encoder(4)
      var edges = right + right + right
      edges.remove(at: 4 + lost)
      let steps = steps(&encoder, edges)
      #expect(!steps.contains(-1), "edge \(lost) lost")
      #expect(steps.reduce(0, +) >= 1, "edge \(lost) lost")
    }
  }

  @Test func `levels read set the position and are not counted`() {
    var encoder = encoder(4)
    #expect(encoder.handle(.level(.a, closed: false), at: ms(0)) == 0)
    #expect(encoder.handle(.level(.b, closed: false), at: ms(0)) == 0)
    #expect(encoder.missed == 0)
    #expect(encoder.handle(.edge(.a, closed: false), at: ms(1)) == 0)
    #expect(encoder.missed == 1)
  }

  @Test func `it learns how a knob is made from turning right`() {
    for (edges, isInverted) in [(1, false), (2, false), (4, false), (4, true), (2, true)] {
      var learning = EncoderLearning()
      var finding: EncoderLearning.Finding?
      var now = ms(0)
      let cycle = isInverted ? left : right
      for edge in 0..<200 where finding == nil {
        now = now + (edge % edges == 0 ? .milliseconds(150) : .milliseconds(6))
        let (line, closed) = cycle[edge % 4]
        finding = learning.handle(line, isHigh: !closed, at: now)
      }
      #expect(finding?.edgesPerDetent == edges)
      #expect(finding?.isInverted == isInverted)
    }
  }

  @Test func `it learns that the lines rest low`() {
    var learning = EncoderLearning()
    var finding: EncoderLearning.Finding?
    var now = ms(0)
    _ = learning.handle(.a, isHigh: false, at: now)
    _ = learning.handle(.b, isHigh: false, at: now)
    for edge in 0..<200 where finding == nil {
      now = now + (edge % 4 == 0 ? .milliseconds(150) : .milliseconds(6))
      let (line, closed) = right[edge % 4]
      finding = learning.handle(line, isHigh: closed, at: now)
    }
    #expect(finding == .init(edgesPerDetent: 4, isInverted: false, restsLow: true))
  }

  @Test func `speed grows as detents come closer`() {
    let speeds = [200, 60, 30, 20, 10].map { Knob.speed(detentsApart: .milliseconds($0)) }
    #expect(speeds == [1, 2, 3, 4, 6])
  }
}
