internal import CTagLib
internal import Glibc

/// All that one look into a file tells.
struct Reading {
  /// Nil if it is no sound and no video.
  let container: Container?
  private(set) var tags = Tags()
  /// Nil where no sound was found, or where only a decoder could tell.
  private(set) var sound: Sound?
  let size: Int
  let modified: Int64
  let fingerprint: Int64

  /// Of `path`, seen from the folder `folder` (a descriptor).
  init(of path: Path, in folder: Int32 = AT_FDCWD) throws(SystemError) {
    var file = try OpenFile(path, in: folder)
    size = file.size
    modified = file.modified
    // Before TagLib's shim mends text in those bytes.
    fingerprint = file.fingerprint
    container = try Container(of: &file)
    guard let container, let format = container.tagFormat else { return }
    var collected = CollectedTags()
    var stored = ctaglib_sound()
    let hasSound = unsafe file.withTagFile { file in
      unsafe withUnsafeMutablePointer(to: &collected) { collected in
        unsafe ctaglib_read(
          file, format, collected,
          { context, key, value, count in
            guard let context = unsafe context, let value = unsafe value else { return }
            unsafe value.withMemoryRebound(to: UInt8.self, capacity: count) { value in
              unsafe context.assumingMemoryBound(to: CollectedTags.self).pointee
                .add(key, UnsafeBufferPointer(start: value, count: count))
            }
          }, &stored)
      }
    }
    tags = collected.tags(isBook: path.extension == "m4b")
    guard hasSound, let codec = container.codec else { return }
    func known(_ number: some BinaryInteger) -> Int? { number > 0 ? Int(number) : nil }
    var sound = Sound(
      codec: codec, milliseconds: known(stored.milliseconds), frames: known(stored.frames),
      rate: known(stored.rate), channels: known(stored.channels), bits: known(stored.bits),
      bitrate: known(stored.bitrate))
    switch container {
    case .mpeg:
      let start = Container.id3Length(file.head)
      let isApart = file.afterTagOffset > 0
      sound.readInfoTag((isApart ? file.afterTag : file.head).dropFirst(isApart ? 0 : start))
    case .mp4:
      if let text = collected.smpb { sound.readSMPB(text) }
    case .opus:
      // Pre-skip, in OpusHead's bytes 10 and 11 (RFC 7845, 5.1), after the first page's header.
      let packet = file.head.dropFirst(27 + (file.head.count > 26 ? Int(file.head[26]) : 0))
      if packet.count > 12 {
        sound.delay = Int(packet[packet.startIndex + 10]) | Int(packet[packet.startIndex + 11]) << 8
      }
    default: break
    }
    self.sound = sound
  }

  /// Why it is no music that can be played; nil if it is.
  var problem: String? {
    if size == 0 { return "the file is empty" }
    guard let container else { return "no audio is in it" }
    if container.tagFormat != nil, sound == nil {
      return "damaged: no sound is where a \(container.codec ?? "music") file has it"
    }
    return nil
  }
}

/// The tags that TagLib hands over one by one, the best of each kind first.
private struct CollectedTags {
  /// Text that is known, or bytes whose encoding is told by all of the file's together.
  private enum Value {
    case text(String)
    case bytes([UInt8])
  }

  /// By the number of the key. The values of one key in one tag follow each other.
  private var values: [[Value]] = Array(repeating: [], count: Int(CTAGLIB_KEYS.rawValue))
  private var last = -1
  private var closed: UInt64 = 0
  private var hasUnknown = false
  private(set) var hasPicture = false
  private(set) var smpb: String?

  mutating func add(_ key: ctaglib_key, _ utf8: UnsafeBufferPointer<UInt8>) {
    if key == CTAGLIB_PICTURE {
      hasPicture = true
      return
    }
    if key == CTAGLIB_KEYS {
      if last >= 0 { closed |= 1 << UInt64(last) }
      last = -1
      return
    }
    let key = Int(key.rawValue)
    // A tag lists a key once: what comes for it later is of a lesser tag.
    if key != last {
      if last >= 0 { closed |= 1 << UInt64(last) }
      last = key
    }
    guard closed >> UInt64(key) & 1 == 0 || values[key].isEmpty else { return }
    let trimmed = unsafe utf8.trimming { $0 <= 0x20 }
    guard unsafe !trimmed.isEmpty else { return }
    if let bytes = unsafe Self.unmarked(trimmed) {
      values[key].append(.bytes(bytes))
      hasUnknown = true
    } else {
      let text = unsafe String(decoding: trimmed, as: UTF8.self)
      if key == Int(CTAGLIB_SMPB.rawValue) { smpb = text }
      values[key].append(.text(text))
    }
  }

  /// With the bytes that the shim marked as they were; nil if none is marked.
  private static func unmarked(_ utf8: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8]? {
    guard unsafe utf8.contains(0xEF) else { return nil }
    var bytes: [UInt8] = []
    var isMarked = false
    var rest = unsafe utf8
    while let byte = unsafe rest.popFirst() {
      if byte == 0xEF, unsafe rest.count >= 2, unsafe rest[rest.startIndex] & 0xFE == 0x9E {
        let (high, low) = unsafe (rest[rest.startIndex], rest[rest.startIndex + 1])
        bytes.append(UInt8(0x80) | (high & 1) << 6 | (low & 0x3F))
        unsafe rest = unsafe rest.dropFirst(2)
        isMarked = true
      } else {
        bytes.append(byte)
      }
    }
    return isMarked ? bytes : nil
  }

  private var unknown: [[UInt8]] {
    values.joined().compactMap { value in
      if case .bytes(let bytes) = value { bytes } else { nil }
    }
  }

  func tags(isBook: Bool) -> Tags {
    let page = hasUnknown ? CodePage(guessedFrom: unknown) : .utf8
    func string(_ value: Value) -> String {
      switch value {
      case .text(let text): text
      case .bytes(let bytes): page.string(bytes)
      }
    }
    func all(_ key: ctaglib_key) -> [String] { values[Int(key.rawValue)].map(string) }
    func text(_ key: ctaglib_key) -> String? {
      let values = values[Int(key.rawValue)]
      if values.count < 2 { return values.first.map(string) }
      return values.map(string).joined(separator: ", ")
    }
    var tags = Tags()
    tags.title = text(CTAGLIB_TITLE)
    tags.artist = text(CTAGLIB_ARTIST)
    tags.album = text(CTAGLIB_ALBUM)
    tags.albumArtist = text(CTAGLIB_ALBUM_ARTIST)
    tags.composer = text(CTAGLIB_COMPOSER)
    tags.genres = Genres.names(in: all(CTAGLIB_GENRE))
    // TagLib puts a blank where ID3v2.4's times have a "T" (ISO 8601).
    tags.date = all(CTAGLIB_DATE).first.map { String($0.map { $0 == " " ? "T" : $0 }) }
    (tags.track, tags.trackTotal) = numbers(all(CTAGLIB_TRACK), all(CTAGLIB_TRACK_TOTAL))
    (tags.disc, tags.discTotal) = numbers(all(CTAGLIB_DISC), all(CTAGLIB_DISC_TOTAL))
    tags.isCompilation = all(CTAGLIB_COMPILATION).first.map { $0 != "0" } ?? false
    tags.comment = all(CTAGLIB_COMMENT).first
    tags.hasLyrics = !values[Int(CTAGLIB_LYRICS.rawValue)].isEmpty
    tags.beatsPerMinute = all(CTAGLIB_BPM).first.flatMap(leadingInteger)
    tags.sortNames.title = text(CTAGLIB_TITLE_SORT)
    tags.sortNames.artist = text(CTAGLIB_ARTIST_SORT)
    tags.sortNames.album = text(CTAGLIB_ALBUM_SORT)
    tags.sortNames.albumArtist = text(CTAGLIB_ALBUM_ARTIST_SORT)
    tags.sortNames.composer = text(CTAGLIB_COMPOSER_SORT)
    tags.hasPicture = hasPicture
    let mediaKind = all(CTAGLIB_MEDIA_KIND).first
    if mediaKind == "21" || all(CTAGLIB_PODCAST).first.map({ $0 != "0" }) ?? false
      || Genres.isPodcast(tags.genres)
    {
      tags.kind = .podcast
    } else if isBook || mediaKind == "2" || Genres.isAudiobook(tags.genres) {
      tags.kind = .audiobook
    }
    tags.replayGain = ReplayGain(
      track: ReplayGain.Adjustment(
        opus: all(CTAGLIB_R128_TRACK_GAIN).first, gain: all(CTAGLIB_TRACK_GAIN).first,
        peak: all(CTAGLIB_TRACK_PEAK).first),
      album: ReplayGain.Adjustment(
        opus: all(CTAGLIB_R128_ALBUM_GAIN).first, gain: all(CTAGLIB_ALBUM_GAIN).first,
        peak: all(CTAGLIB_ALBUM_PEAK).first))
    return tags
  }

  /// The two of "3/12", or of "3" and "12".
  private func numbers(_ texts: [String], _ totals: [String]) -> (Int?, Int?) {
    guard let first = texts.first else { return (nil, totals.first.flatMap(leadingInteger)) }
    let parts = first.split(separator: "/", maxSplits: 1)
    let total = parts.count > 1 ? leadingInteger(String(parts[1])) : nil
    return (
      parts.first.flatMap { leadingInteger(String($0)) },
      total ?? totals.first.flatMap(leadingInteger)
    )
  }
}

/// The whole number above 0 that a text starts with.
private func leadingInteger(_ text: String) -> Int? {
  let digits = text.drop { $0 == " " }.prefix { ("0"..."9").contains($0) }
  return Int(digits).flatMap { $0 > 0 ? $0 : nil }
}

extension Container {
  /// Nil where TagLib reads none.
  var tagFormat: ctaglib_format? {
    switch self {
    case .mpeg: CTAGLIB_MPEG
    case .flac: CTAGLIB_FLAC
    case .oggFLAC: CTAGLIB_OGG_FLAC
    case .vorbis: CTAGLIB_OGG_VORBIS
    case .opus: CTAGLIB_OGG_OPUS
    case .speex: CTAGLIB_OGG_SPEEX
    case .mp4: CTAGLIB_MP4
    case .wav: CTAGLIB_WAV
    case .aiff: CTAGLIB_AIFF
    case .asf: CTAGLIB_ASF
    case .monkeysAudio: CTAGLIB_APE
    case .wavPack: CTAGLIB_WAVPACK
    case .musepack: CTAGLIB_MUSEPACK
    case .trueAudio: CTAGLIB_TRUE_AUDIO
    case .other: nil
    }
  }
}
