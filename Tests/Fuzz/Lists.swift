import Glibc
import Library

/// The command that makes a sample of a text; `printf` escapes in it are undone.
func text(_ text: String, _ name: String) -> [String] {
  ["sh", "-c", "printf '%b' \"$1\" > \"$0\"", name, text]
}

/// Walks an input under a name with an extension; every entry must be a range of something there.
func walk(_ extension: String) -> (String, inout Mutator) -> String? {
  { path, _ in
    let named = path + "." + `extension`
    symlink(path, named)
    var count = 0
    for element in Walk([Path(named)]) {
      guard case .entry(let entry) = element else { continue }
      count += 1
      guard count <= Int(1 << 18) else { return "no end" }
      guard entry.start >= .zero, entry.end.map({ $0 > entry.start }) != false else {
        return "a range of \(entry.start) to \(String(describing: entry.end))"
      }
      guard access(entry.path.description, F_OK) == 0 else { return "\(entry.path) is not there" }
    }
    return nil
  }
}

/// Reads an input's tags; numbers must be what they are in music.
func tags(_ path: String, _ random: inout Mutator) -> String? {
  let tags = Tags(of: Path(path))
  guard tags.track.map({ $0 > 0 }) != false, tags.disc.map({ $0 > 0 }) != false else {
    return "track \(String(describing: tags.track)) of disc \(String(describing: tags.disc))"
  }
  for adjustment in [tags.replayGain.track, tags.replayGain.album].compactMap({ $0 }) {
    guard abs(adjustment.gain) <= 200, abs(adjustment.limited) <= 1000 else {
      return "a gain of \(adjustment.gain)"
    }
  }
  return nil
}

/// Lists whose entries lead to the fuzzer's own input, to other lists and to nowhere.
func lists() -> [String: Entry] {
  [
    "m3u": Entry(
      samples: [
        text("#EXTM3U\\n#EXTINF:1,a - b\\ninput\\n../x.mp3\\ninput.m3u\\n", "OUT.m3u"),
        text(
          "\\xEF\\xBB\\xBFC:\\\\Music\\\\input\\r\\nfile:///input%20x\\r\\nhttp://x/y\\r\\n",
          "OUT.m3u"),
        text("\\xFF\\xFEi\\0n\\0p\\0u\\0t\\0\\n\\0", "OUT.m3u"),
      ], take: walk("m3u")),
    "pls": Entry(
      samples: [
        text(
          "[playlist]\\nFile1=input\\nTitle1=One\\nFile2=/input\\nNumberOfEntries=2\\n", "OUT.pls")
      ], take: walk("pls")),
    "cue": Entry(
      samples: [
        text(
          """
          REM DISCNUMBER 1\\nREM REPLAYGAIN_ALBUM_GAIN -6.5 dB\\nPERFORMER \\"P\\"\\nTITLE \\"T\\"
          FILE \\"input\\" WAVE\\n  TRACK 01 AUDIO\\n    INDEX 01 00:00:00\\n  TRACK 02 AUDIO
          INDEX 00 01:00:00\\n    INDEX 01 01:02:74\\nFILE \\"x.wav\\" WAVE\\n    INDEX 01 00:00:00
          """, "OUT.cue")
      ], take: walk("cue")),
    "xspf": Entry(
      samples: [
        text(
          """
          <?xml version="1.0" encoding="UTF-8"?>\n<playlist version="1" xmlns="http://xspf.org/ns/0/">
          <title>L &amp; M</title><trackList><track><location>input</location><title>One</title>
          <duration>1000</duration></track><track><location>file:///a%20b</location></track><!-- x -->
          <track><location><![CDATA[input.xspf]]></location></track></trackList></playlist>
          """, "OUT.xspf")
      ], take: walk("xspf")),
    "query": Entry(
      samples: [text("abcdefgh", "OUT.txt"), text("'\"`;%_12345678", "OUT.txt")], take: queries()),
    "tags": Entry(
      samples: [
        [
          "lame", "--quiet", "-b", "64", "--add-id3v2", "--tt", "T", "--tn", "3/12", "--tv",
          "TXXX=REPLAYGAIN_TRACK_GAIN=-6.48 dB", "IN", "OUT.mp3",
        ],
        ["flac", "-s", "-f", "-T", "TITLE=T", "-T", "DISCNUMBER=1", "IN", "-o", "OUT.flac"],
        ["oggenc", "-Q", "-t", "T", "-c", "REPLAYGAIN_ALBUM_PEAK=0.9", "-o", "OUT.ogg", "IN"],
        [
          "opusenc", "--quiet", "--title", "T", "--comment", "R128_TRACK_GAIN=256", "IN",
          "OUT.opus",
        ],
        ffmpeg("-metadata", "title=T", "-metadata", "track=3", "OUT.m4a"),
        ffmpeg("-metadata", "title=T", "OUT.wma"), ffmpeg("-metadata", "title=T", "OUT.wv"),
        ffmpeg("-metadata", "title=T", "-write_id3v2", "1", "OUT.aiff"),
        ffmpeg("-metadata", "title=T", "OUT.wav"),
      ], take: tags),
  ]
}
