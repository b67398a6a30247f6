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

  /// The values of one key in one tag follow each other.
  private var values: [(key: ctaglib_key, value: Value)] = []
  private var last = CTAGLIB_KEYS
  /// By the bits of the keys' numbers: those with values, and those that take no more.
  private var known: UInt64 = 0
  private var closed: UInt64 = 0
  private var hasUnknown = false
  private(set) var hasPicture = false
  private(set) var smpb: String?

  /// Bytes of a text that are kept: more is no name, and a file may claim millions.
  private static let limit = 4096

  mutating func add(_ key: ctaglib_key, _ utf8: UnsafeBufferPointer<UInt8>) {
    if key == CTAGLIB_PICTURE {
      hasPicture = true
      return
    }
    // A tag lists a key once: what comes for it later is of a lesser tag.
    if key != last {
      closed |= Self.bit(last)
      last = key
    }
    guard key != CTAGLIB_KEYS, closed & known & Self.bit(key) == 0 else { return }
    let trimmed = unsafe utf8.trimming { $0 <= 0x20 }.prefix(Self.limit)
    guard unsafe !trimmed.isEmpty else { return }
    known |= Self.bit(key)
    if let bytes = unsafe Self.unmarked(trimmed) {
      values.append((key, .bytes(bytes)))
      hasUnknown = true
    } else {
      let text = unsafe String(decoding: trimmed, as: UTF8.self)
      if key == CTAGLIB_SMPB { smpb = text }
      values.append((key, .text(text)))
    }
  }

  private static func bit(_ key: ctaglib_key) -> UInt64 { 1 << UInt64(key.rawValue) }

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
    values.compactMap { value in
      if case .bytes(let bytes) = value.value { bytes } else { nil }
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
    func all(_ key: ctaglib_key) -> [String] {
      guard known & Self.bit(key) != 0 else { return [] }
      return values.compactMap { $0.key == key ? string($0.value) : nil }
    }
    func first(_ key: ctaglib_key) -> String? {
      guard known & Self.bit(key) != 0 else { return nil }
      return values.first { $0.key == key }.map { string($0.value) }
    }
    func text(_ key: ctaglib_key) -> String? {
      let values = all(key)
      return values.count < 2 ? values.first : values.joined(separator: ", ")
    }
    func number(_ key: ctaglib_key) -> Int? { first(key).flatMap { leadingInteger($0.utf8) } }
    /// The two of "3/12", or of "3" and "12".
    func numbers(_ key: ctaglib_key, _ totalKey: ctaglib_key) -> (Int?, Int?) {
      let parts = first(key)?.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1) ?? []
      let total = parts.count > 1 ? leadingInteger(parts[1]) : nil
      return (parts.first.flatMap { leadingInteger($0) }, total ?? number(totalKey))
    }
    var tags = Tags()
    tags.title = text(CTAGLIB_TITLE)
    tags.artist = text(CTAGLIB_ARTIST)
    tags.album = text(CTAGLIB_ALBUM)
    tags.albumArtist = text(CTAGLIB_ALBUM_ARTIST)
    tags.composer = text(CTAGLIB_COMPOSER)
    tags.genres = Genres.names(in: all(CTAGLIB_GENRE))
    // TagLib puts a blank where ID3v2.4's times have a "T" (ISO 8601).
    tags.date = first(CTAGLIB_DATE).map { date in
      date.utf8.contains(0x20) ? String(date.map { $0 == " " ? "T" : $0 }) : date
    }
    (tags.track, tags.trackTotal) = numbers(CTAGLIB_TRACK, CTAGLIB_TRACK_TOTAL)
    (tags.disc, tags.discTotal) = numbers(CTAGLIB_DISC, CTAGLIB_DISC_TOTAL)
    tags.isCompilation = first(CTAGLIB_COMPILATION).map { $0 != "0" } ?? false
    tags.comment = first(CTAGLIB_COMMENT)
    tags.hasLyrics = known & Self.bit(CTAGLIB_LYRICS) != 0
    tags.beatsPerMinute = number(CTAGLIB_BPM)
    tags.sortNames.title = text(CTAGLIB_TITLE_SORT)
    tags.sortNames.artist = text(CTAGLIB_ARTIST_SORT)
    tags.sortNames.album = text(CTAGLIB_ALBUM_SORT)
    tags.sortNames.albumArtist = text(CTAGLIB_ALBUM_ARTIST_SORT)
    tags.sortNames.composer = text(CTAGLIB_COMPOSER_SORT)
    tags.hasPicture = hasPicture
    let mediaKind = first(CTAGLIB_MEDIA_KIND)
    tags.kind = Genres.kind(tags.genres)
    if mediaKind == "21" || first(CTAGLIB_PODCAST).map({ $0 != "0" }) ?? false {
      tags.kind = .podcast
    } else if tags.kind == .music, isBook || mediaKind == "2" {
      tags.kind = .audiobook
    }
    tags.replayGain = ReplayGain(
      track: ReplayGain.Adjustment(
        opus: first(CTAGLIB_R128_TRACK_GAIN), gain: first(CTAGLIB_TRACK_GAIN),
        peak: first(CTAGLIB_TRACK_PEAK)),
      album: ReplayGain.Adjustment(
        opus: first(CTAGLIB_R128_ALBUM_GAIN), gain: first(CTAGLIB_ALBUM_GAIN),
        peak: first(CTAGLIB_ALBUM_PEAK)))
    return tags
  }
}

/// The whole number above 0 that a text starts with; nil for one of more than 18 digits.
private func leadingInteger(_ utf8: some Collection<UInt8>) -> Int? {
  let digits = utf8.drop { $0 == 0x20 }.prefix { (0x30...0x39).contains($0) }
  let number = digits.count > 18 ? 0 : digits.reduce(0) { $0 * 10 + Int($1 & 15) }
  return number > 0 ? number : nil
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
