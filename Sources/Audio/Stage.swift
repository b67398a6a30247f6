internal import CLinux
import Synchronization

/// What the decoder, the audio thread and the owner have in common: the link and their wake-ups.
final class Stage: Sendable {
  let link: Link
  let signals: AudioThread.Signals
  /// The number of the decoder that may write into the rings: one that was given up may not.
  let floor = Mutex<UInt32>(0)
  /// The rates that the card can run at, a bit for each of `PCM.rates`; 0 until known.
  let rates = Atomic<UInt32>(0)

  /// `frames` is the ring's size, a power of two; without signals all runs on one thread.
  init(frames: Int, isThreaded: Bool) {
    link = Link(frames: frames)
    func signal() -> Int32 { isThreaded ? eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) : -1 }
    signals = AudioThread.Signals(wake: signal(), decoder: signal(), main: signal())
  }

  deinit {
    for descriptor in [signals.wake, signals.decoder, signals.main] where descriptor >= 0 {
      close(descriptor)
    }
  }

  /// Adds a chunk whose frames are written and returns its index; the decoder's call.
  ///
  /// The ring of chunks must have space.
  func push(_ chunk: Chunk) -> UInt {
    link.frames.advance(by: chunk.count)
    let index = link.chunks.head
    let isPushed = link.chunks.push(chunk)
    precondition(isPushed, "the decoder pushed a chunk without looking for space")
    if link.wantsFrames.exchange(false, ordering: .sequentiallyConsistent) {
      clinux_signal(signals.wake)
    }
    return index
  }

  /// Lets the renderer go over to the generation that begins with the chunk of this index.
  func enter(_ index: UInt) {
    link.entry.store(index &+ 1, ordering: .releasing)
    clinux_signal(signals.wake)
  }
}
