import Testing

@testable import Audio

/// A hundred random commands a second.
struct DeckStormTests {
  @Test(arguments: [(1.0, 11), (8.0, 22)] as [(Double, UInt64)])
  func `no order of commands stops it`(speed: Double, seed: UInt64) throws {
    let card = try FakeCard(speed: speed)
    let session = Session(card.device)
    let lengths = [100_000, 3_000, 1, 60_000]
    let items = try lengths.enumerated().map { index, frames in
      Item(
        id: UInt32(index),
        source: Source(path: try Coded.write(track: index, frames: frames, in: card.folder)))
    }
    for index in items.indices { session.next[UInt32(index)] = items[(index + 1) % items.count] }
    var state = seed
    func random(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    let began = now()
    for count in 0..<1000 {
      let item = items[random(items.count)]
      switch random(12) {
      case 0, 1: session.deck?.play(item)
      case 2: session.deck?.play(item, from: .milliseconds(random(1000)))
      case 3, 4: session.deck?.seek(item, to: .milliseconds(random(3000)))
      case 5: session.deck?.pause()
      case 6, 7: session.deck?.resume()
      case 8: session.deck?.stop()
      case 9: session.deck?.setVolume(decibels: Double(-random(40)))
      case 10: session.deck?.setVolume(decibels: 0)
      default: session.deck?.follow(with: random(3) == 0 ? nil : item)
      }
      _ = session.wait(max(0, began + 0.01 * Double(count) - now())) { _ in false }
      if let position = session.deck?.position {
        let frame = position.place.frames(at: 44_100)
        let length = lengths[Int(position.id)]
        #expect(frame >= 0 && frame <= length, "\(position)")
      }
    }
    // And then it stops, and plays as ever.
    session.deck?.stop()
    #expect(session.wait { _ in ["stop", "xrun"].contains(card.log.last?.name) })
    session.forget()
    session.next = [:]
    session.deck?.setVolume(decibels: 0)
    session.deck?.play(items[1])
    #expect(session.wait(for: .finished))
    let ended = now()
    session.end()
    #expect(now() - ended < 1)
    let heard = card.heard
    let start = heard.lastIndex { $0.number == Coded.track } ?? 0
    #expect(
      heard[start...].filter { !$0.isSilent }.map(\.number)
        == (0..<3_000).map { Coded.track + $0 })
  }
}
