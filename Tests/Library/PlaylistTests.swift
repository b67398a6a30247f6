import Testing

@testable import Library

/// What the parsers make of a list's bytes, before any file is looked for.
struct PlaylistTests {
  private func targets(_ bytes: [UInt8], _ kind: Playlist.Kind) throws -> [String] {
    try Playlist(bytes, kind: kind).items.map { String(decoding: $0.target, as: UTF8.self) }
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `lines end as on any system`(_ end: String) throws {
    let text = ["#EXTM3U", "#EXTINF:123,An Artist - A Title", "a.mp3", "", "  b c.mp3 ", "#x"]
    let playlist = try Playlist(Array(text.joined(separator: end).utf8), kind: .m3u)
    #expect(
      playlist.items == [
        .init(target: Array("a.mp3".utf8), tags: Tags(title: "An Artist - A Title")),
        .init(target: Array("b c.mp3".utf8)),
      ])
  }

  @Test func `a byte order mark is no part of a name`() throws {
    #expect(try targets([0xEF, 0xBB, 0xBF] + Array("ä.mp3\n".utf8), .m3u) == ["ä.mp3"])
    let little: [UInt8] =
      [0xFF, 0xFE] + "ä.mp3\r\n".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let big: [UInt8] =
      [0xFE, 0xFF] + "ä.mp3\r\n".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    #expect(try targets(little, .m3u) == ["ä.mp3"])
    #expect(try targets(big, .m3u) == ["ä.mp3"])
  }

  @Test func `titles in CP1252 are read`() throws {
    let line = Array("#EXTINF:1,Caf".utf8) + [0xE9, 0x20, 0x80, 0x0A] + Array("a.mp3".utf8)
    #expect(try Playlist(line, kind: .m3u).items.first?.tags.title == "Café €")
  }

  @Test func `PLS items stand by number, not by line`() throws {
    let text = """
      [playlist]
      numberofentries=3
      Title10=Ten
      File10=ten.mp3
      file2 = two.mp3
      File1=one.mp3
      Length1=-1
      Version=2
      """
    let playlist = try Playlist(Array(text.utf8), kind: .pls)
    #expect(
      playlist.items == [
        .init(target: Array("one.mp3".utf8)),
        .init(target: Array("two.mp3".utf8)),
        .init(target: Array("ten.mp3".utf8), tags: Tags(title: "Ten")),
      ])
  }

  @Test func `a cue sheet's tracks end where the next begins, within their file`() throws {
    let text = """
      REM GENRE Rock
      REM DATE 1999
      REM DISCNUMBER 2
      REM REPLAYGAIN_ALBUM_GAIN -6.50 dB
      REM REPLAYGAIN_ALBUM_PEAK 0.9
      PERFORMER "The Band"
      TITLE "The Album"
      FILE "one.flac" WAVE
        TRACK 01 AUDIO
          TITLE "First"
          REM REPLAYGAIN_TRACK_GAIN -7.00 dB
          REM REPLAYGAIN_TRACK_PEAK 0.8
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          TITLE "Second, with a "
          PERFORMER Guest
          INDEX 00 03:10:00
          INDEX 01 03:12:15
        TRACK 03 AUDIO
          TITLE "Third"
          INDEX 00 05:00:00
      FILE "two.flac" WAVE
          INDEX 01 00:00:00
        TRACK 04 MODE1/2352
          INDEX 01 01:00:00
      """
    let playlist = try Playlist(Array(text.utf8), kind: .cue)
    let gain = ReplayGain.Adjustment(gain: -6.5, peak: 0.9)
    // 75 frames a second (Red Book): 3:12:15 is 192.2 s.
    let second = Duration.milliseconds(192_200)
    #expect(playlist.items.allSatisfy { $0.tags.genres == ["Rock"] && $0.tags.date == "1999" })
    let items = playlist.items.map { item in
      var item = item
      item.tags.genres = []
      item.tags.date = nil
      return item
    }
    #expect(
      items == [
        .init(
          target: Array("one.flac".utf8), end: second,
          tags: Tags(
            title: "First", artist: "The Band", album: "The Album", albumArtist: "The Band",
            disc: 2, track: 1,
            replayGain: ReplayGain(track: .init(gain: -7, peak: 0.8), album: gain)
          )),
        .init(
          target: Array("one.flac".utf8), start: second,
          tags: Tags(
            title: "Second, with a ", artist: "Guest", album: "The Album",
            albumArtist: "The Band", disc: 2, track: 2, replayGain: ReplayGain(album: gain))),
        .init(
          target: Array("two.flac".utf8), end: .seconds(60),
          tags: Tags(
            title: "Third", artist: "The Band", album: "The Album", albumArtist: "The Band",
            disc: 2, track: 3, replayGain: ReplayGain(album: gain))),
      ])
  }

  @Test func `every CD frame gives its sample, rounded down or to the nearest`() throws {
    for frame in 0..<75 {
      let time = "00:07:" + (frame < 10 ? "0" : "") + String(frame)
      let text = "FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 01 \(time)"
      let start = try #require(try Playlist(Array(text.utf8), kind: .cue).items.first).start
      // A CD frame is 588 samples of 44.1 kHz.
      let second = Int128(1_000_000_000_000_000_000)
      let attoseconds =
        Int128(start.components.seconds) * second + Int128(start.components.attoseconds)
      #expect(attoseconds * 44100 / second == Int128(7 * 75 + frame) * 588)
      #expect((attoseconds * 44100 + second / 2) / second == Int128(7 * 75 + frame) * 588)
    }
  }

  @Test(arguments: [
    "FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 01 00:60:00",
    "TRACK 01 AUDIO\nINDEX 01 00:00:00",
    "FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 00 00:00:00",
    "FILE\nTRACK\nINDEX\nREM\nTITLE\nPERFORMER",
    "INDEX 01 999999999999999999999:00:00", "", "\"", "REM REPLAYGAIN_TRACK_GAIN 1",
  ])
  func `a cue sheet without a playable track is refused`(_ text: String) {
    #expect(throws: Playlist.Failure.self) { try Playlist(Array(text.utf8), kind: .cue) }
  }

  @Test func `binary data and network streams are refused with the reason`() {
    #expect(throws: Playlist.Failure(description: "not a playlist, but binary data")) {
      try Playlist([UInt8](repeating: 0, count: 100), kind: .m3u)
    }
    let hls = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\na.ts\n"
    #expect(throws: Playlist.Failure.self) { try Playlist(Array(hls.utf8), kind: .m3u) }
  }

  @Test func `a list is cut after 100,000 items`() throws {
    let bytes = Array(String(repeating: "a\n", count: 200_000).utf8)
    let playlist = try Playlist(bytes, kind: .m3u)
    #expect(playlist.items.count == 100_000)
    #expect(playlist.isCut)
  }

  @Test func `no bytes crash a parser`() throws {
    var random = SplitMix(state: 3)
    let seed = """
      #EXTM3U\r\n#EXTINF:1,a - b\n%41\\C:\\x.mp3\n[playlist]\nFile1=a\nTitle1=b\nFILE "a b" WAVE
      TRACK 01 AUDIO\nINDEX 01 00:02:00\nREM REPLAYGAIN_TRACK_GAIN -1e99 dB\nfile://x/%zz\n
      """
    let folder = try TemporaryFolder()
    var finder = Finder(folder: Path(folder.path))
    for round in 0..<3000 {
      var bytes = Array(seed.utf8)
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1 where bytes.count > 2: bytes.remove(at: place)
        case 2: bytes.insert(bytes[bytes.count - 1 - place], at: place)
        default:
          bytes[place] = Array("\"%\\:/=#\u{FE}9\n\r ".utf8).randomElement(using: &random) ?? 0
        }
      }
      if round % 7 == 0 { bytes = [0xFF, 0xFE] + bytes }
      for kind in [Playlist.Kind.m3u, .pls, .cue] {
        guard let playlist = try? Playlist(bytes, kind: kind) else { continue }
        #expect(!playlist.items.isEmpty)
        for item in playlist.items {
          #expect(item.start >= .zero && item.end.map { $0 > item.start } != false)
          _ = finder.findAudio(item.target)
        }
      }
    }
  }

  @Test func `XSPF lists give their locations and titles, whatever else is in them`() throws {
    let list = """
      <?xml version="1.0" encoding="UTF-8"?>
      <playlist version="1" xmlns="http://xspf.org/ns/0/"><title>Not a track</title>
        <!-- <track><location>commented.mp3</location></track> -->
        <trackList>
          <track>
            <location> a%20b.mp3 </location><location>second.mp3</location>
            <title>Salt &amp; Pepper &#x2014; &#33;&unknown;</title>
          </track>
          <track><title>No place</title></track>
          <x:track xmlns:x="http://xspf.org/ns/0/"><x:location><![CDATA[c&d.mp3]]></x:location></x:track>
          <track><location>file:///music/e.flac</location></track>
        </trackList>
      </playlist>
      """
    let items = try Playlist(Array(list.utf8), kind: .xspf).items
    #expect(
      items.map { String(decoding: $0.target, as: UTF8.self) } == [
        "a%20b.mp3", "c&d.mp3", "file:///music/e.flac",
      ])
    #expect(items.map(\.tags.title) == ["Salt & Pepper — !&unknown;", nil, nil])
  }

  @Test func `damaged XSPF never crashes or hangs`() throws {
    let list = Array(
      "<playlist><track><location>a&amp;b</location><title>t</title></track><!-- --></playlist>"
        .utf8)
    var random = SplitMix(state: 6)
    for _ in 0..<3000 {
      var bytes = Array(list.prefix(Int.random(in: 0...list.count, using: &random)))
      for _ in 0..<Int.random(in: 0...6, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = Array("<>&;!-/[]\0a".utf8).randomElement(using: &random) ?? 0
      }
      #expect(XSPF(bytes).items.count <= 1)
    }
  }
}
