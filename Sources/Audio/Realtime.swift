// What the audio thread runs on: rings, messages, the renderer. Pure and compiler-checked: no lock,
// no allocation, no C. It compiles for bare ARM too, so it may import nothing but Synchronization.
// It is one file because debug builds check generic code only within the file that uses it.
import Synchronization

/// One sample for each of the two loudspeakers, full scale at ±1.
struct Frame: BitwiseCopyable, Equatable, Sendable {
  var left: Float
  var right: Float
}

/// A bounded queue between one producing and one consuming thread, without locks.
///
/// Indices run free and wrap; an element's place is its index modulo the capacity. The consumer may
/// read again whatever it has not released yet, so it can go back.
@safe struct Ring<Element: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
  /// A power of two.
  let capacity: Int
  private let elements: UnsafeMutablePointer<Element>
  private let written = Atomic<UInt>(0)
  private let released = Atomic<UInt>(0)

  /// `start` is the first element's index.
  init(capacity: Int, start: UInt = 0) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "capacity is a power of two")
    self.capacity = capacity
    unsafe elements = .allocate(capacity: capacity)
    written.store(start, ordering: .relaxed)
    released.store(start, ordering: .relaxed)
  }

  deinit { unsafe elements.deallocate() }

  /// The memory that the elements live in, to lock and to touch before the thread starts.
  var memory: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(
      start: elements, count: capacity * MemoryLayout<Element>.stride)
  }

  // MARK: Call from the producer only

  /// The index that the next element gets.
  var head: UInt { written.load(ordering: .relaxed) }

  /// Elements that can be added now.
  var space: Int {
    capacity - Int(written.load(ordering: .relaxed) &- released.load(ordering: .acquiring))
  }

  /// Adds an element; false if there is no space.
  func push(_ element: Element) -> Bool {
    guard space > 0 else { return false }
    let index = written.load(ordering: .relaxed)
    unsafe elements[Int(index & UInt(capacity - 1))] = element
    written.store(index &+ 1, ordering: .releasing)
    return true
  }

  /// Room for up to `limit` elements in one piece; what is filled in there is added by `advance`.
  func room(limit: Int) -> UnsafeMutableBufferPointer<Element> {
    let place = Int(written.load(ordering: .relaxed) & UInt(capacity - 1))
    return unsafe UnsafeMutableBufferPointer(
      start: elements + place, count: min(limit, space, capacity - place))
  }

  /// Adds the first `count` elements of `room`.
  func advance(by count: Int) {
    precondition(count <= space, "advanced past the space there was")
    written.store(written.load(ordering: .relaxed) &+ UInt(count), ordering: .releasing)
  }

  /// Changes one of the last elements, which the consumer must not have come near.
  func change(at index: UInt, _ body: (inout Element) -> Void) {
    let element = unsafe elements + Int(index & UInt(capacity - 1))
    unsafe body(&element.pointee)
  }

  // MARK: Call from the consumer only

  /// The oldest index that can still be read.
  var tail: UInt { released.load(ordering: .relaxed) }

  /// Elements from an index on.
  func available(from index: UInt) -> Int {
    Int(written.load(ordering: .acquiring) &- index)
  }

  /// The element at an index between `tail` and `head`.
  func element(at index: UInt) -> Element {
    unsafe elements[Int(index & UInt(capacity - 1))]
  }

  /// Up to `limit` elements that lie in one piece from an index on; the caller knows they are there.
  func run(at index: UInt, limit: Int) -> UnsafeBufferPointer<Element> {
    let place = Int(index & UInt(capacity - 1))
    return unsafe UnsafeBufferPointer(start: elements + place, count: min(limit, capacity - place))
  }

  /// Gives the elements before an index back to the producer.
  func release(before index: UInt) { released.store(index, ordering: .releasing) }

  /// Elements that the producer can add at most right now.
  var spaceForConsumer: Int {
    capacity - Int(written.load(ordering: .acquiring) &- released.load(ordering: .relaxed))
  }

  /// Takes the oldest element.
  func pop() -> Element? {
    let index = released.load(ordering: .relaxed)
    guard available(from: index) > 0 else { return nil }
    let element = element(at: index)
    released.store(index &+ 1, ordering: .releasing)
    return element
  }
}

/// Says what a run of frames in the ring is. Pushed after the frames themselves.
struct Chunk: BitwiseCopyable, Equatable, Sendable {
  /// Counts up with each play, seek and stop; frames of an older one are stale.
  var generation: UInt32
  /// The track's name in reports.
  var track: UInt32
  /// Index of the first frame in the ring.
  var start: UInt
  /// Frames; 0 only marks the end.
  var count: Int
  /// Place of the first frame in its track, in frames at `rate`.
  var position: Int64
  /// Frames a second (Hz).
  var rate: Int32
  /// Significant bits of the samples as integers, 0 if they are not integers.
  var bits: UInt8
  /// Nothing follows: playing ends after this chunk.
  var isEnd: Bool
  /// The sound begins here by itself: entering it needs no ramp.
  var isAttack: Bool
}

/// What the audio thread is told.
enum Command: BitwiseCopyable, Equatable, Sendable {
  case pause
  case resume
  /// Linear gain, 1 leaves the samples as they are.
  case gain(Float)
  /// Frames of older generations than this are no longer wanted.
  case leave(UInt32)
  case quit
}

/// What the audio thread tells, when it is heard and not when it is rendered.
enum Report: BitwiseCopyable, Equatable, Sendable {
  case heard(Mark)
  /// The last frame of the last track was heard.
  case ended(generation: UInt32)
  /// The card ran dry; `late` if the decoder was too slow and silence went in before.
  case underrun(late: Bool)
}

/// From here on frames are heard in one unbroken run: frame `position` of `track` at `clock`.
struct Mark: BitwiseCopyable, Equatable, Sendable {
  var generation: UInt32
  var track: UInt32
  var position: Int64
  var rate: Int32
  /// The frame's number, by the renderer's count.
  var clock: Int64
}

/// All that threads share with the audio thread.
struct Link: ~Copyable, Sendable {
  /// Decoder to renderer.
  let frames: Ring<Frame>
  let chunks: Ring<Chunk>
  /// Index in `chunks` of the newest generation's first chunk, plus one; the decoder sets it after the push.
  let entry = Atomic<UInt>(0)
  /// The decoder sleeps until there is space.
  let wantsSpace = Atomic<Bool>(false)
  /// The card is to be given back once nothing plays.
  let rests = Atomic<Bool>(false)
  /// The renderer has nothing to play until the decoder pushes.
  let wantsFrames = Atomic<Bool>(true)
  /// Main to audio thread, and back.
  let commands = Ring<Command>(capacity: 64)
  let reports = Ring<Report>(capacity: 256)
  let meter = Meter()

  /// The first frame's index: every run soon passes the wrap that 32 bits reach after a day of sound.
  static var start: UInt { 0 &- 48_000 }

  init(frames: Int) {
    self.frames = Ring(capacity: frames, start: Self.start)
    chunks = Ring(capacity: 1024)
  }
}

/// The audio thread's side, spelt out: generic calls from other files are refused in debug builds.
extension Link {
  var isToRest: Bool {
    @_noLocks get { rests.load(ordering: .acquiring) }
  }

  var hasCommand: Bool {
    @_noLocks get { commands.available(from: commands.tail) > 0 }
  }

  @_noLocks func nextCommand() -> Command? { commands.pop() }

  /// False if the report is dropped, since nobody has taken the last 256.
  @discardableResult
  @_noLocks func report(_ report: Report) -> Bool { reports.push(report) }

  /// Asks the decoder to wake the audio thread with its next push.
  @_noLocks func wantFrames(_ wants: Bool) {
    wantsFrames.store(wants, ordering: .sequentiallyConsistent)
  }

  /// True once if the decoder sleeps and half the ring is free.
  @_noLocks func takeDecoderWakeup() -> Bool {
    frames.spaceForConsumer >= frames.capacity / 2
      && wantsSpace.exchange(false, ordering: .acquiringAndReleasing)
  }
}

/// How far the sound has come: a reading that is never torn, taken without a lock (a sequence lock).
struct Meter: ~Copyable, Sendable {
  private let turn = Atomic<UInt>(0)
  private let clock = Atomic<Int64>(0)
  private let time = Atomic<Int64>(0)
  private let limit = Atomic<Int64>(0)
  private let marks = Atomic<Int64>(0)

  struct Reading: BitwiseCopyable, Equatable, Sendable {
    /// The frame heard at `time`, by the count of `Mark.clock`.
    var clock: Int64
    /// Nanoseconds of the monotonic clock; negative while the card stands still.
    var time: Int64
    /// Where what the last mark began ends, as far as it is given to the card.
    var limit: Int64
    /// Marks reported until then: the reading belongs to the last of them, and to no other.
    var marks: Int64
  }

  /// Call from the audio thread only.
  @_noLocks func set(clock: Int64, time: Int64, limit: Int64, marks: Int64) {
    let next = turn.load(ordering: .relaxed) &+ 1
    turn.store(next, ordering: .sequentiallyConsistent)
    self.clock.store(clock, ordering: .sequentiallyConsistent)
    self.time.store(time, ordering: .sequentiallyConsistent)
    self.limit.store(limit, ordering: .sequentiallyConsistent)
    self.marks.store(marks, ordering: .sequentiallyConsistent)
    turn.store(next &+ 1, ordering: .sequentiallyConsistent)
  }

  /// Call from any other thread; never from one that the audio thread waits for.
  var reading: Reading {
    while true {
      let before = turn.load(ordering: .sequentiallyConsistent)
      let reading = Reading(
        clock: clock.load(ordering: .sequentiallyConsistent),
        time: time.load(ordering: .sequentiallyConsistent),
        limit: limit.load(ordering: .sequentiallyConsistent),
        marks: marks.load(ordering: .sequentiallyConsistent))
      if before & 1 == 0, turn.load(ordering: .sequentiallyConsistent) == before { return reading }
    }
  }
}

/// A gain that goes from one value to another in a straight line.
struct Ramp: BitwiseCopyable, Equatable, Sendable {
  var start: Int64
  var frames: Int32
  var from: Float
  var to: Float

  var end: Int64 { start + Int64(frames) }

  func gain(at clock: Int64) -> Float {
    if clock >= end { return to }
    if clock <= start { return from }
    return from + (to - from) * Float(clock - start) / Float(frames)
  }
}

/// Turns chunks of frames into a card's samples, with every change of gain a short ramp.
///
/// It keeps count of what it has rendered, so that what is not heard yet can be rendered again.
@safe struct Renderer: ~Copyable {
  /// Milliseconds that a change of gain takes.
  static var rampMilliseconds: Int32 { 8 }

  /// Why `render` returned fewer frames than asked for, if it did.
  enum Stop: BitwiseCopyable, Equatable, Sendable {
    /// It did not.
    case none
    /// The decoder has pushed nothing more.
    case dry
    /// Paused, and the ramp down is rendered.
    case silent
    /// What is left was left behind by `leave`.
    case left
    /// The next frame has this rate.
    case rate(Int32)
    /// The last track's last frame is rendered.
    case end
  }

  /// Frames rendered since the start; silence counts while frames may follow it without a stop.
  private(set) var clock: Int64 = 0
  /// Rate of the frames being rendered (Hz).
  private(set) var rate: Int32 = 0
  private(set) var generation: UInt32 = 0

  private var cursor = Link.start
  private var chunk: UInt = 0
  /// No frame before this is rendered again.
  private var barrier: Int64 = 0
  /// The frame at which the present sound began, with silence or another one before it.
  private var onset: Int64 = 0
  /// Where the silence before it began.
  private var silence: Int64 = 0
  /// Frames of silence rendered last.
  private(set) var quiet: Int = 0

  private var volume: Float = 1
  private var ramp = Ramp(start: 0, frames: 0, from: 1, to: 1)
  private var isPaused = false
  private var isHeld = false
  private var wanted: UInt32 = 0
  /// The value of `Link.entry` that was entered last.
  private var entry: UInt = 0

  /// The sound that a new generation replaces, fading out.
  private var fade = Ramp(start: 0, frames: 0, from: 0, to: 0)
  private var fadeCursor: UInt = 0

  /// Marks rendered and not heard yet.
  private var marks = InlineArray<8, Mark>(
    repeating: Mark(generation: 0, track: 0, position: 0, rate: 0, clock: 0))
  private var markCount = 0
  /// A mark was reported before it was heard, to make room.
  private var hasReported = false
  /// Marks reported since the start.
  private(set) var reported: Int64 = 0
  /// The track and frame that would carry on the run; anything else needs a mark.
  private var next = Mark(generation: 0, track: 0, position: -1, rate: 0, clock: 0)

  private var quantiser = Quantiser()
  private let mix: UnsafeMutablePointer<Frame>
  private static var mixFrames: Int { 512 }

  init() { unsafe mix = .allocate(capacity: Self.mixFrames) }

  deinit { unsafe mix.deallocate() }

  // MARK: What to do

  @_noLocks mutating func pause() {
    isPaused = true
    turn()
  }

  @_noLocks mutating func resume() {
    isPaused = false
    turn()
  }

  @_noLocks mutating func setGain(_ gain: Float) {
    volume = gain
    turn()
  }

  /// Fades out what is older than `generation` and then renders no more of it.
  @_noLocks mutating func leave(_ generation: UInt32) {
    wanted = generation
    turn()
  }

  /// Fades out because the decoder is late; nothing is left out, it goes on from there.
  @_noLocks mutating func hold(_ isHeld: Bool) {
    self.isHeld = isHeld
    turn()
  }

  /// Ends a ramp down at once: for when nothing can be heard.
  @_noLocks mutating func settle() {
    if ramp.to == 0 { ramp.frames = 0 }
    fade.frames = 0
  }

  /// The card stands still after the last frame, and silence behind it no longer counts.
  ///
  /// `cut` says that the sound broke off and must rise again.
  @_noLocks mutating func interrupt(cut: Bool) {
    clock -= Int64(quiet)
    quiet = 0
    begin()
    if cut { ramp = rise }
    fade.frames = 0
    barrier = clock
  }

  /// A sound begins at the next frame. If nothing came of the one before, the silence goes on.
  @_noLocks private mutating func begin() {
    if soundEnd > onset { silence = soundEnd }
    quiet = 0
    onset = clock
    next.position = -1
  }

  /// The frame that follows the last one that is not silence.
  var soundEnd: Int64 {
    @_noLocks get { clock - Int64(quiet) }
  }

  /// True if the ramp down is rendered.
  var isSilent: Bool {
    @_noLocks get { ramp.to == 0 && clock >= ramp.end }
  }

  /// True if there are so many frames to go on with, or all up to the end.
  @_noLocks func hasMore(_ link: borrowing Link, frames: Int) -> Bool {
    var index = chunk
    while link.chunks.available(from: index) > 0 {
      let now = link.chunks.element(at: index)
      if now.generation != generation { return false }
      if now.isEnd || Int(bitPattern: now.start &+ UInt(now.count) &- cursor) >= frames {
        return true
      }
      index = index &+ 1
    }
    return false
  }

  /// Frames of this generation that are not rendered yet.
  @_noLocks private func remaining(_ link: borrowing Link) -> Int {
    var count = 0
    var index = chunk
    while link.chunks.available(from: index) > 0 {
      let now = link.chunks.element(at: index)
      if now.generation != generation { break }
      count = Int(bitPattern: now.start &+ UInt(now.count) &- cursor)
      index = index &+ 1
    }
    return count
  }

  /// The gain the sound is on its way to.
  private var target: Float {
    @_noLocks get { isPaused || isHeld || generation < wanted ? 0 : volume }
  }

  @_noLocks private mutating func turn() {
    if ramp.to == target { return }
    ramp = Ramp(start: clock, frames: rampFrames, from: ramp.gain(at: clock), to: target)
    barrier = max(barrier, clock)
  }

  private var rampFrames: Int32 {
    @_noLocks get { rate / 1000 * Self.rampMilliseconds }
  }

  /// From silence to where the sound should be; no frame is spent on a rise to nothing.
  private var rise: Ramp {
    @_noLocks get {
      Ramp(start: clock, frames: target == 0 ? 0 : rampFrames, from: 0, to: target)
    }
  }

  /// The frame from which on nothing is faded any more.
  private var changeEnd: Int64 {
    @_noLocks get { max(ramp.end, fade.end) }
  }

  /// True if a newer generation has come into the ring.
  @_noLocks func hasEntry(_ link: borrowing Link) -> Bool {
    link.entry.load(ordering: .acquiring) != entry
  }

  /// Goes over to the newest generation: the old sound fades out under the new one's beginning.
  ///
  /// `audible` says whether the frame before this one will be heard right before the next one. Where
  /// the rate changes, while pausing, and while an older sound still fades, the present one is faded
  /// out first; call again when `render` says `left`.
  @_noLocks mutating func enter(_ link: borrowing Link, audible: Bool) {
    let newest = link.entry.load(ordering: .acquiring)
    let index = newest &- 1
    if Int(bitPattern: index &- link.chunks.tail) < 0 {
      // It was left behind before it was announced, and its chunks are given back.
      entry = newest
      return
    }
    let first = link.chunks.element(at: index)
    let loud = audible && quiet == 0 && clock > onset ? ramp.gain(at: clock) : 0
    let left = remaining(link)
    if loud > 0 || clock < fade.end, left > 0, first.rate != rate || isPaused || clock < fade.end,
      audible, !(generation < wanted && clock >= changeEnd)
    {
      leave(first.generation)
      return
    }
    entry = newest
    generation = first.generation
    wanted = max(wanted, generation)
    if rate == 0 { rate = first.rate }
    let frames = Int32(min(Int(rampFrames), left))
    fade = Ramp(start: clock, frames: loud > 0 ? frames : 0, from: loud, to: 0)
    fadeCursor = cursor
    isHeld = false
    ramp = rise
    if loud == 0, first.isAttack { ramp.frames = 0 }
    chunk = index
    cursor = first.start
    barrier = max(clock, fade.end)
    begin()
  }

  /// The rate of the next frame (Hz), or of the last where there is none; 0 before the first.
  @_noLocks func nextRate(_ link: borrowing Link) -> Int32 {
    guard generation >= wanted, link.chunks.available(from: chunk) > 0 else { return rate }
    return rate == 0 ? 0 : link.chunks.element(at: chunk).rate
  }

  /// Takes the rate of the next frame, once the card has it.
  @_noLocks mutating func adopt(rate: Int32) {
    self.rate = rate
    barrier = clock
  }

  // MARK: Going back

  /// Frames that `rewind` can take back.
  var rewindable: Int {
    @_noLocks get { quiet + Int(max(0, soundEnd - barrier)) }
  }

  /// Takes back the last `frames` frames, at most `rewindable`, to be rendered again.
  @_noLocks mutating func rewind(_ link: borrowing Link, by frames: Int) {
    precondition(frames <= rewindable, "rewound past the barrier")
    if frames == 0 { return }
    clock -= Int64(frames)
    let sound = max(0, frames - quiet)
    quiet -= frames - sound
    if sound == 0 { return }
    cursor = cursor &- UInt(sound)
    while chunk != link.chunks.tail,
      Int(bitPattern: link.chunks.element(at: chunk).start &- cursor) > 0
    {
      chunk = chunk &- 1
    }
    while markCount > 0, marks[markCount - 1].clock > clock { markCount -= 1 }
    let now = link.chunks.element(at: chunk)
    next = Mark(
      generation: now.generation, track: now.track,
      position: now.position + Int64(Int(cursor &- now.start)), rate: now.rate, clock: clock)
  }

  /// Gives back to the decoder what was heard: all before the card's frame number `heard`.
  @_noLocks func release(_ link: borrowing Link, heard: Int64) {
    let back = max(0, min(soundEnd - heard, soundEnd - barrier))
    var keep = cursor &- UInt(back)
    if clock < fade.end { keep = fadeCursor }
    if Int(bitPattern: keep &- link.frames.tail) > 0 { link.frames.release(before: keep) }
    var index = link.chunks.tail
    while index != chunk {
      let old = link.chunks.element(at: index)
      if Int(bitPattern: old.start &+ UInt(old.count) &- link.frames.tail) > 0 { break }
      index = index &+ 1
    }
    if index != link.chunks.tail { link.chunks.release(before: index) }
  }

  // MARK: Marks

  /// Reports the marks that are heard by now.
  @_noLocks mutating func reportMarks(_ link: borrowing Link, heard: Int64) -> Bool {
    var count = 0
    while count < markCount, marks[count].clock <= heard {
      report(link, marks[count])
      count += 1
    }
    if count > 0 { dropMarks(count) }
    defer { hasReported = false }
    return count > 0 || hasReported
  }

  @_noLocks private mutating func report(_ link: borrowing Link, _ mark: Mark) {
    if link.report(.heard(mark)) { reported += 1 }
  }

  /// The frame at which the next mark is heard.
  var nextMark: Int64? {
    @_noLocks get { markCount > 0 ? marks[0].clock : nil }
  }

  /// Where the sound that was reported last ends: at the next mark, or before a silence.
  var limit: Int64 {
    @_noLocks get {
      let end = nextMark ?? soundEnd
      return end == onset ? silence : end
    }
  }

  @_noLocks private mutating func dropMarks(_ count: Int) {
    var index = count
    while index < markCount {
      marks[index - count] = marks[index]
      index += 1
    }
    markCount -= count
  }

  @_noLocks private mutating func mark(_ link: borrowing Link, _ now: Chunk, at position: Int64) {
    if next.generation == now.generation, next.track == now.track, next.position == position,
      next.rate == now.rate
    {
      return
    }
    next = Mark(
      generation: now.generation, track: now.track, position: position, rate: now.rate,
      clock: clock)
    if markCount > 0, marks[markCount - 1].clock == clock { markCount -= 1 }
    if markCount == marks.count {
      report(link, marks[0])
      hasReported = true
      dropMarks(1)
    }
    marks[markCount] = next
    markCount += 1
  }

  // MARK: Rendering

  /// Renders up to `frames` frames to `output` and says why they were not all of them.
  @_noLocks mutating func render(
    _ link: borrowing Link, frames: Int, to output: UnsafeMutableRawPointer, as format: SampleFormat
  ) -> (frames: Int, stop: Stop) {
    var done = 0
    while done < frames {
      if generation < wanted, clock >= changeEnd { return (done, .left) }
      guard link.chunks.available(from: chunk) > 0 else { return (done, .dry) }
      let now = link.chunks.element(at: chunk)
      let offset = Int(cursor &- now.start)
      if offset >= now.count {
        if now.isEnd { return (done, .end) }
        guard link.chunks.available(from: chunk &+ 1) > 0 else { return (done, .dry) }
        let after = link.chunks.element(at: chunk &+ 1)
        if after.generation != generation { return (done, .dry) }
        chunk = chunk &+ 1
        continue
      }
      if now.rate != rate { return (done, .rate(now.rate)) }
      if clock >= ramp.end, isPaused || isHeld { return (done, .silent) }
      if quiet > 0 {
        begin()
        barrier = clock
      }
      mark(link, now, at: now.position + Int64(offset))
      let run = unsafe link.frames.run(at: cursor, limit: min(frames - done, now.count - offset))
      let place = unsafe output + done * format.bytesPerFrame
      let count = unsafe render(run, bits: now.bits, link, to: place, as: format)
      cursor = cursor &+ UInt(count)
      clock += Int64(count)
      next.position += Int64(count)
      done += count
    }
    return (done, .none)
  }

  /// Renders one run of frames, or as much of it as has one kind of gain.
  @_noLocks private mutating func render(
    _ run: UnsafeBufferPointer<Frame>, bits: UInt8, _ link: borrowing Link,
    to output: UnsafeMutableRawPointer, as format: SampleFormat
  ) -> Int {
    guard let start = run.baseAddress else { return 0 }
    if clock >= ramp.end, clock >= fade.end {
      let exact = ramp.to == 1 && bits != 0 && bits <= format.bits
      unsafe quantiser.pack(
        start, count: run.count, gain: ramp.to, exact: exact, to: output, as: format)
      return run.count
    }
    var count = min(run.count, Self.mixFrames)
    if clock < ramp.end { count = min(count, Int(ramp.end - clock)) }
    if clock < fade.end { count = min(count, Int(fade.end - clock)) }
    var index = 0
    while index < count {
      let gain = ramp.gain(at: clock + Int64(index))
      let frame = unsafe start[index]
      unsafe mix[index] = Frame(left: frame.left * gain, right: frame.right * gain)
      index += 1
    }
    if clock < fade.end {
      index = 0
      while index < count {
        let gain = fade.gain(at: clock + Int64(index))
        let frame = link.frames.element(at: fadeCursor &+ UInt(clock + Int64(index) - fade.start))
        let other = unsafe mix[index]
        unsafe mix[index] = Frame(
          left: other.left + frame.left * gain, right: other.right + frame.right * gain)
        index += 1
      }
    }
    unsafe quantiser.pack(mix, count: count, gain: 1, exact: false, to: output, as: format)
    return count
  }

  /// Renders silence while there is nothing else, which a later frame may take back.
  @_noLocks mutating func renderSilence(
    frames: Int, to output: UnsafeMutableRawPointer, as format: SampleFormat
  ) {
    unsafe output.initializeMemory(
      as: UInt8.self, repeating: 0, count: frames * format.bytesPerFrame)
    clock += Int64(frames)
    quiet += frames
  }

  /// Passes over the chunks that were left behind, once their fading out was heard.
  @_noLocks mutating func skip(_ link: borrowing Link) {
    while link.chunks.available(from: chunk) > 0 {
      let old = link.chunks.element(at: chunk)
      if old.generation >= wanted { break }
      cursor = old.start &+ UInt(old.count)
      chunk = chunk &+ 1
    }
    barrier = clock
  }
}
