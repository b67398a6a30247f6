import Testing

@testable import Audio

/// The chain alone: what it puts into the ring.
struct ChainTests {
  @Test func `the renderer is let in once 50 ms are there`() throws {
    let folder = try TemporaryFolder()
    let (stage, chain) = try stand(folder)
    chain.play(
      item(try Coded.write(track: 0, frames: 50_000, in: folder)), from: .zero, generation: 1)
    let renderer = Renderer()
    while !renderer.hasEntry(stage.link) {
      guard case .worked = chain.step() else { break }
    }
    let frames = stage.link.frames.available(from: Link.start)
    #expect(frames >= 2205 && frames < 2205 + 4096)
  }

  @Test func `a track shorter than that is let in when its end is known`() throws {
    let folder = try TemporaryFolder()
    let (stage, chain) = try stand(folder)
    chain.play(item(try Coded.write(track: 0, frames: 10, in: folder)), from: .zero, generation: 1)
    chain.follow(with: nil)
    run(chain)
    var renderer = Renderer()
    renderer.enter(stage.link, audible: false)
    #expect(renderer.generation == 1)
    #expect(chunks(stage).map(\.count).reduce(0, +) == 10)
    #expect(chunks(stage).last?.isEnd == true)
  }

  @Test func `chunks say which frames of which track they hold`() throws {
    let folder = try TemporaryFolder()
    let (stage, chain) = try stand(folder)
    chain.play(
      item(try Coded.write(track: 0, frames: 9_000, in: folder)), from: .milliseconds(100),
      generation: 3)
    chain.follow(with: item(try Coded.write(track: 1, frames: 5_000, in: folder), id: 1))
    run(chain)
    chain.follow(with: nil)
    run(chain)
    var expected = Array((4_410..<9_000).map { (0, $0) }) + (0..<5_000).map { (1, $0) }
    for chunk in chunks(stage) where !chunk.isEnd {
      #expect(chunk.generation == 3)
      #expect(chunk.rate == 44_100)
      #expect(chunk.bits == 24)
      for offset in 0..<chunk.count {
        let (track, frame) = expected.removeFirst()
        #expect(Int(chunk.track) == track && Int(chunk.position) + offset == frame)
        let sample = stage.link.frames.element(at: chunk.start &+ UInt(offset)).left
        if Int(sample * 8_388_608) != track * Coded.track + frame {
          Issue.record("track \(track), frame \(frame)")
          return
        }
      }
    }
    #expect(expected.isEmpty)
    #expect(chunks(stage).map(\.isAttack).prefix(2) == [false, false])
  }

  @Test func `a part of a file goes on into the next part without a new decoder`() throws {
    let folder = try TemporaryFolder()
    let (stage, chain) = try stand(folder)
    let path = try Coded.write(track: 0, frames: 20_000, in: folder)
    let middle = Duration(frames: 7_777, at: 44_100)
    let first = Source(path: Array(path.utf8), end: middle)
    let second = Source(path: Array(path.utf8), start: middle)
    chain.play(Item(id: 0, source: first), from: .zero, generation: 1)
    chain.follow(with: Item(id: 1, source: second))
    run(chain)
    chain.follow(with: nil)
    run(chain)
    let parts = chunks(stage)
    #expect(parts.filter { $0.track == 0 }.map(\.count).reduce(0, +) == 7_777)
    #expect(parts.filter { $0.track == 1 }.map(\.count).reduce(0, +) == 20_000 - 7_777)
    #expect(parts.first { $0.track == 1 }?.position == 0)
    #expect(
      (0..<20_000).allSatisfy {
        Int(stage.link.frames.element(at: Link.start &+ UInt($0)).left * 8_388_608) == $0
      })
  }

  @Test func `the resampler's last frames wait for space`() throws {
    let folder = try TemporaryFolder()
    let (stage, chain) = try stand(folder)
    chain.output = .fixed(48_000)
    let path = try Coded.write(track: 0, frames: 44_100, in: folder)
    chain.play(item(path), from: .zero, generation: 1)
    chain.follow(with: nil)
    var count = 0
    // A ring that a slow card empties in odd pieces.
    for _ in 0..<10_000 where !chunks(stage).contains(where: \.isEnd) {
      if case .worked = chain.step() { continue }
      let available = stage.link.frames.available(from: stage.link.frames.tail)
      count += min(available, 1_013)
      stage.link.frames.release(before: stage.link.frames.tail &+ UInt(min(available, 1_013)))
    }
    count += stage.link.frames.available(from: stage.link.frames.tail)
    #expect(count == 48_000)
  }

  @Test func `a place that can't be sought names the item and goes on with the next`() throws {
    let folder = try TemporaryFolder()
    let (_, chain) = try stand(folder)
    chain.play(item(folder / "missing.wav"), from: .seconds(1), generation: 1)
    #expect(chain.events.first.map { if case .failed(0, _) = $0 { true } else { false } } == true)
    #expect(chain.events.last == .wantsNext(after: 0))
    chain.follow(with: item(try Coded.write(track: 1, frames: 100, in: folder), id: 1))
    chain.events = []
    run(chain)
    #expect(chain.events.last == .wantsNext(after: 1))
  }

  // MARK: -

  private func stand(_ folder: TemporaryFolder) throws -> (Stage, Chain) {
    let stage = Stage(frames: 1 << 16, isThreaded: false)
    let chain = Chain(stage)
    chain.output = .rates(.max)
    return (stage, chain)
  }

  private func item(_ path: String, id: UInt32 = 0) -> Item {
    Item(id: id, source: Source(path: path))
  }

  private func run(_ chain: Chain) {
    while case .worked = chain.step() {}
  }

  private func chunks(_ stage: Stage) -> [Chunk] {
    let ring = 0..<stage.link.chunks.available(from: 0)
    return ring.map { stage.link.chunks.element(at: UInt($0)) }
  }
}
