import Glibc
import Testing

@testable import Audio

@Suite struct FailingReadTests {
  @Test(arguments: Encoding.allCases, [EIO, ENODEV])
  func `a read that fails in mid play is told from the end`(
    _ encoding: Encoding, _ code: Int32
  ) throws {
    let file = try Corpus.files(encoding, of: encoding.album)[0]
    let size = try InputFile(Array(file.utf8)).size
    // Set once the file is open: an MP4's index is at its end.
    var limit = Int.max
    let input = try InputFile(Array(file.utf8)) { descriptor, destination, offset in
      if offset + 4096 > limit {
        errno = code
        return -1
      }
      return pread(descriptor, destination.baseAddress, min(destination.count, 4096), offset)
    }
    let straight = try decode(AudioFile.open(file))
    let decoder = try AudioFile.open(input)
    limit = size / 2
    var samples: [Float] = []
    let error = #expect(throws: DecoderError.self) {
      while true {
        let piece = try read(decoder, 1000)
        if piece.isEmpty { break }
        samples += piece
      }
    }
    #expect(error?.kind == .unreadable(code))
    #expect(samples.count < straight.count)
    #expect(samples.count > 0)
  }

  @Test(arguments: Encoding.allCases)
  func `a read that fails at once is told from a damaged file`(_ encoding: Encoding) throws {
    let file = try Corpus.files(encoding, of: encoding.album)[0]
    let input = try InputFile(Array(file.utf8)) { _, _, _ in
      errno = EIO
      return -1
    }
    let error = #expect(throws: DecoderError.self) { try AudioFile.open(input) }
    #expect(error?.kind == .unreadable(EIO))
    #expect(error?.description == "can't be read: Input/output error")
  }

  @Test(arguments: Encoding.allCases)
  func `a file that shrinks while it plays just ends`(_ encoding: Encoding) throws {
    let bytes = try Corpus.bytes(Corpus.files(encoding, of: encoding.album)[0])
    let file = try Corpus.write("shrinks-\(encoding).\(encoding.suffix)", bytes)
    let decoder = try AudioFile.open(file)
    _ = try read(decoder, 1000)
    #expect(truncate(file, off_t(bytes.count / 2)) == 0)
    let rest = try decode(decoder)
    #expect(rest.reduce(0) { max($0, abs($1)) } <= 1.5)
    try decoder.seek(to: 500)
    _ = try read(decoder, 1000)
  }

  @Test func `an interrupted read is taken up again`() throws {
    let file = try Corpus.files(.flac, of: .cd)[3]
    var isFirst = true
    let input = try InputFile(Array(file.utf8)) { descriptor, destination, offset in
      isFirst.toggle()
      if !isFirst {
        errno = EINTR
        return -1
      }
      // And in small pieces, as a slow device may give them.
      return pread(descriptor, destination.baseAddress, min(destination.count, 1000), offset)
    }
    #expect(try decode(AudioFile.open(input)) == Corpus.Album.cd.tracks[3].floats)
  }

  @Test(arguments: [Encoding.mp3Loud, .flac, .wav])
  func `what stands before an unreadable tail is heard`(_ encoding: Encoding) throws {
    let file = try Corpus.files(encoding, of: encoding.album)[0]
    let size = try InputFile(file).size
    let input = try InputFile(file) { descriptor, destination, offset in
      guard offset < size / 2 else {
        errno = EIO
        return -1
      }
      return pread(descriptor, destination.baseAddress, min(destination.count, 4096), offset)
    }
    let straight = try decode(AudioFile.open(file))
    let decoder = try AudioFile.open(input)
    var samples: [Float] = []
    #expect(throws: DecoderError.self) {
      while true {
        let piece = try read(decoder, 1000)
        if piece.isEmpty { break }
        samples += piece
      }
    }
    #expect(samples.count > straight.count / 3)
    #expect(samples[...] == straight[..<samples.count])
  }

  @Test(arguments: [Encoding.mp3Loud, .flac, .vorbis])
  func `zeros without end behind a broken file are not read through`(_ encoding: Encoding) throws {
    let bytes = try Corpus.bytes(Corpus.files(encoding, of: encoding.album)[0])
    let file = try Corpus.write(
      "zeros-\(encoding).\(encoding.suffix)", Array(bytes[..<(bytes.count / 2)]))
    #expect(truncate(file, 1 << 30) == 0)
    var count = 0
    let input = try InputFile(file) { descriptor, destination, offset in
      count += destination.count
      return pread(descriptor, destination.baseAddress, destination.count, offset)
    }
    // Vorbis is at its end nowhere, and may be refused.
    _ = try? decode(AudioFile.open(input))
    #expect(count < 100 << 20)
  }
}
