import Testing

@testable import Audio

/// A deck whose owner decides by what is heard, and so later than the decoder.
@Suite(.serialized) struct DeckOwnerTests {
  private func item(_ id: UInt32, _ path: String) -> Item {
    Item(id: id, source: Source(path: path))
  }

  private func session(_ card: FakeCard) -> Session {
    let session = Session(card.device)
    session.answers = false
    return session
  }

  @Test func `what follows the item that is heard may change when the old answer is in the ring`()
    throws
  {
    let card = try FakeCard()
    let session = session(card)
    let paths = try (0..<3).map { try Coded.write(track: $0, frames: 40_000, in: card.folder) }
    session.deck?.play(item(0, paths[0]))
    session.deck?.follow(with: item(1, paths[1]), after: 0)
    // The decoder has begun the second item once it asks what comes after it.
    #expect(session.wait(for: .wantsNext(after: 1)))
    session.deck?.follow(with: item(2, paths[2]), after: 0)
    #expect(session.wait(for: .started(id: 2)))
    session.deck?.follow(with: nil, after: 2)
    #expect(session.wait(for: .finished))
    session.end()
    let tracks = numbers(card.heard).map { $0 / Coded.track }
    #expect(!tracks.contains(1))
    // From the place at which the answer changed on, which took a ramp, all frames are heard.
    let last = numbers(card.heard).suffix(60_000)
    #expect(
      last.elementsEqual(
        (20_000..<40_000).map { $0 } + (0..<40_000).map { 2 * Coded.track + $0 }))
  }

  @Test func `the frame at which an item is left is told before the next one starts`() throws {
    let card = try FakeCard()
    let session = session(card)
    let paths = try (0..<2).map { try Coded.write(track: $0, frames: 12_345, in: card.folder) }
    session.deck?.play(item(0, paths[0]))
    session.deck?.follow(with: item(1, paths[1]), after: 0)
    #expect(session.wait(for: .started(id: 1)))
    session.end()
    let left = Deck.Event.left(id: 0, at: Duration(frames: 12_345, at: 44_100))
    let order = session.events.filter { $0 == left || $0 == .started(id: 1) }
    #expect(order == [left, .started(id: 1)])
  }

  @Test func `an item whose medium is gone fades out at the end of what is in memory`() throws {
    let card = try FakeCard()
    // A ring of a second and a half, so that the item is not all in memory.
    let session = Session(card.device, buffer: .milliseconds(200))
    session.answers = false
    let paths = try (0..<3).map { try Coded.write(track: $0, frames: 200_000, in: card.folder) }
    session.deck?.play(item(0, paths[0]))
    session.deck?.follow(with: item(1, paths[1]), after: 0)
    #expect(session.wait(untilPlace: .milliseconds(500)))
    session.deck?.lose(0, andNext: true)
    session.deck?.follow(with: item(2, paths[2]), after: 0)
    #expect(session.wait(for: .started(id: 2)))
    session.end()
    let heard = card.heard
    let end = heard.firstIndex { ($0.number ?? 0) >= 2 * Coded.track } ?? 0
    #expect(end < 150_000)
    #expect(heard[..<end].contains { $0.gain > 0.45 && $0.gain < 0.55 })
    #expect(greatestStep(heard[..<end]) < 0.01)
    #expect(jumps(Array(heard[..<(end - 1_000)])).isEmpty)
  }

  @Test func `a card is given back when nothing plays, and taken again`() throws {
    let card = try FakeCard()
    let session = session(card)
    session.deck?.play(item(0, try Coded.write(track: 0, frames: 100_000, in: card.folder)))
    session.deck?.follow(with: nil, after: 0)
    #expect(session.wait(untilPlace: .milliseconds(300)))
    session.deck?.pause()
    session.deck?.rest()
    #expect(session.wait(for: .outputRests))
    #expect(card.count("close") == 1)
    session.deck?.resume()
    #expect(session.wait(for: .finished))
    session.end()
    #expect(card.count("open") == 2)
    #expect(numbers(card.heard).last == 99_999)
    #expect(jumps(card.heard).allSatisfy { $0.to - $0.from < 40 })
  }

  @Test func `what play will ask for is opened ahead, and not twice`() throws {
    let card = try FakeCard()
    let session = session(card)
    let path = try Coded.write(track: 0, frames: 5_000, in: card.folder)
    session.deck?.prepare(item(7, path))
    let isOpen = session.wait {
      $0.events.contains { if case .opened = $0 { true } else { false } }
    }
    #expect(isOpen)
    session.deck?.play(item(7, path))
    session.deck?.follow(with: nil, after: 7)
    #expect(session.wait(for: .finished))
    session.end()
    #expect(session.events.count { if case .opened = $0 { true } else { false } } == 1)
    #expect(numbers(card.heard) == Array(0..<5_000))
  }
}
