import Audio
import Testing

@Suite struct GaplessTests {
  @Test(arguments: Encoding.gapless)
  func `tracks cut from one signal join without a frame more or less`(
    _ encoding: Encoding
  ) throws {
    let album = encoding.album
    let files = try Corpus.files(encoding, of: album)
    var joined: [Float] = []
    for (file, length) in zip(files, album.lengths) {
      let decoder = try AudioFile.open(file)
      #expect(decoder.length == length)
      #expect(decoder.format.rate == album.signal.rate)
      #expect(decoder.format.layout == .stereo)
      let samples = try decode(decoder)
      #expect(samples.count == 2 * length)
      #expect(decoder.position == length)
      joined += samples
    }
    if encoding.isLossless {
      #expect(joined == album.signal.floats)
    } else {
      expectAligned(joined, album)
    }
  }

  @Test(arguments: [Encoding.mp3Nogap, .mp3NogapTags])
  func `an album encoded in one go by lame has no seams`(_ encoding: Encoding) throws {
    let album = Corpus.Album.cd
    var joined: [Float] = []
    var previous: String?
    for file in try Corpus.files(encoding, of: album) {
      let decoder = try AudioFile.open(file, after: previous)
      let samples = try decode(decoder)
      #expect(decoder.length == samples.count / 2)
      joined += samples
      previous = file
    }
    // Without tags nothing tells the encoder's delay (576 frames) and where the last track ends.
    if encoding == .mp3NogapTags { #expect(joined.count == album.signal.samples.count) }
    let delay = encoding == .mp3Nogap ? 576 : 0
    expectAligned(Array(joined.dropFirst(2 * delay)), album)
  }

  @Test func `a seek in a file that continues another is exact`() throws {
    let files = try Corpus.files(.mp3Nogap, of: .cd)
    let straight = try decode(AudioFile.open(files[1], after: files[0]))
    let decoder = try AudioFile.open(files[1], after: files[0])
    for frame in [40_000, 0, 1, 1151, 30_011] {
      try decoder.seek(to: frame)
      let samples = try read(decoder, 2000)
      #expect(samples == Array(straight[(2 * frame)..<(2 * frame + samples.count)]))
    }
  }

  @Test func `tracks that begin by themselves do not continue the one before`() throws {
    let files = try Corpus.files(.mp3Untagged, of: .cd)
    for (previous, file) in zip(files, files.dropFirst()) {
      let alone = try decode(AudioFile.open(file))
      #expect(try decode(AudioFile.open(file, after: previous)) == alone)
    }
    let tagged = try Corpus.files(.mp3Constant, of: .cd)
    #expect(try AudioFile.open(tagged[1], after: files[0]).length == Corpus.Album.cd.lengths[1])
  }

  @Test func `an untagged MP3 loses the decoder's delay of 529 frames`() throws {
    let files = try Corpus.files(.mp3Untagged, of: .cd)
    let track = Corpus.Album.cd.tracks[0].floats
    let samples = try decode(AudioFile.open(files[0]))
    // What remains before the sound is LAME's own delay of 576 frames.
    let quality = correlation(track, samples, from: 0, count: 8000, shift: 576)
    #expect(quality > 0.95)
    for shift in [574, 575, 577, 578] {
      #expect(correlation(track, samples, from: 0, count: 8000, shift: shift) < quality)
    }
  }

  /// Checks both ends of every track for their place, and the joins' error against the rest.
  private func expectAligned(_ joined: [Float], _ album: Corpus.Album) {
    let original = album.signal.floats
    for (start, end) in zip(album.cuts, album.cuts.dropFirst()) {
      let count = min(6000, end - start)
      for from in [start, end - count] {
        let quality = correlation(original, joined, from: from, count: count, shift: 0)
        #expect(quality > 0.9, "at \(from)")
        for shift in [-3, -2, -1, 1, 2, 3] where from + shift >= 0 {
          let shifted = correlation(original, joined, from: from, count: count, shift: shift)
          #expect(shifted < quality, "at \(from) by \(shift)")
        }
      }
    }
    var (atJoins, elsewhere): (Float, Float) = (0, 0)
    let joins = album.cuts.dropFirst().dropLast()
    for frame in 0..<min(joined.count, original.count) / 2 {
      let error = abs(joined[2 * frame] - original[2 * frame])
      if joins.contains(where: { abs($0 - frame) <= 200 }) {
        atJoins = max(atJoins, error)
      } else {
        elsewhere = max(elsewhere, error)
      }
    }
    #expect(atJoins <= elsewhere)
  }

  /// Normalised correlation of the left channels, the second shifted by frames.
  private func correlation(
    _ first: [Float], _ second: [Float], from: Int, count: Int, shift: Int
  ) -> Float {
    var (product, one, two): (Float, Float, Float) = (0, 0, 0)
    for frame in from..<(from + count) where 2 * (frame + shift) < second.count {
      let (a, b) = (first[2 * frame], second[2 * (frame + shift)])
      product += a * b
      one += a * a
      two += b * b
    }
    return product / (one * two).squareRoot()
  }
}
