internal import CLinux
internal import Glibc
internal import Synchronization

/// What goes on between files and the renderer: opens items, decodes, resamples, fills the ring.
///
/// Plays one item and then those it is told follow, each opened ahead. Owned and called by one
/// thread; nothing waits in here.
final class Chain {
  enum Event: Equatable, Sendable {
    /// The item is open; its length in time if known.
    case opened(id: UInt32, length: Duration?, StreamFormat)
    /// The item can't be opened or read on; what follows it plays.
    case failed(id: UInt32, DecoderError)
    /// `follow` must say what comes after this item.
    case wantsNext(after: UInt32)
    /// What was to come after this item has changed, and what it was before is in the ring already.
    case overtaken(after: UInt32)
  }

  enum Step {
    /// Something was done; there may be more.
    case worked
    /// The ring is full.
    case full
    /// Nothing can be done before the next `play` or `follow`.
    case waiting
  }

  /// The rates that the output can take.
  enum Output: Equatable {
    case unknown
    /// A set of `PCM.rates`, a bit each.
    case rates(UInt32)
    /// Hz.
    case fixed(Int)
    /// That of the first item.
    case first
  }

  private enum Following {
    case unknown
    case item(Item)
    case voice(Voice)
    case end
  }

  var output = Output.unknown
  /// What happened since this was last emptied.
  var events: [Event] = []

  private let stage: Stage
  /// What others may know of how it comes on.
  private let progress: DecoderProgress
  /// Frames on their way into the ring: nothing writes there for as long as a read may take.
  private var decoded = [Frame](repeating: Frame(left: 0, right: 0), count: piece)
  private var voice: Voice?
  /// The item that plays or failed to, which what follows is to come after.
  private var current: UInt32?
  private var following = Following.end
  private var generation: UInt32 = 0
  /// The renderer is not let into this generation yet.
  private var isFirst = false
  /// This generation's first chunk, and its frames so far, while the renderer is not let in.
  private var entry: UInt?
  private var entryFrames = 0
  private var isEnded = true
  /// The voice has no more frames, or can't be read on.
  private var isSpent = false
  /// A start in mid sound is not ramped: for files.
  private let isCut: Bool

  private var resampling: Resampling?

  /// Frames at the end of the ring that only a new generation may fill.
  private static let reserve = 16_384
  private static let piece = 8192

  init(_ stage: Stage, isCut: Bool = false, progress: DecoderProgress = DecoderProgress(0)) {
    self.stage = stage
    self.progress = progress
    self.isCut = isCut
  }

  // MARK: What to do

  /// Plays an item from a place on, at once; one that is open already is not opened again.
  func play(_ item: Item, from place: Duration, generation: UInt32) {
    self.generation = generation
    progress.turn(toGeneration: generation)
    isFirst = true
    entry = nil
    entryFrames = 0
    isEnded = false
    isSpent = false
    resampling = nil
    let old = voice
    voice = nil
    current = item.id
    progress.turn(to: item.id)
    do throws(DecoderError) {
      if case .voice(let next) = following, next.item == item {
        voice = next
        if next.position != next.start || place != .zero { try seek(next, to: place) }
      } else if let old, old.item == item {
        voice = old
        try seek(old, to: place)
      } else {
        let opened = try Voice(item, after: nil)
        voice = opened
        announce(opened)
        if place != .zero { try seek(opened, to: place) }
      }
    } catch {
      voice = nil
      fail(item.id, error)
    }
    following = .unknown
    events.append(.wantsNext(after: item.id))
  }

  private func seek(_ voice: Voice, to place: Duration) throws(DecoderError) {
    try voice.seek(to: voice.start + place.frames(at: voice.format.rate))
  }

  /// Plays nothing more.
  func stop(generation: UInt32) {
    self.generation = generation
    progress.turn(toGeneration: generation)
    voice = nil
    current = nil
    following = .end
    isEnded = true
    resampling = nil
  }

  /// Says what comes after the current item; nil is the end.
  func follow(with item: Item?) {
    guard let item else {
      following = .end
      return
    }
    if case .voice(let voice) = following, voice.item == item { return }
    following = .item(item)
  }

  /// The same, but if another item has begun since `id`, it is the new one that is asked about.
  func follow(with item: Item?, after id: UInt32) {
    if id == current {
      follow(with: item)
    } else if item?.id != current {
      events.append(.overtaken(after: id))
    }
  }

  /// With nothing playing: opens what `play` will ask for.
  func prepare(_ item: Item?) {
    guard isEnded else { return }
    follow(with: item)
  }

  /// The file of an item can't be read any more: what is in the ring plays on, then what follows.
  ///
  /// `andNext`: what follows can't be read either, and its owner will say what does.
  func lose(_ id: UInt32, andNext: Bool) {
    guard id == current, let voice else { return }
    if andNext { following = .unknown }
    if isSpent { return }
    fadeEnd(of: voice)
    fail(voice.item.id, .unreadable(ENODEV))
    isSpent = true
  }

  /// Lets the last half second in the ring fade, as far as it is the voice's and the card is not near it.
  private func fadeEnd(of voice: Voice) {
    // At most a quarter of the ring is given to the card; as much again is far away.
    let far = stage.link.frames.capacity - stage.link.frames.space - stage.link.frames.capacity / 2
    let count = min(voice.rate / 2, voice.position - voice.start, far)
    guard count > 0 else { return }
    _ = withFloor {
      for index in 0..<count {
        let gain = Float(count - 1 - index) / Float(count)
        stage.link.frames.change(at: stage.link.frames.head &- UInt(count - index)) { frame in
          frame.left *= gain
          frame.right *= gain
        }
      }
    }
  }

  /// Begins a generation where `play` of an item would have failed: what follows it plays.
  func passOver(_ id: UInt32, generation: UInt32) {
    stop(generation: generation)
    isFirst = true
    entry = nil
    entryFrames = 0
    isEnded = false
    isSpent = false
    current = id
    progress.turn(to: id)
    following = .unknown
  }

  /// Does one small piece of work: the most urgent there is.
  func step() -> Step {
    let step = work()
    if case .worked = step { return step }
    enter()
    return step
  }

  private func work() -> Step {
    if isEnded {
      guard case .item(let item) = following else { return .waiting }
      open(item, after: nil)
      return .worked
    }
    if output == .unknown { return .waiting }
    guard let voice else { return begin() }
    let free = stage.link.frames.space
    let hasPlace = stage.link.chunks.space > 1
    if isSpent { return free > 0 && hasPlace ? end(of: voice) : prepare(after: voice) }
    let space = free - (isFirst ? 0 : Self.reserve)
    if space > 0, hasPlace {
      let limit = min(space, isFirst ? Self.piece / 4 : Self.piece)
      do throws(DecoderError) {
        if try fill(from: voice, limit: limit) { return .worked }
      } catch {
        fail(voice.item.id, error)
      }
      isSpent = true
      return .worked
    }
    return prepare(after: voice)
  }

  // MARK: From item to item

  private func announce(_ voice: Voice) {
    events.append(
      .opened(
        id: voice.item.id,
        length: voice.length.map { Duration(frames: $0, at: voice.format.rate) }, voice.format))
  }

  private func fail(_ id: UInt32, _ error: DecoderError) {
    events.append(.failed(id: id, error))
  }

  /// Nothing plays: begins with what follows.
  private func begin() -> Step {
    switch following {
    case .unknown:
      return .waiting
    case .end:
      if isFirst {
        isEnded = true
        return pushEnd(rate: 48_000, id: 0)
      }
      return .waiting
    case .voice(let next):
      voice = next
      current = next.item.id
      isSpent = false
      following = .unknown
      events.append(.wantsNext(after: next.item.id))
      return .worked
    case .item(let item):
      open(item, after: nil)
      return .worked
    }
  }

  /// Opens what follows; if it can't be opened, asks for what comes after that.
  private func open(_ item: Item, after previous: Voice?) {
    progress.turn(to: item.id)
    do throws(DecoderError) {
      if let previous, previous.isFollowed(by: item) {
        return
      }
      let voice = try Voice(item, after: previous?.item.source.path)
      announce(voice)
      following = .voice(voice)
    } catch {
      following = .unknown
      fail(item.id, error)
      events.append(.wantsNext(after: item.id))
    }
  }

  /// With the ring full, opens what follows and decodes the beginning of it.
  private func prepare(after voice: Voice) -> Step {
    switch following {
    case .item(let item) where !voice.isFollowed(by: item):
      open(item, after: voice)
      return .worked
    case .voice(let next):
      // An error here comes again, and is reported, when the item's turn comes.
      let more = (try? next.decodeAhead()) ?? false
      return more ? .worked : .full
    case .item, .unknown, .end:
      return .full
    }
  }

  /// The voice has no more frames: goes over to the next, in one run if the rate stays.
  private func end(of voice: Voice) -> Step {
    switch following {
    case .unknown:
      return .waiting
    case .item(let item):
      if voice.isFollowed(by: item) {
        let next = Voice(item, continuing: voice)
        announce(next)
        following = .voice(next)
      } else {
        open(item, after: voice)
      }
      return .worked
    case .voice(let next):
      if resampling != nil, next.rate != resampling?.from || rate(for: next.rate) != resampling?.to
      {
        if finishResampling(voice) { return .worked }
      }
      resampling?.join(next)
      self.voice = next
      current = next.item.id
      isSpent = false
      following = .unknown
      events.append(.wantsNext(after: next.item.id))
      return .worked
    case .end:
      if finishResampling(voice) { return .worked }
      isEnded = true
      return pushEnd(rate: rate(for: voice.rate), id: voice.item.id)
    }
  }

  // MARK: Frames

  /// The rate at which frames of a rate go out (Hz).
  private func rate(for rate: Int) -> Int {
    switch output {
    case .unknown: return rate
    case .fixed(let fixed): return fixed
    case .first:
      output = .fixed(rate)
      return rate
    case .rates(let set):
      let rates = PCM.rates.indices.filter { set & 1 << UInt32($0) != 0 }.map { PCM.rates[$0] }
      if rates.contains(rate) { return rate }
      return rates.first { $0 > rate && $0.isMultiple(of: rate) } ?? rates.first { $0 > rate }
        ?? rates.last ?? rate
    }
  }

  /// Brings one piece into the ring; false if the voice has no more.
  private func fill(from voice: Voice, limit: Int) throws(DecoderError) -> Bool {
    progress.turn(to: voice.item.id)
    let source = voice.rate
    let target = rate(for: source)
    if let old = resampling, old.from != source || old.to != target {
      if finishResampling(voice) { return true }
    }
    if source == target {
      let position = voice.position - voice.start
      let isAttack = voice.position == 0
      let bits = voice.bits
      let count = try unsafe decode(limit) { (room) throws(DecoderError) in
        try unsafe voice.read(into: room)
      }
      if count == 0 { return false }
      push(
        count, id: voice.item.id, position: position, rate: target, bits: bits, isAttack: isAttack)
      return true
    }
    if resampling == nil {
      resampling = try Resampling(from: source, to: target, voice)
    }
    guard let resampling else { return false }
    let isAttack = resampling.isAtStart
    let produced = try unsafe decode(limit) { (room) throws(DecoderError) in
      try unsafe resampling.read(voice, into: room) ?? -1
    }
    if produced < 0 { return false }
    push(produced, of: resampling, isAttack: isAttack)
    return true
  }

  /// Lets what is left in the resampler out; false once nothing is.
  private func finishResampling(_ voice: Voice) -> Bool {
    guard let resampling else { return false }
    let produced = unsafe decode(.max) { room in unsafe resampling.finish(into: room) }
    if produced == 0 {
      self.resampling = nil
      return false
    }
    push(produced, of: resampling, isAttack: false)
    return true
  }

  private func push(_ count: Int, of resampling: Resampling, isAttack: Bool) {
    var start = 0
    for part in resampling.parts(of: count, limit: stage.link.chunks.space - 1) {
      push(
        part.count, from: start, id: part.id, position: part.position, rate: resampling.to, bits: 0,
        isAttack: isAttack)
      start += part.count
    }
  }

  /// Calls `body` with as much room as the ring has in one piece.
  private func decode<Failure: Error>(
    _ limit: Int, _ body: (UnsafeMutableBufferPointer<Frame>) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    let limit = unsafe stage.link.frames.room(limit: min(limit, Self.piece)).count
    return try unsafe decoded.withUnsafeMutableBufferPointer { (frames) throws(Failure) in
      try unsafe body(UnsafeMutableBufferPointer(rebasing: frames[..<limit]))
    }
  }

  private func push(
    _ count: Int, from start: Int = 0, id: UInt32, position: Int, rate: Int, bits: UInt8,
    isAttack: Bool,
    isEnd: Bool = false
  ) {
    let index = withFloor { () -> UInt in
      let room = unsafe stage.link.frames.room(limit: count)
      for index in 0..<count { unsafe room[index] = decoded[start + index] }
      return stage.push(
        Chunk(
          generation: generation, track: id, start: stage.link.frames.head, count: count,
          position: Int64(position), rate: Int32(rate), bits: bits, isEnd: isEnd,
          isAttack: isAttack || isCut))
    }
    guard isFirst, let index else { return }
    entry = entry ?? index
    entryFrames += count
    // The renderer finds enough to play on while the next pieces are decoded: 50 ms.
    if isEnd || entryFrames >= rate / 20 { enter() }
  }

  /// Lets the renderer into this generation, if there is anything and it is not let in yet.
  private func enter() {
    guard let index = entry else { return }
    entry = nil
    isFirst = false
    _ = withFloor { stage.enter(index) }
  }

  /// Does what touches the rings, unless another decoder has taken this one's place.
  private func withFloor<Result: Sendable>(_ body: () -> Result) -> Result? {
    stage.floor.withLock { floor in floor == progress.number ? body() : nil }
  }

  private func pushEnd(rate: Int, id: UInt32) -> Step {
    push(0, id: id, position: 0, rate: rate, bits: 0, isAttack: true, isEnd: true)
    return .worked
  }
}
