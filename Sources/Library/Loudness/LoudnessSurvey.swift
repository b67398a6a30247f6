internal import Glibc
public import Jukebox

/// Measures the tracks that have no gain in their tags, one after the other, on a thread of its own
/// that only has what nobody else wants.
///
/// It may be stopped at any time: what has been measured stays, and the next one goes on from there.
/// Owned by one thread, which is told by a descriptor that there are events to take.
public final class LoudnessSurvey: Sendable {
  public enum Event: Equatable, Sendable {
    /// How many tracks were measured, of how many; 0 of n before the first.
    case progressed(Int, of: Int)
    /// All is measured that can be.
    case finished(Int)
    case failed(String)
  }

  /// Gives the sound of a part of a file to `take` in blocks of whole stereo frames with their rate
  /// (Hz), until its end or until `take` answers false. Throws what keeps it from being decoded.
  public typealias Sound =
    @Sendable (_ part: SoundPart, _ take: (Span<Float>, Int) -> Bool) throws -> Void

  private let library: Path
  private let medium: MediumID?
  private let sound: Sound
  private let thread: IdleThread<Event>

  /// Of one medium, or of all that are here. `library` is the library's file.
  public init(
    library: Path, medium: MediumID? = nil, sound: @escaping Sound
  ) throws(SystemError) {
    self.library = library
    self.medium = medium
    self.sound = sound
    thread = try IdleThread()
  }

  deinit {
    thread.stop()
  }

  /// Readable when there are events; belongs to the survey.
  public var descriptor: Int32 { thread.descriptor }

  /// Starts the thread; once.
  public func start() throws(SystemError) {
    try thread.start { [library, medium, sound, thread] in
      IdleThread<Event>.settle(as: "loudness")
      do throws(SQLiteError) {
        try Self.measure(library, medium, sound, thread)
      } catch {
        thread.send(.failed("the library can't be written: \(error)"))
      }
    }
  }

  /// Ends soon, and waits for that.
  public func stop() { thread.stop() }

  /// Ends soon and does not wait for it: it may hang in a read.
  public func abandon() { thread.abandon() }

  /// The events since the last call.
  public func takeEvents() -> [Event] { thread.takeEvents() }

  private static func measure(
    _ library: Path, _ medium: MediumID?, _ sound: Sound, _ thread: IdleThread<Event>
  ) throws(SQLiteError) {
    let catalogue = try Catalogue(library, puttingAside: false)
    let total = try catalogue.unmeasuredCount(on: medium)
    var done = 0
    while true {
      let parts = try catalogue.unmeasured(on: medium, limit: 100)
      guard !parts.isEmpty, !thread.isStopped else { break }
      for part in parts {
        thread.send(.progressed(done, of: total)) { last in
          if case .progressed = last { true } else { false }
        }
        let loudness = loudness(of: part, sound, thread)
        guard !thread.isStopped else { return }
        // A file that is away again is not one that can't be decoded.
        guard part.path.status != nil else { return thread.send(.finished(done)) }
        try catalogue.setLoudness(loudness, of: part.track)
        done += 1
      }
    }
    thread.send(.finished(done))
  }

  /// Nil for what can't be decoded, or if the thread is to end.
  private static func loudness(
    of part: SoundPart, _ sound: Sound, _ thread: IdleThread<Event>
  ) -> Loudness? {
    var pieces: [Loudness] = []
    var meter: LoudnessMeter?
    var meterRate = 0
    do {
      try sound(part) { samples, rate in
        if rate != meterRate {
          if let measured = meter?.loudness { pieces.append(measured) }
          meter = LoudnessMeter(rate: rate)
          meterRate = rate
        }
        meter?.add(samples)
        return !thread.isStopped
      }
    } catch {
      return nil
    }
    if let measured = meter?.loudness { pieces.append(measured) }
    return pieces.count < 2 ? pieces.first : Loudness(together: pieces)
  }
}
