internal import Testing

@testable internal import Jukebox

struct InterruptionTests {
  private func gain(_ all: Interruptions, _ source: Source, _ others: Policy = .mix) -> Decibels {
    all.gain(of: source, rules: [:], others: others)
  }

  private func verdict(
    _ all: Interruptions, _ category: SessionCategory = .playback
  ) -> Interruptions.Verdict {
    all.verdict(onQueue: [:], category: category)
  }

  private func handle(_ all: inout Interruptions, _ event: Interruptions.Event) -> Bool {
    all.handle(event, rules: [:], category: .playback)
  }

  @Test func `sources end in any order, and the queue waits for the last`() {
    var all = Interruptions()
    #expect(!handle(&all, .began(.lineIn)))
    #expect(!handle(&all, .began(.alarm)))
    #expect(!handle(&all, .began(.announcement)))
    #expect(verdict(all).pauses)
    #expect(!handle(&all, .ended(.lineIn, resumes: nil)))
    #expect(verdict(all).pauses)
    #expect(!handle(&all, .ended(.alarm, resumes: nil)))
    #expect(!verdict(all).pauses)
    #expect(verdict(all).duck == .decibels(-15))
    #expect(!handle(&all, .ended(.announcement, resumes: nil)))
    #expect(verdict(all) == Interruptions.Verdict())
  }

  @Test func `one that should not resume keeps the queue paused after all of them`() {
    var all = Interruptions()
    _ = handle(&all, .began(.contact))
    _ = handle(&all, .began(.recording))
    #expect(!handle(&all, .ended(.contact, resumes: false)))
    #expect(handle(&all, .ended(.recording, resumes: nil)))
    _ = handle(&all, .began(.recording))
    #expect(!handle(&all, .ended(.recording, resumes: nil)))
  }

  @Test func `an end without a beginning means nothing`() {
    var all = Interruptions()
    #expect(!handle(&all, .ended(.alarm, resumes: false)))
    _ = handle(&all, .began(.alarm))
    _ = handle(&all, .began(.alarm))
    #expect(!handle(&all, .ended(.alarm, resumes: nil)))
    #expect(!verdict(all).pauses)
  }

  @Test func `the higher source is heard and the lower is not`() {
    var all = Interruptions()
    _ = handle(&all, .began(.alarm))
    _ = handle(&all, .began(.lineIn))
    #expect(gain(all, .alarm) == .unity)
    #expect(gain(all, .lineIn) == .silence)
    _ = handle(&all, .ended(.alarm, resumes: nil))
    #expect(gain(all, .lineIn) == .unity)
    _ = handle(&all, .began(.announcement))
    #expect(gain(all, .lineIn) == .decibels(-15))
    #expect(gain(all, .contact) == .silence)
  }

  @Test func `a silenced source acts on nothing until it begins again`() {
    var all = Interruptions()
    _ = handle(&all, .began(.lineIn))
    _ = handle(&all, .silenced(.lineIn))
    #expect(!verdict(all).pauses)
    #expect(gain(all, .lineIn) == .silence)
    _ = handle(&all, .began(.lineIn))
    #expect(verdict(all).pauses)
  }

  @Test func `a rule of the owner's replaces the usual one`() {
    var all = Interruptions()
    let rules: [Source: SourceRule] = [
      .lineIn: SourceRule(
        priority: 20, policy: .duck(.decibels(-20)), resumes: true, press: .waits)
    ]
    _ = all.handle(.began(.lineIn), rules: rules, category: .playback)
    #expect(all.verdict(onQueue: rules, category: .playback).duck == .decibels(-20))
    #expect(!all.verdict(onQueue: rules, category: .playback).pauses)
  }

  /// The table of `SessionCategory`, row by row: what each source does to the queue.
  @Test func `each category has its effects`() {
    let duck = Policy.duck(.decibels(-15))
    let table: [(SessionCategory, [Source: Policy], Policy, allows: Bool)] = [
      (.ambient, [.lineIn: .mix, .announcement: .mix, .recording: .mix], .mix, true),
      (.soloAmbient, [.lineIn: .pause, .announcement: .pause, .recording: .pause], .mute, true),
      (.playback, [.lineIn: .pause, .announcement: duck, .recording: .pause], .mix, true),
      (.record, [.lineIn: .pause, .announcement: duck, .recording: .pause], .mix, false),
      (
        .playAndRecord, [.lineIn: .pause, .announcement: duck, .recording: .mix],
        .duck(.decibels(-12)), true
      ),
      (.processing, [.lineIn: .pause, .announcement: duck, .recording: .pause], .mute, false),
      (.multiRoute, [.lineIn: .mix, .announcement: .mix, .recording: .mix], .mix, true),
    ]
    #expect(table.count == SessionCategory.allCases.count)
    for (category, policies, others, allows) in table {
      for (source, policy) in policies {
        #expect(category.policy(of: source, source.usualRule.policy) == policy, "\(category)")
      }
      for source in [Source.mediumGone, .outputGone, .powerLow] {
        #expect(category.policy(of: source, .pause) == .pause)
      }
      #expect(category.towardsOthers == others)
      #expect(category.allowsQueue == allows)
    }
  }

  private struct Row {
    var source: Source
    var wasPlaying: Bool
    var press: Command
    var state: PlaybackState
    var after: PlaybackState
  }

  private func row(
    _ source: Source, _ wasPlaying: Bool, _ press: Command, _ state: PlaybackState,
    _ after: PlaybackState
  ) -> Row {
    Row(source: source, wasPlaying: wasPlaying, press: press, state: state, after: after)
  }

  /// The table of `PressRule`: what a press does while a source of each rule pauses the queue.
  @Test func `a press during an interruption acts on intent`() {
    let table: [Row] = [
      row(.contact, true, .togglePlayPause, .paused, .paused),
      row(.contact, true, .pause, .paused, .paused),
      row(.contact, true, .play, .interrupted, .playing),
      row(.contact, true, .next, .interrupted, .playing),
      row(.contact, true, .stop, .stopped, .stopped),
      row(.contact, false, .togglePlayPause, .interrupted, .playing),
      row(.contact, false, .next, .paused, .paused),
      row(.lineIn, true, .togglePlayPause, .playing, .playing),
      row(.lineIn, true, .play, .playing, .playing),
      row(.lineIn, true, .next, .playing, .playing),
      row(.lineIn, true, .pause, .paused, .paused),
      row(.lineIn, false, .togglePlayPause, .playing, .playing),
      row(.lineIn, false, .previous, .playing, .playing),
      row(.alarm, true, .next, .playing, .playing),
      row(.alarm, true, .stop, .playing, .playing),
      row(.alarm, false, .play, .paused, .paused),
      row(.contact, true, .stepVolume(1), .interrupted, .playing),
    ]
    for row in table {
      var player = Player.playing([track(1), track(2), track(3)])
      if !row.wasPlaying { _ = player.handle(.pressed(.pause), at: ms(10)) }
      _ = player.handle(.interruptionBegan(row.source), at: ms(20))
      let effects = player.handle(.pressed(row.press), at: ms(30))
      #expect(player.state == row.state, "\(row)")
      let isDismissed = row.source == .alarm || row.source == .lineIn && row.press != .pause
      #expect(effects.contains(.dismiss(row.source)) == isDismissed, "\(row)")
      let reached: Int64 = row.press == .next ? 2 : row.press == .previous ? 3 : 1
      #expect(player.number == (row.source == .alarm ? 1 : reached), "\(row)")
      _ = player.handle(.interruptionEnded(row.source, resumes: nil), at: ms(40))
      #expect(player.state == row.after, "\(row)")
    }
  }
}
