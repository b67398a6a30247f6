internal import Testing

@testable internal import Jukebox

struct VolumeTests {
  @Test func `the curve is half a decibel a level`() {
    #expect(Volume.gain(of: 100) == .unity)
    #expect(Volume.gain(of: 99) == Decibels(hundredths: -50))
    #expect(Volume.gain(of: 1) == Decibels(hundredths: -4_950))
    #expect(Volume.gain(of: 0) == .silence)
    #expect(Volume.gain(of: 400) == .unity)
  }

  @Test func `every event keeps to the limits`() {
    var limits = VolumeLimits()
    limits.minimum = 20
    limits.maximum = 80
    limits.quiet = QuietHours(from: 1_260, to: 420, maximum: 40)
    var volume = Volume(level: 60, limits: limits)
    let table: [(Volume.Event, level: Int, isMuted: Bool)] = [
      (.stepped(5), 65, false), (.stepped(500), 80, false), (.set(70), 70, false),
      (.muted(true), 70, true), (.stepped(-1), 69, true), (.stepped(1), 70, false),
      (.muteToggled, 70, true), (.set(75), 75, false), (.quietHours(true), 40, false),
      (.stepped(1), 40, false), (.quietHours(false), 40, false), (.stepped(-500), 20, false),
      (.set(-5), 20, false), (.muteToggled, 20, true), (.muteToggled, 20, false),
      (.limited(VolumeLimits()), 20, false), (.set(0), 0, false), (.set(100), 100, false),
    ]
    for row in table {
      volume.handle(row.0)
      #expect(volume.level == row.level, "\(row)")
      #expect(volume.isMuted == row.isMuted, "\(row)")
    }
  }

  @Test func `quiet hours may pass midnight`() {
    let night = QuietHours(from: 22 * 60, to: 7 * 60, maximum: 30)
    #expect(night.contains(23 * 60))
    #expect(night.contains(0))
    #expect(!night.contains(7 * 60))
    #expect(!night.contains(12 * 60))
    #expect(night.minutesToChange(after: 21 * 60) == 60)
    #expect(night.minutesToChange(after: 23 * 60) == 8 * 60)
    let nap = QuietHours(from: 13 * 60, to: 15 * 60, maximum: 30)
    #expect(nap.contains(14 * 60))
    #expect(!nap.contains(15 * 60))
    #expect(nap.minutesToChange(after: 16 * 60) == 21 * 60)
  }
}

struct SleepTimerTests {
  @Test func `it counts down while music plays, fades and ends`() {
    var timer = SleepTimer()
    #expect(timer.handle(.set(.after(.minutes(1))), at: ms(0)) == .none)
    #expect(timer.deadline(after: ms(0)) == nil)
    #expect(timer.handle(.playing(true), at: ms(5_000)) == .none)
    #expect(timer.end == ms(65_000))
    #expect(timer.deadline(after: ms(5_000)) == ms(35_000))
    #expect(timer.gain(at: ms(34_999)) == .unity)
    #expect(timer.gain(at: ms(50_000)) == Decibels(hundredths: -2_500))
    #expect(timer.handle(.timerFired, at: ms(64_999)) == .none)
    #expect(timer.handle(.timerFired, at: ms(65_000)) == .over)
    #expect(timer.setting == nil)
    #expect(timer.gain(at: ms(66_000)) == .unity)
  }

  @Test func `pause pauses it`() {
    var timer = SleepTimer()
    _ = timer.handle(.playing(true), at: ms(0))
    _ = timer.handle(.set(.after(.minutes(2))), at: ms(0))
    _ = timer.handle(.playing(false), at: ms(30_000))
    #expect(timer.deadline(after: ms(30_000)) == nil)
    #expect(timer.handle(.timerFired, at: ms(900_000)) == .none)
    _ = timer.handle(.playing(true), at: ms(1_000_000))
    #expect(timer.end == ms(1_090_000))
  }

  @Test func `a press in the fade gives more time, before it does nothing`() {
    var timer = SleepTimer()
    _ = timer.handle(.playing(true), at: ms(0))
    _ = timer.handle(.set(.after(.minutes(5))), at: ms(0))
    #expect(timer.handle(.pressed, at: ms(60_000)) == .none)
    #expect(timer.end == ms(300_000))
    #expect(timer.handle(.pressed, at: ms(290_000)) == .extended)
    #expect(timer.end == ms(590_000))
    #expect(timer.gain(at: ms(290_000)) == .unity)
  }

  @Test func `the end of a track fades when it is foreseen`() {
    var timer = SleepTimer()
    _ = timer.handle(.playing(true), at: ms(0))
    _ = timer.handle(.set(.endOfTrack), at: ms(0))
    #expect(timer.end == nil)
    _ = timer.handle(.endForeseen(ms(100_000)), at: ms(0))
    #expect(timer.gain(at: ms(85_000)) == Decibels(hundredths: -2_500))
    #expect(timer.handle(.timerFired, at: ms(100_000)) == .none)
    #expect(timer.deadline(after: ms(100_000)) == nil)
    #expect(timer.handle(.pressed, at: ms(95_000)) == .extended)
    #expect(timer.setting == .after(.minutes(10)))
  }

  @Test func `setting it off ends it`() {
    var timer = SleepTimer()
    _ = timer.handle(.playing(true), at: ms(0))
    _ = timer.handle(.set(.after(.minutes(1))), at: ms(0))
    _ = timer.handle(.set(nil), at: ms(40_000))
    #expect(timer.gain(at: ms(50_000)) == .unity)
    #expect(timer.handle(.timerFired, at: ms(70_000)) == .none)
  }
}

struct PowerTests {
  /// All phases, by the events that lead to them.
  private static let paths: [(String, [PowerEvent], after: Interval)] = [
    ("mains", [], .zero), ("battery", [.onBattery], .zero), ("low", [.lowBattery], .zero),
    ("fading off", [.shutdownRequested], .zero), ("fading asleep", [.sleepRequested], .zero),
    ("asleep", [.sleepRequested], .seconds(1)), ("failing", [.failing], .zero),
    ("off", [.shutdownRequested], .seconds(1)),
  ]

  private func power(_ path: (String, [PowerEvent], after: Interval)) -> Power {
    var power = Power()
    for event in path.1 { _ = power.handle(event, at: ms(0)) }
    if path.after > .zero { _ = power.timerFired(at: ms(0) + path.after) }
    return power
  }

  @Test func `every phase answers every event`() {
    let off: [Power.Step] = [.save, .releaseMedia, .stayOff, .shutDown]
    let failing: [Power.Step] = [.save, .releaseMedia]
    let none: [Power.Step] = []
    let table: [PowerEvent: [[Power.Step]]] = [
      .failing: [
        failing, failing, failing + [.endLow], failing, failing, failing, none, none,
      ],
      .onBattery: [[.save], none, none, none, none, none, none, none],
      .onMains: [none, none, [.endLow], none, none, none, [.wake], none],
      .lowBattery: [[.save, .beginLow], [.save, .beginLow], none, none, none, none, none, none],
      .undervoltage: [[.save], [.save], [.save], [.save], [.save], none, none, none],
      .thermalLimit: [[.save], [.save], [.save], [.save], [.save], none, none, none],
      .recovered: [none, none, none, none, none, none, none, none],
      .shutdownRequested: [[.save], [.save], [.endLow] + off, none, none, off, off, none],
      .sleepRequested: [
        [.save], [.save], [.endLow, .save, .sleep], none, none, none, none, none,
      ],
      .resumed: [none, none, [.endLow], none, none, [.wake], [.wake], none],
    ]
    #expect(table.count == PowerEvent.allCases.count)
    for (event, rows) in table {
      for (path, steps) in zip(Self.paths, rows) {
        var power = power(path)
        #expect(power.handle(event, at: ms(500)) == steps, "\(path.0) \(event)")
      }
    }
  }

  @Test func `a shutdown fades for a second, then goes in order`() {
    var power = Power()
    #expect(power.handle(.shutdownRequested, at: ms(0)) == [.save])
    #expect(power.gain(at: ms(500)) == Decibels(hundredths: -2_500))
    #expect(power.timerFired(at: ms(999)) == [])
    #expect(power.timerFired(at: ms(1_000)) == [.save, .releaseMedia, .stayOff, .shutDown])
    #expect(power.isSilent)
    #expect(power.deadline(after: ms(1_000)) == nil)
  }

  @Test func `a nearly empty battery shuts down after a minute, unless mains return`() {
    var power = Power()
    #expect(power.handle(.lowBattery, at: ms(0)) == [.save, .beginLow])
    #expect(power.deadline(after: ms(0)) == ms(60_000))
    var saved = power
    #expect(saved.handle(.onMains, at: ms(59_000)) == [.endLow])
    #expect(saved.timerFired(at: ms(60_000)) == [])
    #expect(
      power.timerFired(at: ms(60_000)) == [.endLow, .save, .releaseMedia, .stayOff, .shutDown])
  }

  @Test func `strain lowers the sound until it is over`() {
    var power = Power()
    _ = power.handle(.undervoltage, at: ms(0))
    #expect(power.gain(at: ms(0)) == .decibels(-6))
    #expect(power.handle(.thermalLimit, at: ms(1)) == [])
    _ = power.handle(.recovered, at: ms(2))
    #expect(power.gain(at: ms(2)) == .unity)
  }

  @Test func `sleep can be called off in its fade by waking, a shutdown can not`() {
    var power = Power()
    _ = power.handle(.sleepRequested, at: ms(0))
    _ = power.handle(.resumed, at: ms(500))
    #expect(power.phase == .mains)
    _ = power.handle(.sleepRequested, at: ms(1_000))
    _ = power.handle(.shutdownRequested, at: ms(1_100))
    _ = power.handle(.resumed, at: ms(1_200))
    #expect(power.timerFired(at: ms(2_000)).last == .shutDown)
  }
}

struct SmallPartsTests {
  @Test func `media tell what is here`() {
    var media = Media()
    let table: [(Media.Event, isNews: Bool)] = [
      (.added(MediumID(1)), true), (.added(MediumID(1)), false), (.removed(MediumID(1)), true),
      (.removed(MediumID(1)), false), (.removed(.builtIn), false), (.broke(ItemID(3)), true),
      (.broke(ItemID(3)), false), (.mended(ItemID(3)), true), (.mended(ItemID(3)), false),
      (.roundBegan, false), (.broke(ItemID(3)), true), (.roundBegan, true),
    ]
    for row in table { #expect(media.handle(row.0) == row.isNews, "\(row)") }
    #expect(media.has(.builtIn))
    #expect(!media.has(MediumID(1)))
  }

  @Test func `seeking is four times as fast, then sixteen`() {
    var seeking = Seeking(.forward, from: .seconds(10), fastAfter: .seconds(3), at: ms(0))
    #expect(seeking.timerFired(at: ms(249)) == nil)
    #expect(seeking.timerFired(at: ms(250)) == .seconds(11))
    #expect(seeking.deadline == ms(500))
    #expect(seeking.timerFired(at: ms(500)) == .seconds(12))
    #expect(seeking.timerFired(at: ms(3_000)) == .seconds(16))
    var back = Seeking(.backward, from: .milliseconds(1_500), fastAfter: .seconds(3), at: ms(0))
    #expect(back.timerFired(at: ms(250)) == .milliseconds(500))
    #expect(back.timerFired(at: ms(500)) == .zero)
  }

  @Test func `a fade falls to silence in equal steps`() {
    let fade = Fade(from: ms(0), lasting: .seconds(1), steps: 20)
    #expect(fade.gain(at: ms(-10)) == .unity)
    #expect(fade.gain(at: ms(49)) == .unity)
    #expect(fade.gain(at: ms(50)) == Decibels(hundredths: -250))
    #expect(fade.gain(at: ms(999)) == Decibels(hundredths: -4_750))
    #expect(fade.gain(at: ms(1_000)) == .silence)
    #expect(fade.deadline(after: ms(-10)) == ms(0))
    #expect(fade.deadline(after: ms(0)) == ms(50))
    #expect(fade.deadline(after: ms(960)) == ms(1_000))
  }

  @Test func `books are known by genre, path or length`() {
    var rule = ResumeRule()
    rule.paths = ["/Books/"]
    #expect(rule.covers(tags(60, genre: "AudioBook")))
    #expect(!rule.covers(tags(60, genre: "Audio")))
    #expect(rule.covers(tags(31 * 60)))
    #expect(!rule.covers(tags(30 * 60)))
    var other = tags(60)
    other.path = "Stick/Books/1.mp3"
    #expect(rule.covers(other))
    other.path = "Stick/Booksellers/1.mp3"
    #expect(!rule.covers(other))
  }

  @Test func `resume points are replaced, dropped and bounded`() {
    var points = ResumePoints()
    points.set(TrackID(1), to: .seconds(5))
    points.set(TrackID(1), to: .seconds(9))
    #expect(points.points.count == 1)
    #expect(points.position(of: TrackID(1)) == .seconds(9))
    points.set(TrackID(1), to: nil)
    #expect(points.position(of: TrackID(1)) == nil)
    for number in 0..<600 { points.set(TrackID(Int64(number)), to: .seconds(1)) }
    #expect(points.points.count == ResumePoints.most)
    #expect(points.position(of: TrackID(0)) == nil)
    #expect(points.position(of: TrackID(599)) == .seconds(1))
  }

  @Test func `a change is written a second after the last, at most five after the first`() {
    var saving = Saving()
    for time in stride(from: 0, through: 4_800, by: 400) as StrideThrough<Int64> {
      #expect(saving.take(at: ms(time), all: false) == (false, false))
      saving.stateChanged(at: ms(time))
    }
    #expect(saving.deadline == ms(5_000))
    #expect(saving.take(at: ms(5_000), all: false) == (true, false))
    #expect(saving.deadline == nil)
    saving.queueChanged(at: ms(6_000))
    #expect(saving.take(at: ms(6_500), all: true) == (true, true))
    saving.stateChanged(at: ms(6_600))
    saving.queueChanged(at: ms(6_900))
    #expect(saving.take(at: ms(7_600), all: false) == (true, true))
    #expect(saving.deadline == nil)
    saving.playing(true, every: .seconds(5), at: ms(7_000))
    #expect(saving.deadline == ms(12_000))
    #expect(saving.take(at: ms(12_000), all: false) == (true, false))
    saving.playing(false, every: .seconds(5), at: ms(12_000))
    #expect(saving.deadline == nil)
  }

  @Test func `times end at the first and the last moment there is`() {
    let last = Instant(nanoseconds: .max)
    let first = Instant(nanoseconds: .min)
    #expect(last + .seconds(1) == last)
    #expect(first - .seconds(1) == first)
    #expect(last - Interval(nanoseconds: -5) == last)
    #expect(last - first == Interval(nanoseconds: .max))
    #expect(first - last == Interval(nanoseconds: .min))
    #expect(Interval(nanoseconds: .min) + Interval(nanoseconds: -1) == Interval(nanoseconds: .min))
    #expect(Interval.seconds(.max) == Interval(nanoseconds: .max))
    #expect(Interval.minutes(.min) == Interval(nanoseconds: .min))
    #expect(Interval.seconds(-3) * .max == Interval(nanoseconds: .min))
    #expect(ms(5) - ms(7) == .milliseconds(-2))
  }
}
