import Testing

@testable import Audio

/// A card that can't take back what it was given is filled for 60 ms only.
@Suite(.serialized) struct DeckShallowTests {
  @Test func `pause and volume are heard within the fill, and lose nothing`() throws {
    let card = try FakeCard(rewinds: false)
    let session = Session(card.device, rewinding: .never)
    session.play([try Coded.write(track: 0, frames: 60_000, in: card.folder)])
    #expect(session.wait(untilPlace: .milliseconds(300)))
    let pressed = card.frame(at: now())
    session.deck?.setVolume(decibels: -6)
    #expect(session.wait(untilPlace: .milliseconds(600)))
    session.deck?.pause()
    #expect(session.wait { _ in card.count("stop") == 1 })
    session.deck?.resume()
    #expect(session.wait(for: .finished))
    session.end()
    let heard = card.heard
    let changed = heard.firstIndex { $0.gain < 0.9999 } ?? 0
    // 60 ms are 2,646 frames; the rest is for a thread that gets its turn late.
    #expect((pressed..<pressed + 2646 + 1500).contains(changed))
    #expect(jumpsOverSound(heard).isEmpty)
    #expect(numbers(heard).last == 59_999)
    #expect(greatestStep(heard.prefix { $0.number != 59_999 }) <= 1.01 / 352)
    #expect(card.count("xrun") == 0)
  }
}
