internal import CALSA
internal import CLinux

/// A sound card as the audio thread sees it: a buffer that a clock empties.
///
/// An ALSA PCM, or, with none, a silent output that keeps real time. It does not own the PCM.
@safe struct Card: ~Copyable {
  let rate: Int32
  let format: SampleFormat
  /// Frames that the card's buffer holds.
  let size: Int
  /// Frames to keep in the buffer.
  let target: Int
  /// Frames ahead of the card's own place that are safe to be rendered again; nil if none can.
  let margin: Int?
  /// Frames of silence that keep the card from playing old sound when the last frame was heard.
  let padding: Int

  private(set) var isRunning = false
  private let pcm: OpaquePointer?
  private let isMapped: Bool
  private let buffer: UnsafeMutableRawPointer
  private static var bufferFrames: Int { 4096 }
  private var offset: snd_pcm_uframes_t = 0
  private var written = 0
  private var started: Int64 = 0

  /// `pcm` is set up for `rate`, `format`, two channels and `size`; nil keeps time in silence.
  init(
    pcm: OpaquePointer?, isMapped: Bool, rate: Int32, format: SampleFormat, size: Int, target: Int,
    margin: Int?, padding: Int
  ) {
    unsafe self.pcm = pcm
    self.isMapped = isMapped
    self.rate = rate
    self.format = format
    self.size = size
    self.target = target
    self.margin = margin
    self.padding = padding
    unsafe buffer = .allocate(byteCount: Self.bufferFrames * format.bytesPerFrame, alignment: 16)
    unsafe buffer.initializeMemory(
      as: UInt8.self, repeating: 0, count: Self.bufferFrames * format.bytesPerFrame)
  }

  deinit { unsafe buffer.deallocate() }

  enum State: BitwiseCopyable {
    /// Frames in the buffer that are not heard yet.
    case fill(Int)
    /// It ran dry and stands.
    case dry
    /// The device is gone: ALSA's error, negative.
    case gone(Int32)
  }

  /// How full the buffer is right now; snd_pcm_avail.
  @_noLocks mutating func state() -> State {
    guard let pcm = unsafe pcm else {
      guard isRunning else { return .fill(written) }
      let fill = written - elapsedFrames()
      return fill > 0 ? .fill(fill) : .dry
    }
    let state = unsafe snd_pcm_state(pcm)
    if state == SND_PCM_STATE_DISCONNECTED { return .gone(-ENODEV) }
    if state == SND_PCM_STATE_XRUN { return .dry }
    if state == SND_PCM_STATE_SUSPENDED, unsafe snd_pcm_resume(pcm) != 0 { return .dry }
    guard isRunning else { return .fill(written) }
    let room = unsafe snd_pcm_avail(pcm)
    if room >= 0 { return .fill(max(0, size - room)) }
    return Self.isDry(Int32(room)) ? .dry : .gone(Int32(room))
  }

  /// True if an error means that the card ran dry, and not that it is gone.
  @_noLocks static func isDry(_ error: Int32) -> Bool { error == -EPIPE || error == -ESTRPIPE }

  /// True if the card takes frames faster than they last: it is a file, and no clock.
  @_noLocks func outrunsTime(fill: Int) -> Bool {
    isRunning && written - fill > elapsedFrames() + Int(rate / 50)
  }

  @_noLocks private func elapsedFrames() -> Int {
    Int((clinux_now() - started) / 1000 * Int64(rate) / 1_000_000)
  }

  /// Memory for the next frames, up to `limit` of them; snd_pcm_mmap_begin.
  @_noLocks mutating func room(limit: Int) -> (memory: UnsafeMutableRawPointer, frames: Int) {
    guard let pcm = unsafe pcm, isMapped else {
      return unsafe (buffer, min(limit, Self.bufferFrames))
    }
    var frames = snd_pcm_uframes_t(limit)
    var areas: UnsafePointer<snd_pcm_channel_area_t>?
    guard unsafe snd_pcm_mmap_begin(pcm, &areas, &offset, &frames) == 0,
      let area = unsafe areas?[0], let address = unsafe area.addr
    else { return unsafe (buffer, 0) }
    let place = unsafe (UInt(area.first) + offset * UInt(area.step)) / 8
    return unsafe (address + Int(place), Int(frames))
  }

  /// Hands over the first `frames` frames of `room`; 0 or ALSA's error. snd_pcm_mmap_commit, snd_pcm_writei.
  @_noLocks mutating func commit(_ frames: Int) -> Int32 {
    if let pcm = unsafe pcm {
      let count =
        isMapped
        ? unsafe snd_pcm_mmap_commit(pcm, offset, snd_pcm_uframes_t(frames))
        : unsafe snd_pcm_writei(pcm, buffer, snd_pcm_uframes_t(frames))
      if count < 0 { return Int32(count) }
      if count < frames { return -EPIPE }
    }
    written += frames
    return 0
  }

  /// Lets the clock run; 0 or ALSA's error. snd_pcm_start.
  @_noLocks mutating func start() -> Int32 {
    if let pcm = unsafe pcm, unsafe snd_pcm_state(pcm) != SND_PCM_STATE_RUNNING {
      let error = unsafe snd_pcm_start(pcm)
      if error < 0 { return error }
    }
    started = clinux_now()
    isRunning = true
    return 0
  }

  /// Takes back up to `frames` frames that are not heard yet; snd_pcm_rewind.
  @_noLocks mutating func rewind(_ frames: Int) -> Int {
    var count = frames
    if let pcm = unsafe pcm {
      count = unsafe max(0, snd_pcm_rewind(pcm, snd_pcm_uframes_t(frames)))
    }
    written -= count
    return count
  }

  /// Takes what poll found, and says if it is an error; snd_pcm_poll_descriptors_revents.
  @_noLocks func hasError(_ descriptors: UnsafeMutablePointer<pollfd>, count: Int) -> Bool {
    guard let pcm = unsafe pcm else { return false }
    var events: UInt16 = 0
    let error = unsafe snd_pcm_poll_descriptors_revents(pcm, descriptors, UInt32(count), &events)
    return error < 0 || Int32(events) & (POLLERR | POLLHUP | POLLNVAL) != 0
  }

  /// Stops at once and makes ready to start again; 0 or ALSA's error. snd_pcm_drop, snd_pcm_prepare.
  @_noLocks mutating func stop() -> Int32 {
    isRunning = false
    written = 0
    guard let pcm = unsafe pcm else { return 0 }
    _ = unsafe snd_pcm_drop(pcm)
    return unsafe snd_pcm_prepare(pcm)
  }
}
