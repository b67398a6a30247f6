internal import CLinux
internal import Devices
internal import Glibc
internal import Jukebox

/// The time of day, and the news that somebody has set the clock: a board without one gets it from the
/// network, long after the music began.
struct WallClock: ~Copyable {
  /// Readable when the clock has been set.
  let descriptor = timerfd_create(CLOCK_REALTIME, Int32(TFD_NONBLOCK | TFD_CLOEXEC))

  init() { watch() }

  deinit { close(descriptor) }

  /// Waits for the next time that it is set.
  func watch() { clinux_watch_clock(descriptor) }

  /// Seconds since the minute began.
  var second: Int { time(nil) % 60 }

  /// Minutes since midnight.
  var minute: Int { Int(clinux_minute()) }
}

extension Appliance {
  /// The brains count on by themselves from here, but for summer time: in whole minutes, so that they are
  /// told once more when one begins.
  func tellClock() {
    tell(.clockSet(minute: clock.minute))
    let seconds = clock.second
    if settings.brains.volume.quiet != nil, seconds > 0 {
      alarms.set(.clock, at: now + .seconds(Int64(60 - seconds)))
    }
  }

  func takeClock() {
    clock.watch()
    journal.say("the clock has been set")
    tellClock()
  }
}
