import Jukebox
import Testing

@testable import Devices

struct BurstsTests {
  @Test func `edges of one change are a burst, with its width and what it came to`() {
    var bursts = Bursts()
    func at(_ microseconds: Int64) -> Instant { Instant(nanoseconds: microseconds * 1000) }
    let (a, b) = (Line(17), Line(27))
    #expect(bursts.edge(a, isHigh: false, at: at(0)) == nil)
    #expect(bursts.edge(a, isHigh: true, at: at(300)) == nil)
    #expect(bursts.edge(b, isHigh: true, at: at(800)) == nil)
    #expect(bursts.edge(a, isHigh: false, at: at(1_900)) == nil)
    #expect(bursts.deadline == at(10_800))
    #expect(
      bursts.timePassed(at: at(10_800)) == [
        Burst(line: b, isHigh: true, bounces: 0, width: .zero, last: at(800))
      ])
    let press = Burst(
      line: a, isHigh: false, bounces: 2, width: .microseconds(1_900), last: at(1_900))
    // Where nobody looked in time, the next change tells of it.
    #expect(bursts.edge(a, isHigh: true, at: at(90_000)) == press)
    #expect(bursts.timePassed(at: at(99_999)) == [])
    #expect(bursts.timePassed(at: at(100_000)).map(\.isHigh) == [true])
    #expect(bursts.deadline == nil)
  }
}
