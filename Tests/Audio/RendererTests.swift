import Testing

@testable import Audio

struct RendererTests {
  // MARK: - Passing through

  @Test(arguments: SampleFormat.allCases)
  func `frames pass as they are`(format: SampleFormat) {
    let stand = RendererStand(as: format)
    stand.begin(5000)
    #expect(stand.render(5000) == (5000, .none))
    #expect(stand.render(1) == (0, .dry))
    let step = format == .float ? 1 : Float(1 << (format.bits - 1))
    #expect(
      stand.sound == (0..<5000).map { Frame(left: code(1, $0).left * step, right: 0) })
  }

  @Test func `pieces of any size give the same`() {
    let stand = RendererStand()
    stand.push(1, at: 0, entry: true, isAttack: true)
    var pushed = 1
    for size in [2, 3, 500, 1, 1000, 493] {
      stand.push(size, at: pushed)
      pushed += size
    }
    stand.renderer.enter(stand.link, audible: false)
    for size in [1, 1, 700, 13, 4096] { stand.render(size) }
    #expect(stand.sound == (0..<pushed).map { code(1, $0) })
  }

  @Test func `the end is told once all frames are rendered`() {
    let stand = RendererStand()
    stand.begin(100)
    stand.push(0, isEnd: true)
    #expect(stand.render(60) == (60, .none))
    #expect(stand.render(60) == (40, .end))
    #expect(stand.render(60) == (0, .end))
    stand.rewind(10)
    #expect(stand.render(60) == (10, .end))
    #expect(stand.sound == (0..<100).map { code(1, $0) })
  }

  // MARK: - Ramps

  @Test(arguments: [(8000, 64), (44_100, 352), (48_000, 384), (192_000, 1536)] as [(Int32, Int)])
  func `pause takes 8 ms and loses nothing`(rate: Int32, ramp: Int) {
    let stand = RendererStand(rate: rate)
    stand.begin(10_000)
    stand.render(1000)
    stand.renderer.pause()
    #expect(stand.render(5000) == (ramp, .silent))
    #expect(stand.render(5000) == (0, .silent))
    let down = stand.gains(1000..<1000 + ramp, from: 1000)
    for (index, gain) in down.enumerated() {
      #expect(abs(gain - (1 - Float(index) / Float(ramp))) < 1e-5)
    }
    stand.renderer.resume()
    #expect(stand.render(3000) == (3000, .none))
    let up = stand.gains(1000 + ramp..<1000 + 2 * ramp, from: 1000 + ramp)
    for (index, gain) in up.enumerated() { #expect(abs(gain - Float(index) / Float(ramp)) < 1e-5) }
    let rest = 1000 + 2 * ramp..<4000 + ramp
    #expect(Array(stand.sound[rest]) == rest.map { code(1, $0) })
  }

  @Test func `pause and resume in mid ramp turn where they are`() {
    let stand = RendererStand()
    stand.begin(10_000)
    stand.render(1000)
    stand.renderer.pause()
    stand.render(16)
    stand.renderer.resume()
    stand.render(1000)
    let gains = stand.gains(1000..<2016, from: 1000)
    #expect(abs((gains.min() ?? 0) - 0.75) < 1e-5)
    for (one, next) in zip(gains, gains.dropFirst()) { #expect(abs(one - next) < 1 / 63.9) }
    #expect(gains[80...].allSatisfy { $0 == 1 })
  }

  @Test func `volume ramps from here to there`() {
    let stand = RendererStand()
    stand.begin(10_000)
    stand.render(100)
    stand.renderer.setGain(0.25)
    stand.render(200)
    let gains = stand.gains(0..<300, from: 0)
    #expect(gains[..<100].allSatisfy { $0 == 1 })
    for index in 0..<64 { #expect(abs(gains[100 + index] - (1 - 0.75 * Float(index) / 64)) < 1e-5) }
    #expect(gains[164...].allSatisfy { $0 == 0.25 })
  }

  @Test func `volume before the first frame has no ramp`() {
    let stand = RendererStand()
    stand.renderer.setGain(0.5)
    stand.begin(100)
    stand.render(100)
    #expect(stand.gains(0..<100, from: 0).allSatisfy { $0 == 0.5 })
  }

  @Test func `volume set while paused is in force at resume`() {
    let stand = RendererStand()
    stand.begin(1000)
    stand.render(100)
    stand.renderer.pause()
    stand.render(100)
    stand.renderer.setGain(0.5)
    #expect(stand.render(10) == (0, .silent))
    stand.renderer.resume()
    stand.render(200)
    let gains = stand.gains(164..<364, from: 164)
    #expect(gains[0] == 0)
    #expect(gains[64...].allSatisfy { $0 == 0.5 })
  }

  // MARK: - From one sound to another

  @Test func `a new sound rises as the old one falls`() {
    let stand = RendererStand()
    stand.begin(2000)
    stand.render(1000)
    stand.push(1000, of: 2, at: 700, entry: true)
    stand.renderer.leave(2)
    stand.renderer.enter(stand.link, audible: true)
    stand.render(500)
    let old = stand.gains(1000..<1064, from: 1000)
    let new = stand.gains(1000..<1064, of: 2, from: 700)
    for index in 0..<64 {
      #expect(abs(old[index] - (1 - Float(index) / 64)) < 1e-5)
      #expect(abs(new[index] - Float(index) / 64) < 1e-5)
    }
    #expect(Array(stand.sound[1064..<1500]) == (764..<1200).map { code(2, $0) })
  }

  @Test func `no step is larger than the sounds' own`() {
    let stand = RendererStand()
    func level(_ generation: UInt32, _: Int) -> Frame {
      Frame(left: generation == 1 ? 0.5 : -0.25, right: 0.5)
    }
    stand.push(2000, entry: true, isAttack: true, source: level)
    stand.renderer.enter(stand.link, audible: false)
    stand.render(1000)
    stand.push(1000, of: 2, entry: true, isAttack: true, source: level)
    stand.renderer.enter(stand.link, audible: true)
    stand.render(500)
    for (one, next) in zip(stand.sound, stand.sound.dropFirst()) {
      #expect(abs(one.left - next.left) <= 0.75 / 64 + 1e-6)
      #expect(abs(one.right - next.right) < 1e-6)
    }
  }

  @Test func `where the old sound has few frames left it falls faster, not off`() {
    let stand = RendererStand()
    stand.begin(1010)
    stand.render(1000)
    stand.push(1000, of: 2, entry: true)
    stand.renderer.enter(stand.link, audible: true)
    stand.render(500)
    let old = stand.gains(1000..<1010, from: 1000)
    for index in 0..<10 { #expect(abs(old[index] - (1 - Float(index) / 10)) < 1e-5) }
    #expect(stand.sound[1010...].allSatisfy { $0.left == 0 })
  }

  @Test func `a sound left without a successor falls, and is gone`() {
    let stand = RendererStand()
    stand.begin(5000)
    stand.render(1000)
    stand.renderer.leave(2)
    #expect(stand.render(1000) == (64, .left))
    #expect(stand.render(1000) == (0, .left))
    let gains = stand.gains(1000..<1064, from: 1000)
    #expect(zip(gains, gains.dropFirst()).allSatisfy { $0 > $1 })
    // What is still decoded of it is passed over too, and the space comes back.
    stand.push(1000, at: 5000)
    #expect(stand.render(1000) == (0, .left))
    stand.renderer.skip(stand.link)
    stand.release(heard: 1064)
    #expect(stand.link.frames.space == stand.link.frames.capacity)
    // The next sound, an attack, begins at full gain.
    stand.push(500, of: 2, entry: true, isAttack: true)
    stand.renderer.enter(stand.link, audible: true)
    #expect(stand.render(100) == (100, .none))
    #expect(Array(stand.sound[1064...]) == (0..<100).map { code(2, $0) })
  }

  @Test func `generations between are passed over`() {
    let stand = RendererStand()
    stand.begin(1000)
    stand.render(200)
    for generation in [2, 3, 4] as [UInt32] {
      stand.push(300, of: generation, entry: true)
    }
    stand.renderer.enter(stand.link, audible: true)
    stand.render(300)
    #expect(Array(stand.sound[264..<500]) == (64..<300).map { code(4, $0) })
    #expect(stand.gains(200..<264, from: 200).last ?? 0 > 0)
  }

  @Test func `a generation announced when it is left behind already is passed over`() {
    let stand = RendererStand(frames: 1024)
    stand.begin(500)
    stand.render(500)
    let chunk = stand.link.chunks.head
    stand.push(300, of: 2)
    stand.renderer.leave(3)
    #expect(stand.render(100) == (0, .dry))
    stand.renderer.interrupt(cut: false)
    stand.renderer.skip(stand.link)
    stand.release(heard: 500)
    #expect(stand.link.frames.space == 1024)
    stand.announce(chunk)
    stand.renderer.enter(stand.link, audible: false)
    #expect(stand.renderer.hasEntry(stand.link) == false)
    #expect(stand.renderer.generation == 1)
    stand.push(900, of: 3, entry: true, isAttack: true)
    stand.renderer.enter(stand.link, audible: false)
    #expect(stand.render(900) == (900, .none))
    #expect(Array(stand.sound[500...]) == (0..<900).map { code(3, $0) })
  }

  @Test func `a start in mid sound rises`() {
    let stand = RendererStand()
    stand.begin(1000, at: 5000, isAttack: false)
    stand.render(200)
    let gains = stand.gains(0..<200, from: 5000)
    for index in 0..<64 { #expect(abs(gains[index] - Float(index) / 64) < 1e-5) }
    #expect(gains[64...].allSatisfy { $0 == 1 })
  }

  @Test func `a new place while pausing begins at its first frame when resumed`() {
    let stand = RendererStand()
    stand.begin(2000)
    stand.render(1000)
    stand.renderer.pause()
    stand.render(10)
    stand.push(1000, of: 2, at: 400, entry: true)
    stand.renderer.leave(2)
    stand.renderer.enter(stand.link, audible: true)
    let rendered = stand.render(1000)
    #expect(rendered == (54, .left))
    stand.renderer.enter(stand.link, audible: true)
    #expect(stand.render(1000) == (0, .silent))
    stand.renderer.resume()
    stand.render(500)
    let gains = stand.gains(1064..<1564, of: 2, from: 400)
    for index in 0..<64 { #expect(abs(gains[index] - Float(index) / 64) < 1e-5) }
    #expect(gains[64...].allSatisfy { $0 == 1 })
  }

  @Test func `a change of rate stops and goes on without a ramp`() {
    let stand = RendererStand()
    stand.begin(500)
    stand.push(500, track: 1, rate: 48_000)
    #expect(stand.render(1000) == (500, .rate(48_000)))
    #expect(stand.render(1000) == (0, .rate(48_000)))
    stand.renderSilence(160)
    stand.renderer.interrupt(cut: false)
    stand.sound.removeLast(160)
    stand.renderer.adopt(rate: 48_000)
    #expect(stand.render(500) == (500, .none))
    #expect(stand.sound == (0..<1000).map { code(1, $0 % 500) })
    #expect(stand.marks(heard: 1000).map(\.rate) == [8000, 48_000])
  }

  @Test func `a new sound of another rate waits until the old one is out`() {
    let stand = RendererStand()
    stand.begin(2000)
    stand.render(1000)
    stand.push(500, of: 2, rate: 48_000, entry: true, isAttack: true)
    stand.renderer.enter(stand.link, audible: true)
    #expect(stand.render(1000) == (64, .left))
    stand.renderer.enter(stand.link, audible: true)
    #expect(stand.render(1000) == (0, .rate(48_000)))
    stand.renderer.adopt(rate: 48_000)
    #expect(stand.render(1000) == (500, .dry))
    #expect(Array(stand.sound[1064...]) == (0..<500).map { code(2, $0) })
  }

  // MARK: - Going back

  @Test(arguments: SampleFormat.allCases)
  func `what is rendered again is the same`(format: SampleFormat) {
    let stand = RendererStand(as: format)
    stand.push(700, entry: true, isAttack: true)
    for chunk in 1..<5 { stand.push(700, track: UInt32(chunk), at: chunk * 700) }
    stand.renderer.enter(stand.link, audible: false)
    stand.render(3000)
    let first = stand.sound
    for back in [1, 699, 700, 701, 2999, 3000] {
      #expect(stand.renderer.rewindable == 3000)
      stand.rewind(back)
      #expect(stand.render(back) == (back, .none))
      #expect(stand.sound == first)
    }
  }

  @Test func `a command changes the frames from the card's place on, and none before`() {
    let stand = RendererStand()
    stand.begin(10_000)
    stand.render(8000)
    let before = stand.sound
    let margin = 24
    stand.rewind(8000 - (1000 + margin))
    stand.renderer.setGain(0.5)
    stand.render(4000)
    #expect(stand.sound[..<1025] == before[..<1025])
    for frame in 1025..<5024 { #expect(stand.sound[frame] != before[frame]) }
    // Not further back than to the command, which is under way by then.
    #expect(stand.renderer.rewindable == 4000)
    stand.rewind(4000)
    stand.render(4000)
    #expect(stand.gains(1088..<5024, from: 1088).allSatisfy { $0 == 0.5 })
  }

  @Test func `nothing goes back into a change from one sound to another`() {
    let stand = RendererStand()
    stand.begin(2000)
    stand.render(1000)
    stand.push(1000, of: 2, entry: true)
    stand.renderer.enter(stand.link, audible: true)
    stand.render(30)
    #expect(stand.renderer.rewindable == 0)
    stand.render(50)
    #expect(stand.renderer.rewindable == 16)
  }

  @Test func `silence is taken back before anything else`() {
    let stand = RendererStand()
    stand.begin(100)
    stand.render(200)
    stand.renderSilence(300)
    #expect(stand.renderer.rewindable == 400)
    stand.rewind(120)
    #expect(stand.renderer.soundEnd == 100)
    #expect(stand.renderer.clock == 280)
    stand.push(100, at: 100)
    stand.render(100)
    #expect(stand.sound[100..<280].allSatisfy { $0 == Frame(left: 0, right: 0) })
    #expect(Array(stand.sound[280...]) == (100..<200).map { code(1, $0) })
    #expect(stand.renderer.rewindable == 100)
  }

  @Test func `sound before a silence that is not heard yet can be taken back too`() {
    let stand = RendererStand()
    stand.begin(100)
    stand.render(200)
    stand.renderSilence(300)
    stand.release(heard: 60)
    stand.rewind(340)
    #expect(stand.renderer.clock == 60)
    stand.push(100, at: 100)
    stand.render(140)
    #expect(stand.sound == (0..<200).map { code(1, $0) })
  }

  @Test func `nothing is given back that may be rendered again`() {
    let stand = RendererStand(frames: 1024)
    stand.begin(1024)
    stand.render(1024)
    for heard in stride(from: 0, through: 1000, by: 100) {
      stand.release(heard: heard)
      #expect(stand.link.frames.space == min(heard, 100))
      // What the decoder writes there must not change what is rendered again.
      stand.push(100, at: 1024 + max(0, heard - 100))
      let back = 1024 - heard
      if stand.renderer.clock == 1024, stand.renderer.rewindable >= back {
        stand.rewind(back)
        stand.render(back)
      }
    }
    #expect(stand.sound == (0..<1024).map { code(1, $0) })
  }

  @Test func `the old sound is kept until it has faded out`() {
    let stand = RendererStand(frames: 1024)
    stand.begin(500)
    stand.render(100)
    stand.push(500, of: 2, entry: true)
    stand.renderer.enter(stand.link, audible: true)
    stand.render(32)
    stand.release(heard: 132)
    #expect(stand.link.frames.space == 1024 - 1000 + 100)
    stand.render(32)
    stand.release(heard: 164)
    #expect(stand.link.frames.space == 1024 - 500 + 64)
  }

  // MARK: - Marks

  @Test func `what is told of a sound ends before a silence, and at the next mark`() {
    let stand = RendererStand()
    stand.begin(300)
    stand.push(300, track: 7)
    stand.render(600)
    #expect(stand.marks(heard: 10).count == 1)
    #expect(stand.renderer.limit == 300)
    #expect(stand.marks(heard: 310).count == 1)
    #expect(stand.renderer.limit == 600)
    stand.render(1)
    stand.renderSilence(200)
    #expect(stand.renderer.limit == 600)
    stand.push(300, track: 7, at: 300)
    stand.render(300)
    #expect(stand.renderer.limit == 600)
    #expect(stand.marks(heard: 800).map(\.position) == [300])
    #expect(stand.renderer.limit == 1100)
  }

  @Test func `what was left behind ends where it did, however many are begun and given up`() {
    let stand = RendererStand()
    stand.begin(300)
    stand.render(301)
    stand.renderSilence(200)
    #expect(stand.marks(heard: 400).count == 1)
    for generation in 2...4 as ClosedRange<UInt32> {
      stand.push(50, of: generation, entry: true, isAttack: true)
      stand.renderer.enter(stand.link, audible: true)
      #expect(stand.renderer.limit == 300)
    }
    stand.renderer.interrupt(cut: false)
    #expect(stand.renderer.limit == 300)
    stand.render(50)
    #expect(stand.renderer.limit == 300)
    #expect(stand.marks(heard: 500).map(\.clock) == [500])
    #expect(stand.renderer.limit == 550)
  }

  @Test func `a track is reported when it is heard and not when it is rendered`() {
    let stand = RendererStand()
    stand.begin(300)
    stand.push(300, track: 7)
    stand.push(300, track: 8)
    stand.render(900)
    #expect(stand.marks(heard: 0).map(\.track) == [0])
    #expect(stand.renderer.nextMark == 300)
    #expect(stand.marks(heard: 299).isEmpty)
    #expect(
      stand.marks(heard: 300)
        == [Mark(generation: 1, track: 7, position: 0, rate: 8000, clock: 300)])
    #expect(stand.marks(heard: 900).map(\.clock) == [600])
    #expect(stand.marks(heard: 900).isEmpty)
  }

  @Test func `a mark that is taken back is made again where it then is`() {
    let stand = RendererStand()
    stand.begin(300)
    stand.push(300, track: 7)
    stand.render(600)
    #expect(stand.marks(heard: 200).count == 1)
    stand.rewind(400)
    #expect(stand.renderer.nextMark == nil)
    stand.renderer.pause()
    stand.render(600)
    stand.renderSilence(200)
    stand.renderer.resume()
    stand.render(600)
    // 64 frames of ramp and 200 of silence later.
    let marks = stand.marks(heard: 10_000)
    #expect(marks.map(\.position) == [264, 0])
    #expect(marks.map(\.clock) == [464, 500])
    #expect(marks.map(\.track) == [0, 7])
  }

  @Test func `a thousand tracks of one frame come in order`() {
    let stand = RendererStand()
    stand.push(1, track: 0, entry: true, isAttack: true)
    for track in 1..<1000 { stand.push(1, track: UInt32(track)) }
    stand.renderer.enter(stand.link, audible: false)
    var marks: [Mark] = []
    for heard in stride(from: 5, through: 1000, by: 5) {
      #expect(stand.render(5) == (5, .none))
      marks += stand.marks(heard: heard)
      stand.release(heard: heard)
    }
    #expect(marks.map(\.track) == Array(0..<1000))
    #expect(marks.map(\.clock) == Array(0..<1000))
  }

  @Test func `more tracks than can be kept are told early rather than never`() {
    let stand = RendererStand()
    stand.push(1, track: 0, entry: true, isAttack: true)
    for track in 1..<100 { stand.push(1, track: UInt32(track)) }
    stand.renderer.enter(stand.link, audible: false)
    stand.render(100)
    #expect(stand.marks(heard: 100).map(\.track) == Array(0..<100))
  }
}
