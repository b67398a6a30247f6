internal import CFFmpeg

/// The sound track of an MP4 file (M4A, M4B, M4V, MOV): its codec, its packets, what is to be heard.
struct MP4Track {
  let codec: FFmpegCodec.Description
  /// Ticks a second of the track's times.
  let timescale: Int
  /// The ticks to be heard; without an upper end: to the last.
  let heard: (first: Int, end: Int?)
  let samples: MP4Samples

  /// Limits that keep the arithmetic of broken files within 64 bits.
  static let (longest, finest) = (1 << 36, 1 << 22)

  /// Throws if there is no sound; nil if the file needs libavformat.
  static func find(in input: InputFile) throws(DecoderError) -> MP4Track? {
    let top = MP4Box.list(in: 0..<input.size, of: input)
    try input.check()
    guard let movie = top.first(where: { $0.type == "moov" }) else {
      throw .damaged("a damaged MP4 file: it has no index")
    }
    let boxes = movie.children(in: input)
    // Fragments have their own tables.
    if boxes.contains(where: { $0.type == "mvex" }) { return nil }
    let sounds = boxes.filter {
      guard $0.type == "trak", let handler = $0.find("mdia", "hdlr", in: input) else {
        return false
      }
      return handler.bytes(of: input, limit: 12).suffix(4).elementsEqual("soun".utf8)
    }
    guard let track = sounds.first else {
      throw DecoderError(.notAudio, "no sound in it")
    }
    return MP4Track(track, of: movie, in: input)
  }

  private init?(_ track: MP4Box, of movie: MP4Box, in input: InputFile) {
    guard let header = track.find("mdia", "mdhd", in: input),
      let timescale = Self.timescale(header, input), timescale > 0, timescale < Self.finest,
      let table = track.find("mdia", "minf", "stbl", in: input),
      let description = table.find("stsd", in: input),
      let codec = Self.codec(description, input),
      let samples = MP4Samples(table, in: input)
    else { return nil }
    self.codec = codec
    self.timescale = timescale
    self.samples = samples
    heard =
      Self.gapless(movie, input)
      ?? Self.edit(track, of: movie, timescale, samples, input) ?? (0, nil)
  }

  /// mdhd and mvhd (sections 8.4.2 and 8.2.2).
  private static func timescale(_ header: MP4Box, _ input: InputFile) -> Int? {
    let bytes = header.bytes(of: input, limit: 32)
    let start = bytes.first == 1 ? 20 : 12
    guard bytes.count >= start + 4 else { return nil }
    return MP4Box.number(bytes[start..<start + 4])
  }

  /// The edit list (section 8.6.6): where the sound starts, and for how long.
  ///
  /// The length is in the movie's timescale, often milliseconds. Where the media's own length
  /// agrees with it to within a tick, that is the exact one.
  private static func edit(
    _ track: MP4Box, of movie: MP4Box, _ timescale: Int, _ samples: MP4Samples, _ input: InputFile
  ) -> (first: Int, end: Int?)? {
    guard let list = track.find("edts", "elst", in: input),
      let movieHeader = movie.find("mvhd", in: input),
      let movieScale = Self.timescale(movieHeader, input), movieScale > 0,
      let version = list.bytes(of: input, limit: 1).first
    else { return nil }
    let width = version == 1 ? 8 : 4
    let bytes = list.bytes(of: input, limit: 8 + 16 * (2 * width + 4))
    var edits: [(length: Int, start: Int)] = []
    var place = 8
    while place + 2 * width + 4 <= bytes.count {
      let length = MP4Box.number(bytes[place..<place + width])
      let start = bytes[place + width..<place + 2 * width]
      // Minus one is silence, which nobody misses.
      if !start.allSatisfy({ $0 == 0xFF }) { edits.append((length, MP4Box.number(start))) }
      place += 2 * width + 4
    }
    // Several pieces: the whole is played, from the first on.
    guard let edit = edits.first, edit.start < Self.longest else { return nil }
    guard edits.count == 1, edit.length > 0, edit.length < Self.longest else {
      return (edit.start, nil)
    }
    let total = samples.duration
    let rest = total - edit.start
    // A tick of the movie, in the track's ticks, rounded up.
    let tick = (timescale + movieScale - 1) / movieScale
    let length = (edit.length * timescale + movieScale / 2) / movieScale
    return (edit.start, abs(rest - length) <= tick ? total : edit.start + length)
  }

  /// iTunes' own note of delay, padding and length, in hexadecimal, in the track's ticks.
  private static func gapless(_ movie: MP4Box, _ input: InputFile) -> (first: Int, end: Int?)? {
    guard let meta = movie.find("udta", "meta", in: input),
      let list = meta.children(in: input, after: 4).first(where: { $0.type == "ilst" })
    else { return nil }
    for item in list.children(in: input) where item.type == "----" {
      let parts = item.children(in: input)
      guard let name = parts.first(where: { $0.type == "name" }),
        name.bytes(of: input, limit: 64).dropFirst(4).elementsEqual("iTunSMPB".utf8),
        let data = parts.first(where: { $0.type == "data" })
      else { continue }
      let text = String(decoding: data.bytes(of: input, limit: 512).dropFirst(8), as: UTF8.self)
      let numbers = text.split(separator: " ").compactMap { Int($0, radix: 16) }
      guard numbers.count >= 4, numbers[1] >= 0, numbers[1] < Self.finest,
        numbers[3] > 0, numbers[3] < Self.longest
      else { return nil }
      return (numbers[1], numbers[1] + numbers[3])
    }
    return nil
  }

  // MARK: - The codec

  private static func codec(
    _ description: MP4Box, _ input: InputFile
  ) -> FFmpegCodec.Description? {
    let entries = description.children(in: input, after: 8)
    guard entries.count == 1, let entry = entries.first else { return nil }
    let head = entry.bytes(of: input, limit: 28)
    guard head.count == 28 else { return nil }
    // QuickTime's versions 1 and 2 have more fields before the inner boxes.
    let extra = MP4Box.number(head[8..<10])
    guard extra < 2 else { return nil }
    var boxes = entry.children(in: input, after: 28 + 16 * extra)
    if let wave = boxes.first(where: { $0.type == "wave" }) { boxes += wave.children(in: input) }
    let (channels, rate) = (MP4Box.number(head[16..<18]), MP4Box.number(head[24..<26]))
    guard channels > 0, channels <= 64 else { return nil }
    switch entry.type {
    case "mp4a":
      guard let esds = boxes.first(where: { $0.type == "esds" }),
        let configuration = decoderConfiguration(esds.bytes(of: input, limit: 4096))
      else { return nil }
      return .init(
        id: AV_CODEC_ID_AAC, configuration: configuration, rate: rate, channels: channels)
    case "alac":
      guard let box = boxes.first(where: { $0.type == "alac" }) else { return nil }
      // libavcodec wants the box with its header.
      let body = box.bytes(of: input, limit: 4096)
      let size = UInt8(truncatingIfNeeded: body.count + 8)
      return .init(
        id: AV_CODEC_ID_ALAC, configuration: [0, 0, 0, size] + Array("alac".utf8) + body,
        rate: rate, channels: channels)
    default: return nil
    }
  }

  /// The AudioSpecificConfig in an ES descriptor (ISO 14496-1, section 7.2.6); nil if it isn't AAC.
  private static func decoderConfiguration(_ esds: [UInt8]) -> [UInt8]? {
    var place = 4
    func byte() -> UInt8? {
      guard place < esds.count else { return nil }
      defer { place += 1 }
      return esds[place]
    }
    func descriptor() -> (tag: UInt8, size: Int)? {
      guard let tag = byte() else { return nil }
      var size = 0
      for _ in 0..<4 {
        guard let next = byte() else { return nil }
        size = size << 7 | Int(next & 0x7F)
        if next & 0x80 == 0 { break }
      }
      return (tag, size)
    }
    guard let stream = descriptor(), stream.tag == 3 else { return nil }
    place += 2
    guard let flags = byte() else { return nil }
    if flags & 0x80 != 0 { place += 2 }
    if flags & 0x40 != 0, let length = byte() { place += Int(length) }
    if flags & 0x20 != 0 { place += 2 }
    guard let decoder = descriptor(), decoder.tag == 4, let type = byte(),
      type == 0x40 || (0x66...0x68).contains(type)
    else { return nil }
    place += 12
    guard let specific = descriptor(), specific.tag == 5, specific.size > 0,
      place + specific.size <= esds.count
    else { return nil }
    return Array(esds[place..<place + specific.size])
  }
}
