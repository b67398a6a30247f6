// The audio thread's loop: renders into the card, sleeps, obeys. The compiler refuses any lock,
// any allocation, and any C call that the headers in Sources/C do not mark as audited.
internal import CALSA
internal import CLinux
import Synchronization

/// The loop and its state; made and called on the audio thread only.
@safe struct AudioThread: ~Copyable {
  /// Why the loop ended.
  enum Exit: Equatable {
    case quit
    /// The frames that come next have this rate (Hz), and all before them were heard.
    case rate(Int32)
    /// Nothing plays, and the card is to be given back.
    case rest
    /// The card is gone: ALSA's error, negative.
    case gone(Int32)
  }

  /// Eventfds: what wakes this thread, what it wakes. All non-blocking.
  struct Signals: Sendable {
    var wake: Int32
    var decoder: Int32
    var main: Int32
  }

  private let signals: Signals
  private var renderer = Renderer()
  private var stop = Renderer.Stop.dry
  /// Frames in the card's buffer, and the frame heard when that was read.
  private var fill = 0
  private var heard: Int64 = 0
  /// When that was read, in nanoseconds.
  private var measured: Int64 = 0
  private var isQuitting = false
  private var ended: UInt32?
  /// When the decoder began to be late, in nanoseconds; 0 while it is not.
  private var late: Int64 = 0
  private var ignoresCard = false

  init(signals: Signals) { self.signals = signals }

  /// Obeys commands while there is no card: nothing is heard, so nothing is ramped.
  @_noLocks mutating func idle(_ link: borrowing Link) -> Bool {
    fill = 0
    heard = renderer.clock
    obey(link)
    renderer.settle()
    publish(link, isRunning: false)
    return isQuitting
  }

  /// The rate that the next frame wants (Hz); 0 before the first.
  @_noLocks func nextRate(_ link: borrowing Link) -> Int32 { renderer.nextRate(link) }

  /// Plays to the card until there is a reason not to.
  @_noLocks mutating func run(
    _ link: borrowing Link, on card: inout Card, descriptors: UnsafeMutablePointer<pollfd>,
    count: Int
  ) -> Exit {
    renderer.adopt(rate: card.rate)
    stop = .dry
    ignoresCard = false
    while true {
      if let exit = measure(link, &card) { return exit }
      if link.hasCommand || renderer.hasEntry(link) {
        rewind(link, &card)
        obey(link)
        if !card.isRunning { renderer.settle() }
      }
      if let exit = fillUp(link, &card) { return exit }
      publish(link, isRunning: card.isRunning)
      if isQuitting, !card.isRunning { return .quit }
      let (again, nanoseconds) = plan(link, &card)
      if let again { return again }
      if nanoseconds == 0 { continue }
      unsafe sleep(card, descriptors, count: count, nanoseconds)
    }
  }

  /// Reads how far the card has come.
  @_noLocks private mutating func measure(_ link: borrowing Link, _ card: inout Card) -> Exit? {
    let state = card.state()
    let now = clinux_now()
    switch state {
    case .fill(let frames):
      fill = frames
    case .dry:
      var wasPlaying = false
      switch stop {
      case .none, .dry: wasPlaying = true
      case .silent, .left, .rate, .end: break
      }
      if wasPlaying {
        link.report(.underrun(late: false))
        clinux_signal(signals.main)
      }
      renderer.interrupt(cut: wasPlaying)
      fill = 0
      let error = card.stop()
      if error < 0 { return gone(link, error, card) }
    case .gone(let error):
      return gone(link, error, card)
    }
    heard = renderer.clock - Int64(fill)
    measured = now
    return nil
  }

  /// Goes back to the frame that was heard last, by the clock, and 10 ms more to be sure.
  @_noLocks private mutating func gone(
    _ link: borrowing Link, _ error: Int32, _ card: borrowing Card
  ) -> Exit {
    if card.isRunning {
      let passed = (clinux_now() - measured) / 1000 * Int64(card.rate) / 1_000_000
      heard = min(renderer.clock, heard + max(0, passed - Int64(card.rate) / 100))
    }
    let lost = min(Int(renderer.clock - heard), renderer.rewindable)
    renderer.rewind(link, by: lost)
    renderer.interrupt(cut: true)
    fill = 0
    heard = renderer.clock
    publish(link, isRunning: false)
    return .gone(error)
  }

  /// Takes back all that the card can still give, so that a change is heard at once.
  @_noLocks private mutating func rewind(_ link: borrowing Link, _ card: inout Card) {
    guard card.isRunning, let margin = card.margin else { return }
    let frames = min(fill - margin, renderer.rewindable)
    guard frames > 0 else { return }
    let count = card.rewind(frames)
    renderer.rewind(link, by: count)
    fill -= count
  }

  @_noLocks private mutating func obey(_ link: borrowing Link) {
    while let command = link.nextCommand() {
      switch command {
      case .pause: renderer.pause()
      case .resume: renderer.resume()
      case .gain(let gain): renderer.setGain(gain)
      case .leave(let generation): renderer.leave(generation)
      case .quit:
        isQuitting = true
        renderer.leave(.max)
      }
    }
    if !isQuitting, renderer.hasEntry(link) { enter(link) }
  }

  @_noLocks private mutating func enter(_ link: borrowing Link) {
    renderer.enter(link, audible: fill > 0)
    late = 0
  }

  /// Renders until the card holds what it should.
  @_noLocks private mutating func fillUp(_ link: borrowing Link, _ card: inout Card) -> Exit? {
    stop = .none
    while fill < card.target {
      // With little left before the card, a small piece first: the card must not catch up meanwhile.
      let piece = fill < Int(card.rate) / 50 ? 512 : 4096
      let (memory, room) = unsafe card.room(limit: min(card.target - fill, piece))
      if room == 0 { break }
      let rendered = unsafe renderer.render(link, frames: room, to: memory, as: card.format)
      stop = rendered.stop
      if rendered.frames > 0 {
        if let exit = commit(link, rendered.frames, &card) { return exit }
      }
      switch stop {
      case .none: continue
      case .left where !isQuitting && renderer.hasEntry(link): enter(link)
      default: return nil
      }
    }
    return nil
  }

  @_noLocks private mutating func commit(
    _ link: borrowing Link, _ frames: Int, _ card: inout Card
  ) -> Exit? {
    var error = card.commit(frames)
    fill += frames
    if error == 0, !card.isRunning {
      error = card.start()
      measured = clinux_now()
    }
    return error < 0 && !Card.isDry(error) ? gone(link, error, card) : nil
  }

  /// Adds silence behind the last frame, up to `frames` of it.
  @_noLocks private mutating func pad(
    _ link: borrowing Link, to frames: Int, _ card: inout Card
  ) -> Exit? {
    while renderer.quiet < frames, fill < card.size {
      let (memory, room) = unsafe card.room(
        limit: min(frames - renderer.quiet, card.size - fill))
      if room == 0 { break }
      unsafe renderer.renderSilence(frames: room, to: memory, as: card.format)
      if let exit = commit(link, room, &card) { return exit }
    }
    return nil
  }

  /// Tells the others how far it has come.
  @_noLocks private mutating func publish(_ link: borrowing Link, isRunning: Bool) {
    // The marks come first: who reads the meter and then the reports is never behind.
    if renderer.reportMarks(link, heard: heard) { clinux_signal(signals.main) }
    link.meter.set(
      clock: heard, time: isRunning ? measured : -1,
      limit: renderer.limit, marks: renderer.reported)
    renderer.release(link, heard: heard)
    if link.takeDecoderWakeup() { clinux_signal(signals.decoder) }
  }

  /// What comes next: an end of the loop, or a sleep in nanoseconds (negative: until woken).
  @_noLocks private mutating func plan(
    _ link: borrowing Link, _ card: inout Card
  ) -> (Exit?, Int64) {
    switch stop {
    case .none:
      return (nil, time(until: card.target / 2, rate: card.rate))
    case .dry:
      return dry(link, &card)
    case .silent where late != 0:
      return dry(link, &card)
    case .silent, .left, .end, .rate:
      return playOut(link, &card)
    }
  }

  /// Nanoseconds until only `frames` are left in the buffer, or a mark is heard.
  @_noLocks private func time(until frames: Int, rate: Int32) -> Int64 {
    var count = Int64(max(0, fill - frames))
    if let mark = renderer.nextMark { count = min(count, max(0, mark - heard)) }
    return max(1, count * 1_000_000_000 / Int64(rate))
  }

  /// The decoder is behind: waits, and with little left fades out and plays silence meanwhile.
  @_noLocks private mutating func dry(
    _ link: borrowing Link, _ card: inout Card
  ) -> (Exit?, Int64) {
    link.wantFrames(true)
    let enough = late == 0 ? 1 : Int(card.rate) / 10
    if renderer.hasMore(link, frames: enough) {
      link.wantFrames(false)
      if late != 0 {
        late = 0
        rewind(link, &card)
        renderer.hold(false)
      }
      return (nil, 0)
    }
    if !card.isRunning { return link.isToRest ? (.rest, 0) : (nil, -1) }
    let low = Int(card.rate) * 30 / 1000
    if fill > low { return (nil, time(until: low, rate: card.rate)) }
    if card.outrunsTime(fill: fill) { return (nil, -1) }
    let now = clinux_now()
    if late == 0 {
      late = now
      link.report(.underrun(late: true))
      clinux_signal(signals.main)
      rewind(link, &card)
      renderer.hold(true)
      if !renderer.isSilent { return (nil, 0) }
    }
    if now - late > 1_000_000_000 { return playOut(link, &card) }
    if let exit = pad(link, to: renderer.quiet + max(0, low + low / 2 - fill), &card) {
      return (exit, 0)
    }
    return (nil, time(until: low, rate: card.rate))
  }

  /// Lets the last frame be heard, then stops the card.
  @_noLocks private mutating func playOut(
    _ link: borrowing Link, _ card: inout Card
  ) -> (Exit?, Int64) {
    if card.isRunning, fill > renderer.quiet {
      if let exit = pad(link, to: card.padding, &card) { return (exit, 0) }
      let left = renderer.quiet < card.padding ? min(fill, card.padding) : fill - renderer.quiet
      return (nil, time(until: fill - left, rate: card.rate))
    }
    if card.isRunning {
      fill = 0
      let error = card.stop()
      if error < 0 { return (gone(link, error, card), 0) }
      if case .silent = stop {
        renderer.interrupt(cut: true)
      } else {
        renderer.interrupt(cut: false)
      }
      renderer.settle()
    }
    if case .left = stop { renderer.skip(link) }
    heard = renderer.clock
    publish(link, isRunning: false)
    if isQuitting { return (.quit, 0) }
    if case .rate(let rate) = stop { return (.rate(rate), 0) }
    if case .end = stop, ended != renderer.generation {
      clinux_signal(signals.main)
      // With no room for the report it is tried again in a while: without it nothing would go on.
      guard link.report(.ended(generation: renderer.generation)) else { return (nil, 50_000_000) }
      ended = renderer.generation
    }
    link.wantFrames(true)
    if renderer.hasEntry(link) { return (nil, 0) }
    return link.isToRest ? (.rest, 0) : (nil, -1)
  }

  @_noLocks private mutating func sleep(
    _ card: borrowing Card, _ descriptors: UnsafeMutablePointer<pollfd>, count all: Int,
    _ nanoseconds: Int64
  ) {
    let count = card.isRunning && !ignoresCard ? all : 1
    let woken = unsafe clinux_wait(descriptors, UInt32(count), nanoseconds)
    guard woken > 0 else { return }
    if unsafe descriptors[0].revents != 0 { _ = clinux_take(signals.wake) }
    var isCard = false
    var index = 1
    while index < count {
      if unsafe descriptors[index].revents != 0 { isCard = true }
      index += 1
    }
    if isCard, unsafe card.hasError(descriptors + 1, count: count - 1) { ignoresCard = true }
  }
}
