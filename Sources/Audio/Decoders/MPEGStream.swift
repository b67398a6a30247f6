/// Where the frames of an MPEG audio file lie.
struct MPEGStream {
  /// The header of the first frame of sound.
  let header: MPEGHeader
  let tag: MPEGTag?
  /// The frames of sound, without the tag's frame and what follows the last.
  let bytes: Range<Int>

  /// How far into a file the first frame is looked for.
  private static let searchLimit = 256 << 10

  /// Finds the first of several frames that follow each other; nil where there are none.
  init?(_ input: InputFile) {
    let end = input.size - Self.tail(of: input)
    guard let start = Self.search(input, end) else { return nil }
    let head = input.bytes(at: start, count: 2048)
    guard let first = MPEGHeader(head) else { return nil }
    tag = MPEGTag(frame: Array(head.prefix(first.bytes)), header: first)
    let sound = start + (tag == nil ? 0 : first.bytes)
    // A file of nothing but the tag has no sound; its own header tells the format.
    header = MPEGHeader(input.bytes(at: sound, count: MPEGHeader.size)) ?? first
    bytes = sound..<max(sound, end)
  }

  /// The last frames of the file, at most `count`, and how many they are.
  func last(_ count: Int, of input: InputFile) -> (bytes: [UInt8], count: Int) {
    let size = min(bytes.count, (count + 1) * 1792)
    let tail = input.bytes(at: bytes.upperBound - size, count: size)
    for start in tail.indices {
      var starts: [Int] = []
      var place = start
      while let next = MPEGHeader(tail[place...]), next.continues(header) {
        starts.append(place)
        place += next.bytes
        if place >= tail.count { break }
      }
      guard place == tail.count, !starts.isEmpty else { continue }
      let chosen = starts.suffix(count)
      return (Array(tail[chosen[chosen.startIndex]...]), chosen.count)
    }
    return ([], 0)
  }

  /// The number of frames, worked out from the size where all have one bit rate; and whether the
  /// size is just theirs, with no junk between.
  func constantCount(in input: InputFile) -> (count: Int, isWhole: Bool)? {
    if let tag, !tag.isConstant { return nil }
    // Without a tag, a look at four places tells.
    for part in 1...4 where tag == nil {
      let place = bytes.lowerBound + bytes.count * part / 5
      let sample = input.optionalBytes(at: place, count: 4096)
      let found = sample.indices.first {
        MPEGFrames.isChain(sample, from: $0, length: 2, isLast: false, like: header)
      }
      // A file too short to look into it elsewhere.
      if found == nil, bytes.count > 32768 { return nil }
      if let found, MPEGHeader(sample[found...])?.bitRate != header.bitRate { return nil }
    }
    let (size, frame) = (bytes.count * 8 * header.rate, header.frames * header.bitRate)
    let count = (size + frame / 2) / frame
    return (count, abs(size - count * frame) <= 2 * 8 * header.rate)
  }

  private static func search(_ input: InputFile, _ end: Int) -> Int? {
    let window = input.optionalBytes(at: 0, count: min(end, searchLimit + 8192))
    var index = 0
    while index < min(window.count, searchLimit) {
      // A single frame, or two, can be all there is only where nothing stands before them.
      if window[index] == 0xFF,
        MPEGFrames.isChain(window, from: index, length: 4, isLast: false)
          || (index == 0 && isWhole(window, end)), index == 0 || isLong(window, from: index, end)
      {
        return index
      }
      index += 1
    }
    return nil
  }

  /// Whether frames follow each other for 8 KiB or to the end: tables in programs look like a few.
  private static func isLong(_ bytes: [UInt8], from start: Int, _ end: Int) -> Bool {
    var place = start
    var previous: MPEGHeader?
    while place - start < 8192, place + MPEGHeader.size <= end {
      guard let next = MPEGHeader(bytes[place...]), previous.map(next.continues) ?? true else {
        return false
      }
      previous = next
      place += next.bytes
    }
    return true
  }

  /// Whether the bytes are frames up to the end, the last of them possibly cut short.
  private static func isWhole(_ bytes: [UInt8], _ end: Int) -> Bool {
    guard bytes.count == end, var previous = MPEGHeader(bytes) else { return false }
    var place = previous.bytes
    while place + MPEGHeader.size <= end {
      guard let next = MPEGHeader(bytes[place...]), next.continues(previous) else { return false }
      previous = next
      place += next.bytes
    }
    return true
  }

  /// Bytes of ID3v1, APEv2 and Lyrics3 tags at the end.
  private static func tail(of input: InputFile) -> Int {
    var tail = 0
    while true {
      let end = input.size - tail
      let foot = input.optionalBytes(at: max(0, end - 128), count: min(128, end))
      if foot.count == 128, foot.starts(with: Array("TAG".utf8)) {
        tail += 128
      } else if foot.count >= 32, foot.suffix(32).starts(with: Array("APETAGEX".utf8)) {
        let fields = foot.suffix(32).dropFirst(12)
        let size = fields.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let hasHeader = fields.dropFirst(11).first.map { $0 & 0x80 != 0 } ?? false
        let whole = size + (hasHeader ? 32 : 0)
        guard whole >= 32, whole <= end else { return tail }
        tail += whole
      } else if foot.count >= 15, foot.suffix(9).elementsEqual("LYRICS200".utf8) {
        let digits = String(decoding: foot.suffix(15).prefix(6), as: UTF8.self)
        guard let size = Int(digits), size >= 0, size + 15 <= end else { return tail }
        tail += size + 15
      } else {
        return tail
      }
    }
  }
}
