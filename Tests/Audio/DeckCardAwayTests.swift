import Testing

@testable import Audio

/// A card that is pulled and put back.
@Suite(.serialized) struct DeckCardAwayTests {
  @Test func `playing goes on where it stopped, within a second`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    session.play([try Coded.write(track: 0, frames: 120_000, in: card.folder)])
    #expect(session.wait(untilPlace: .milliseconds(800)))
    try card.pull()
    #expect(session.wait { $0.isLost })
    #expect(!session.wait(0.3) { _ in card.count("open") > 1 })
    let place = session.deck?.position?.place
    session.forget()
    card.plug()
    let plugged = now()
    #expect(session.wait { _ in card.count("start") == 2 })
    let started = card.log.last { $0.name == "start" }?.time ?? .infinity
    #expect(started - plugged < 1)
    #expect(session.wait(for: .finished))
    session.end()
    let heard = card.heard
    let gone = card.log.first { $0.name == "gone" }?.frame ?? 0
    #expect(Array(heard[..<gone].map(\.number)) == Array(0..<gone))
    // From there on, rising from nothing: no frame is left out, and few are heard twice.
    let first = heard.dropFirst(gone).firstIndex { $0.number != nil } ?? 0
    let resumed = (heard[first].number ?? 0) - (first - gone)
    #expect(resumed <= gone)
    #expect(resumed > gone - 2205)
    #expect(jumps(Array(heard[gone...])).isEmpty)
    #expect(numbers(heard).last == 119_999)
    #expect(abs((place?.frames(at: 44_100) ?? 0) - gone) < 2205)
    #expect(greatestStep(heard[gone...].prefix { $0.number != 119_999 }) <= 1.01 / 352)
  }

  @Test func `a card pulled while paused is missed at resume, and nothing is lost`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    session.play([try Coded.write(track: 0, frames: 60_000, in: card.folder)])
    #expect(session.wait(untilPlace: .milliseconds(400)))
    session.deck?.pause()
    #expect(session.wait { _ in card.count("stop") == 1 })
    try card.pull()
    session.deck?.resume()
    #expect(session.wait { $0.isLost })
    card.plug()
    #expect(session.wait(for: .finished))
    session.end()
    #expect(jumpsOverSound(card.heard).isEmpty)
    #expect(numbers(card.heard).last == 59_999)
  }

  @Test func `another card takes over at the next frame`() throws {
    let (old, new) = (try FakeCard(), try FakeCard())
    let session = Session(old.device)
    session.play([try Coded.write(track: 0, frames: 90_000, in: old.folder)])
    #expect(session.wait(untilPlace: .milliseconds(500)))
    session.deck?.change(to: new.device, every: .seconds(1))
    #expect(session.wait(for: .finished))
    #expect(old.count("close") == 1)
    session.end()
    #expect(jumps(old.heard).isEmpty && jumps(new.heard).isEmpty)
    // The ends of the ramps are too soft to tell their numbers.
    let left = numbers(old.heard).last ?? 0
    #expect((left + 1..<left + 60).contains(numbers(new.heard).first ?? 0))
    #expect(numbers(new.heard).last == 89_999)
    #expect(!session.isLost)
  }

  @Test func `another card takes over while paused, and what is asked for meanwhile is not lost`()
    throws
  {
    let (old, new) = (try FakeCard(), try FakeCard())
    let session = Session(old.device)
    session.play([try Coded.write(track: 0, frames: 90_000, in: old.folder)])
    #expect(session.wait(untilPlace: .milliseconds(300)))
    session.deck?.pause()
    session.deck?.change(to: new.device, every: .seconds(1))
    session.deck?.resume()
    #expect(session.wait(for: .finished))
    session.end()
    #expect(numbers(new.heard).last == 89_999)
    #expect(jumps(new.heard).isEmpty)
  }

  @Test func `with no card at the start it says so and waits`() throws {
    let card = try FakeCard()
    try card.pull()
    let session = Session(card.device)
    session.play([try Coded.write(track: 0, frames: 10_000, in: card.folder)])
    #expect(session.wait { $0.isLost })
    #expect(!session.wait(0.6) { $0.events.contains(.started(id: 0)) })
    // Once is enough.
    #expect(session.losses == 1)
    card.plug()
    #expect(session.wait(for: .finished))
    session.end()
    #expect(card.heard.prefix(10_000).map(\.number) == Array(0..<10_000))
  }

  @Test func `it ends while the card is away`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    session.play([try Coded.write(track: 0, frames: 60_000, in: card.folder)])
    #expect(session.wait(untilPlace: .milliseconds(100)))
    try card.pull()
    #expect(session.wait { $0.isLost })
    let began = now()
    session.end()
    #expect(now() - began < 1)
  }

  @Test func `it ends in mid sound with a ramp`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    session.play([try Coded.write(track: 0, frames: 60_000, in: card.folder)])
    #expect(session.wait(untilPlace: .milliseconds(200)))
    let began = now()
    session.end()
    #expect(now() - began < 1)
    #expect(greatestStep(card.heard) <= 1.01 / 352)
    #expect(card.heard.last?.gain ?? 1 < 0.01)
  }

  @Test func `commands given while the card is away are in force when it is back`() throws {
    let card = try FakeCard()
    let session = Session(card.device)
    let path = try Coded.write(track: 0, frames: 100_000, in: card.folder)
    let item = Item(id: 0, source: Source(path: path))
    session.deck?.play(item)
    #expect(session.wait(untilPlace: .milliseconds(100)))
    try card.pull()
    #expect(session.wait { $0.isLost })
    session.deck?.setVolume(decibels: -6)
    session.deck?.pause()
    session.deck?.seek(item, to: .seconds(2))
    card.plug()
    #expect(session.wait { _ in card.count("open") == 2 })
    #expect(!session.wait(0.2) { _ in card.count("start") > 1 })
    session.deck?.resume()
    #expect(session.wait(for: .finished))
    session.end()
    let rest = Array(card.heard.dropFirst(card.log.first { $0.name == "gone" }?.frame ?? 0))
    let first = rest.firstIndex { $0.number != nil } ?? 0
    #expect(rest[first].number == 88_200 + first)
    #expect(jumps(rest).isEmpty)
    #expect(rest[400..<11_800].allSatisfy { abs($0.gain - 0.501187) < 1e-5 })
  }
}

extension Session {
  fileprivate var losses: Int {
    events.count { if case .outputLost = $0 { true } else { false } }
  }

  fileprivate var isLost: Bool { losses > 0 }
}
