import Testing

@testable import Audio

/// Joins of an album as a card hears them, after someone has moved about in it.
@Suite(.serialized) struct JoinTests {
  @Test(arguments: [
    Encoding.flac, .alac, .mp3Variable, .mp3NogapTags, .vorbis, .opus, .aacEditList, .aacSMPB,
  ])
  func `a join is whole after a seek, and after next and back`(_ encoding: Encoding) throws {
    let album = encoding.album
    let paths = try Corpus.files(encoding, of: album)
    let items = paths.enumerated().map { Item(id: UInt32($0), source: Source(path: $1)) }
    let card = try FakeCard()
    let session = Session(card.device)
    func beforeEnd(of track: Int) -> Duration {
      .seconds(Double(album.lengths[track]) / Double(album.signal.rate)) - .milliseconds(400)
    }
    session.play(paths)
    #expect(session.wait(untilPlace: .milliseconds(100)))
    session.deck?.seek(items[0], to: beforeEnd(of: 0))
    #expect(session.wait(untilPlace: .milliseconds(300), of: 1))
    session.deck?.play(items[2])
    #expect(session.wait(untilPlace: .milliseconds(100), of: 2))
    session.deck?.play(items[1])
    #expect(session.wait(untilPlace: .milliseconds(100), of: 1))
    session.deck?.seek(items[1], to: beforeEnd(of: 1))
    #expect(session.wait(untilPlace: .milliseconds(300), of: 2))
    session.end()

    let heard = card.samples.map { Float($0) / 0x1p31 }
    for cut in album.cuts[1...2] {
      let wanted = try around(cut, in: paths)
      let matches = stride(from: 0, to: max(0, heard.count - wanted.count), by: 2).count { start in
        zip(heard[start...], wanted).allSatisfy { abs($0 - $1) < 1e-6 }
      }
      #expect(matches == 1, "the join at \(cut)")
    }
    #expect(card.count("xrun") == 0)
  }

  /// A fifth of a second on each side of a frame of the album, each track decoded after the one before it.
  private func around(_ cut: Int, in paths: [String]) throws -> [Float] {
    var samples: [Float] = []
    for (index, path) in paths.prefix(3).enumerated() {
      let previous = index > 0 ? paths[index - 1] : nil
      samples += try decode(AudioFile.open(path, after: previous))
    }
    return Array(samples[2 * (cut - 8820)..<2 * (cut + 8820)])
  }
}
