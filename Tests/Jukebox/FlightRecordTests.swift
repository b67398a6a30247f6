internal import Simulator
internal import Testing

@testable internal import Jukebox

struct FlightRecordTests {
  @Test func `every event is read back as it was written`() {
    var words = tags(200, genre: "Drum & Bass")
    words.title = "100 % \u{1F3B5}\n\ttwo  spaces "
    words.path = "a/b c.mp3"
    let commands: [Command] = [
      .play, .pause, .stop, .togglePlayPause, .next, .previous, .nextAlbum, .previousAlbum,
      .skipToBeginning,
      .beginSeekingForward, .beginSeekingBackward, .endSeeking, .seek(to: .seconds(3)),
      .seekBy(.milliseconds(-4)), .select(ItemID(.max)), .stepVolume(-3), .setVolume(9),
      .mute(true), .toggleMute, .replace([]), .append([track(1), track(-2, medium: -3)]),
      .insertNext([track(5, artist: .max, album: 7, place: 8)]), .insert([track(1)], at: 4),
      .move(ItemID(1), to: 2), .remove(ItemID(6)), .clear,
      .enqueue(.everything, .replace), .enqueue(.artist("A b"), .append),
      .enqueue(.album("", artist: "%"), .next), .enqueue(.genre("x"), .next),
      .enqueue(.playlist("p"), .next), .enqueue(.medium(MediumID(4)), .next),
      .enqueue(.search("two words"), .append), .setRepeat(.one), .setShuffle(.albums),
      .toggleShuffle, .setSingle(true), .setConsume(false), .sleep(nil),
      .sleep(.after(.minutes(5))), .sleep(.endOfTrack), .sleep(.endOfAlbum), .sleep(.endOfQueue),
      .setCategory(.multiRoute), .lineIn(true), .shutDown,
    ]
    var settings = World.settings
    settings.controls.knobs[0].encoder.isInverted = true
    settings.controls.bindings.append(Binding(.hold(Line(0), every: .seconds(1)), .sleep(nil)))
    settings.controls.turns.append(Turn(knob: Line(4), use: .seek(.seconds(5))))
    settings.rules[.alarm] = SourceRule(
      priority: -1, policy: .duck(.decibels(-3)), resumes: false, press: .givesWay)
    settings.rules[.lineIn] = SourceRule(
      priority: 3, policy: .mix, resumes: true, press: .waits)
    settings.resume.longerThan = nil
    var events: [Event] = [
      .configured(settings), .started(state: [0, 255, 7], queue: [], seed: .max),
      .edge(Line(.max), isHigh: true), .level(Line(0), isHigh: false),
      .found([track(3)], .append), .timerFired, .opened(ItemID(1), Generation(2), words),
      .opened(ItemID(1), Generation(2), Tags()), .trackStarted(ItemID(1), Generation(2)),
      .progressed(ItemID(1), Generation(2), .seconds(4)), .ended(Generation(9)), .outputLost,
      .outputReady, .mediumAdded(MediumID(1)), .mediumRemoved(MediumID(1)),
      .scanFinished(MediumID(1)), .clockSet(minute: 4),
    ]
    for fault in [
      Fault.mediumGone, .unreadable, .unsupported, .damaged, .other("no 'codec' at all"),
    ] {
      events.append(.failed(ItemID(4), Generation(5), fault))
    }
    for source in Source.allCases {
      events.append(.interruptionBegan(source))
      for resumes in [nil, true, false] {
        events.append(.interruptionEnded(source, resumes: resumes))
      }
    }
    events += PowerEvent.allCases.map { .power($0) } + commands.map { .pressed($0) }
    for event in events {
      let line = FlightRecord.line(event, at: ms(-7))
      #expect(!line.contains("\n"))
      let read = FlightRecord.event(line)
      #expect(read?.event == event, "\(line)")
      #expect(read?.at == ms(-7))
    }
  }

  @Test func `a line that is no event is told by its number`() {
    let lines = [
      "# a record", "", "5 timer", "x timer", "6 timer 7", "7", "8 pressed sing", "9 pressed play",
      "10 pressed append -1", "11 pressed append 2 1 0 0 0 0 0",
    ]
    let (printed, bad) = FlightRecord.replay(lines)
    #expect(bad == [4, 5, 6, 7, 9, 10])
    #expect(printed.filter { !$0.hasPrefix("  ") } == ["5 timer", "9 pressed play"])
  }

  @Test func `a replay does again what was done`() {
    let world = Simulation.lived(Simulation.steps(11), keepsRecord: true)
    #expect(world.record.count > 1_000)
    let (lines, bad) = FlightRecord.replay(world.record)
    #expect(bad.isEmpty)
    #expect(lines.count == world.told.count)
    let other = zip(lines, world.told).first { $0 != $1 }
    #expect(other == nil)
    #expect(lines.count { $0.contains(" started ") } > 2)
    #expect(lines.contains { $0.hasPrefix("  load ") })
  }

  @Test func `no record, however damaged, is a crash`() {
    let record = Simulation.lived(Simulation.steps(3), keepsRecord: true).record.prefix(1_500)
    let numbers: [Int64] = [-1, 0, .min, .max, 1 << 32, 65_536, 255]
    var random = Random(seed: 6)
    var events = 0
    for _ in 0..<8 {
      let damaged = record.map { line in
        guard random.below(20) == 0 else { return line }
        var words = line.split(separator: " ").map { String($0) }
        words[random.below(words.count)] = String(numbers[random.below(numbers.count)])
        return words.joined(separator: " ")
      }
      let (lines, bad) = FlightRecord.replay(damaged)
      events += lines.count { !$0.hasPrefix("  ") }
      #expect(bad.count < record.count)
    }
    #expect(events > 6_000)
  }
}
