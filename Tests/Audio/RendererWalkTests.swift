import Testing

@testable import Audio

/// Random walks of all that can happen to a renderer, beside a model that only knows which source
/// frame must be heard next, and how fast a gain may change.
struct RendererWalkTests {
  @Test(arguments: 1...12)
  func `every frame is heard once, in order, and smoothly`(seed: UInt64) {
    var walk = RendererWalk(seed: seed)
    for step in 0..<4000 {
      walk.step()
      if let fault = walk.fault {
        Issue.record("seed \(seed), step \(step): \(fault)")
        return
      }
    }
    #expect(walk.heardFrames > 50_000)
  }
}

/// What a rendered frame must be.
private struct Expected {
  /// Silence if nil.
  var generation: UInt32?
  var position = 0
  /// The one fading out below it.
  var old: (generation: UInt32, position: Int)?
  /// Its gain as found: sample by source.
  var gain: Float = 0
  var oldGain: Float = 0
}

private struct RendererWalk {
  let stand = RendererStand(frames: 4096)
  var fault: String?
  var heardFrames = 0

  private var state: UInt64
  private var timeline: [Expected] = []
  /// What was taken back since the last command, which must come again as it was.
  private var takenBack: [Frame] = []
  private var heard = 0
  /// What the decoder has pushed of the newest generation.
  private var newest: UInt32 = 0
  private var pushed = 0
  private var track: UInt32 = 0
  /// The generation that is rendered, and its first position.
  private var current: UInt32 = 0
  private var origin = 0
  private var next = 0
  /// One past the last position pushed of it.
  private var end = 0
  private var isEntered = false
  private var isPaused = false
  private var isHeld = false
  private var left: UInt32 = 0
  private var volume: Float = 1
  /// The frame before which the sound broke off last.
  private var cut = 0
  private var fading: (generation: UInt32, position: Int, frames: Int)?
  private var place: Mark?

  init(seed: UInt64) { state = seed }

  private mutating func random(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }

  mutating func step() {
    switch random(100) {
    case 0..<35: push()
    case 35..<70: render()
    case 70..<78: rewind()
    case 78..<82: silence()
    case 82..<84:
      isPaused.toggle()
      if isPaused { stand.renderer.pause() } else { stand.renderer.resume() }
      command()
    case 84..<86:
      volume = [0.25, 0.5, 1, 1, 0.75][random(5)]
      stand.renderer.setGain(volume)
      command()
    case 86..<87:
      isHeld.toggle()
      stand.renderer.hold(isHeld)
      command()
    case 87..<89:
      // A new sound, announced first or not.
      // Of the other parity than what is heard, so that it sounds on the other side.
      repeat { newest += 1 } while newest.isMultiple(of: 2) == current.isMultiple(of: 2)
      pushed = random(2) == 0 ? 0 : random(10_000)
      track = 0
      if random(2) == 0 {
        left = newest
        stand.renderer.leave(newest)
        command()
      }
      origin = pushed
      pushFirst()
    case 89..<90:
      // The card's end of it: all is heard, and it stands.
      listen(timeline.count - silenceBehind)
      timeline.removeLast(silenceBehind)
      stand.sound.removeLast(stand.sound.count - timeline.count)
      stand.renderer.interrupt(cut: true)
      fading = nil
      cut = timeline.count
      command()
    default: listen(min(timeline.count, heard + random(400)))
    }
    if isPaused, random(4) == 0 {
      isPaused = false
      stand.renderer.resume()
      command()
    }
    if isHeld, random(4) == 0 {
      isHeld = false
      stand.renderer.hold(false)
      command()
    }
    enterIfThere()
  }

  private var silenceBehind: Int { Int(stand.renderer.clock - stand.renderer.soundEnd) }

  private var ahead: Int { timeline.count - heard }

  private mutating func command() {
    takenBack = []
  }

  // MARK: The decoder

  private mutating func push() {
    guard newest > 0, isEntered || current != newest else { return }
    guard stand.link.frames.space > 1100 else { return }
    if random(5) == 0 {
      track += 1
    }
    pushed += stand.push(1 + random(600), of: newest, track: track, at: pushed)
    if newest == current { end = pushed }
  }

  private mutating func pushFirst() {
    // Only a full ring could refuse the first piece: let the card play on until it does not.
    if stand.link.frames.space < 200 { listen(timeline.count) }
    let count = stand.push(
      100 + random(100), of: newest, at: pushed, entry: true, isAttack: random(2) == 0)
    if count == 0 {
      fault = "no space for a new sound with \(stand.link.frames.space) frames free"
    }
    pushed += count
    isEntered = false
  }

  private mutating func enterIfThere() {
    guard newest > 0, !isEntered, stand.renderer.hasEntry(stand.link) else { return }
    let was = stand.renderer.generation
    let isAudible = ahead > 0
    let last = timeline.last
    stand.renderer.enter(stand.link, audible: isAudible)
    command()
    left = newest
    guard stand.renderer.generation != was else { return }
    isEntered = true
    fading =
      isAudible && last?.generation == current && next < end
      ? (current, next, min(stand.ramp, end - next)) : nil
    end = pushed
    current = newest
    next = origin
    isHeld = false
  }

  // MARK: The card

  private mutating func render() {
    let start = timeline.count
    guard start - heard < 2500 else { return }
    let limit = 1 + random(700)
    let (count, stop) = stand.render(limit)
    if stop == .none, count != limit { fault = "\(count) of \(limit) without a reason" }
    if stop == .silent, !isPaused, !isHeld { fault = "silent for no reason" }
    if stop == .left, left <= current { fault = "left for no reason" }
    for index in start..<start + count { check(index) }
    if count > 0 {
      let again = min(count, takenBack.count)
      if Array(stand.sound[start..<start + again]) != Array(takenBack[..<again]) {
        fault = "rendered again, frames from \(start) on differ"
      }
      takenBack.removeFirst(again)
    }
  }

  /// Finds the gain of a frame, which must be near that of the frame before it.
  private mutating func check(_ index: Int) {
    let frame = stand.sound[index]
    var expected = Expected(generation: current, position: next)
    let source = code(current, next)
    let isRight = current.isMultiple(of: 2)
    expected.gain = isRight ? frame.right / source.right : frame.left / source.left
    let other = isRight ? frame.left : frame.right
    if let (old, position, frames) = fading, frames > 0 {
      let oldSource = code(old, position)
      if old.isMultiple(of: 2) != isRight {
        expected.old = (old, position)
        expected.oldGain = other / (isRight ? oldSource.left : oldSource.right)
        fading = (old, position + 1, frames - 1)
      } else {
        fading = nil
      }
    } else if other != 0 {
      fault = "frame \(index): something else sounds"
    }
    // 8 ms for the whole way, and float's rounding.
    let step = 1 / Float(stand.ramp) + 1e-4
    let before = timeline.last
    let isSame = before?.generation == current && index != cut
    let gainBefore = isSame ? before?.gain ?? 0 : 0
    let isStart = !isSame && (fading == nil || (before?.gain ?? 0) < step)
    if abs(expected.gain - gainBefore) > step, !isStart {
      fault = "frame \(index), position \(next): gain \(gainBefore) to \(expected.gain)"
    }
    if expected.gain < -1e-4 || expected.gain > 1.0001 { fault = "gain \(expected.gain)" }
    next += 1
    timeline.append(expected)
  }

  private mutating func rewind() {
    let limit = min(stand.renderer.rewindable, ahead)
    guard limit > 0 else { return }
    let count = 1 + random(limit)
    let isSilence = silenceBehind > 0
    let sound = Array(stand.sound.suffix(count).dropLast(min(count, silenceBehind)))
    takenBack = isSilence ? sound : sound + takenBack
    let gone = timeline.suffix(count).dropLast(min(count, silenceBehind))
    stand.rewind(count)
    if let first = gone.first {
      if gone.contains(where: { $0.generation != current }) {
        fault = "took back an older sound"
      }
      next = first.position
    }
    timeline.removeLast(count)
  }

  private mutating func silence() {
    guard ahead < 2000 else { return }
    let probe = stand.render(0)
    guard probe.frames == 0 else { return }
    // The thread pads only when there is nothing more to render.
    let rendered = stand.render(1)
    if rendered.frames > 0 {
      check(timeline.count)
      if !takenBack.isEmpty { takenBack.removeFirst() }
      return
    }
    let count = 1 + random(100)
    stand.renderSilence(count)
    for _ in 0..<count { timeline.append(Expected()) }
    takenBack = []
    fading = nil
  }

  /// The card plays on; what the marks say must be what is heard.
  private mutating func listen(_ frame: Int) {
    let marks = stand.marks(heard: frame)
    for mark in marks {
      let index = Int(mark.clock)
      guard index < timeline.count else { continue }
      if timeline[index].generation != mark.generation
        || timeline[index].position != Int(mark.position)
      {
        fault = "a mark says \(mark), heard is \(timeline[index])"
      }
      place = mark
    }
    heardFrames += max(0, frame - heard)
    heard = max(heard, frame)
    if frame < timeline.count, let generation = timeline[frame].generation, let place {
      // Marks told early are ahead of what is heard.
      if place.clock <= frame,
        place.generation != generation
          || Int(place.position) + frame - Int(place.clock) != timeline[frame].position
      {
        fault = "by the marks \(place) is heard, at \(frame) it is \(timeline[frame])"
      }
    }
    stand.release(heard: heard)
  }
}
