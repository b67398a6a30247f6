internal import CMPG123
internal import Glibc

/// MPEG audio (MP3, MP2, MP1) by libmpg123, in float.
///
/// Where LAME's tag tells the encoder's delay and padding, exactly the original is heard. Without
/// it the decoder's own delay is taken off (529 frames in MP3, 481 in layers I and II). A file
/// that was encoded in one go with the one before it (`lame --nogap`) is decoded as if that one's
/// last frames stood before it, with nothing taken off, so that no frame is added or lost.
///
/// After a seek the frames equal those of a straight decode; below 24 kHz to 1e-7 of full scale.
@safe final class MP3Source: BlockSource {
  private(set) var format: StreamFormat
  let input: InputFile
  private let handle: OpaquePointer
  private var frames: MPEGFrames
  /// The current block; nil where a frame could not be decoded and silence stands for it.
  private var block: UnsafeMutablePointer<UInt8>?

  /// MPEG frames decoded ahead of the one sought: the bit reservoir reaches 511 bytes back, which
  /// is ten frames at 16 kbit/s, and one more fills the filter banks.
  private static let preroll = 12

  /// Decodes what the file shows; `constant` is the header of all frames, if one bit rate has all.
  init(_ input: InputFile, constant: MPEGHeader? = nil) throws(DecoderError) {
    guard let handle = unsafe mpg123_new(nil, nil) else {
      throw .damaged("libmpg123 can't be started")
    }
    var failed = false
    func set(_ parameter: mpg123_parms, _ value: Int) {
      if unsafe mpg123_param2(handle, Int32(parameter.rawValue), value, 0) != MPG123_OK.rawValue {
        failed = true
      }
    }
    let on = [MPG123_QUIET, MPG123_FORCE_FLOAT, MPG123_IGNORE_INFOFRAME, MPG123_NO_READAHEAD]
    set(MPG123_ADD_FLAGS, on.reduce(0) { $0 | Int($1.rawValue) })
    let off = [MPG123_GAPLESS, MPG123_AUTO_RESAMPLE]
    set(MPG123_REMOVE_FLAGS, off.reduce(0) { $0 | Int($1.rawValue) })
    guard !failed, unsafe mpg123_open_feed(handle) == MPG123_OK.rawValue else {
      unsafe mpg123_delete(handle)
      throw .damaged("libmpg123 can't be started")
    }
    self.input = input
    frames = MPEGFrames(constant: constant)
    unsafe self.handle = unsafe handle
    let first = MPEGHeader(input.bytes(at: 0, count: MPEGHeader.size))
    format = StreamFormat(
      rate: first?.rate ?? 44100, layout: first?.isMono == true ? .mono : .stereo, bits: 0)
  }

  deinit { unsafe mpg123_delete(handle) }

  func advance() throws(DecoderError) -> Int {
    guard let frame = frames.next(in: input) else {
      try input.check()
      return 0
    }
    let bytes = input.bytes(at: frame.place.lowerBound, count: frame.place.count)
    try input.check()
    format.rate = frame.header.rate
    format.layout = frame.header.isMono ? .mono : .stereo
    unsafe block = nil
    guard unsafe mpg123_feed(handle, bytes, bytes.count) == MPG123_OK.rawValue else {
      return frame.header.frames
    }
    while true {
      var (number, size): (off_t, Int) = (0, 0)
      var decoded: UnsafeMutablePointer<UInt8>?
      let code = unsafe mpg123_decode_frame(handle, &number, &decoded, &size)
      if code == MPG123_NEW_FORMAT.rawValue { continue }
      let whole = frame.header.frames * format.channels * MemoryLayout<Float>.size
      if code == MPG123_OK.rawValue, size == whole, unsafe Self.format(of: handle) == format {
        unsafe block = unsafe decoded
      }
      return frame.header.frames
    }
  }

  func copy(_ frames: Range<Int>, to samples: UnsafeMutablePointer<Float>) {
    let channels = format.channels
    guard let block = unsafe block else {
      unsafe samples.update(repeating: 0, count: frames.count * channels)
      return
    }
    unsafe UnsafeMutableRawPointer(samples).copyMemory(
      from: block + frames.lowerBound * channels * MemoryLayout<Float>.size,
      byteCount: frames.count * channels * MemoryLayout<Float>.size)
  }

  func rewind(to frame: Int) throws(DecoderError) -> Int {
    unsafe mpg123_open_feed(handle)
    unsafe block = nil
    let start = frames.seek(to: frame, preroll: Self.preroll, in: input)
    try input.check()
    return start
  }

  private static func format(of handle: OpaquePointer) -> StreamFormat? {
    var (rate, channels, encoding) = (0, Int32(0), Int32(0))
    guard unsafe mpg123_getformat(handle, &rate, &channels, &encoding) == MPG123_OK.rawValue,
      rate > 0, channels > 0, encoding == MPG123_ENC_FLOAT_32.rawValue
    else { return nil }
    return StreamFormat(rate: rate, layout: .standard(channels: Int(channels)), bits: 0)
  }
}

extension MP3Source {
  /// Opens an MPEG audio file; `previous` was heard just before, and this one may continue it.
  static func open(
    _ input: InputFile, _ stream: MPEGStream, after previous: InputFile?
  ) throws(DecoderError) -> any Decoder {
    let frames = stream.header.frames
    let decoderDelay = stream.header.layer == 3 ? 529 : 481
    let tag = stream.tag.flatMap { isTrue($0, of: stream, in: input) ? $0 : nil }
    let whole = tag?.frameCount.map { $0 * frames }
    let constant = stream.constantCount(in: input)
    let model = constant?.isWhole == true ? stream.header : nil
    if let tag, let delay = tag.delay, !tag.followsAnother {
      input.show(stream.bytes)
      // The last frames of sound leave the decoder late; what has not left it by the end is lost.
      let end = whole.map { min($0, $0 - tag.padding + decoderDelay) }
      return try BlockDecoder(
        MP3Source(input, constant: model), from: delay + decoderDelay, to: end)
    }
    let count = tag?.frameCount ?? constant?.count
    if let lead = try lead(to: stream, in: input, after: previous) {
      input.show(stream.bytes, after: lead.bytes)
      let first = lead.count * frames
      let end = whole.map { first + $0 - max(0, (tag?.padding ?? 0) - decoderDelay) }
      return try BlockDecoder(
        MP3Source(input), from: first, to: end, length: count.map { $0 * frames })
    }
    input.show(stream.bytes)
    return try BlockDecoder(
      MP3Source(input, constant: model), from: decoderDelay, to: whole,
      length: count.map { max(0, $0 * frames - decoderDelay) })
  }

  /// Whether the tag was written for this stream: one that frames were added to, as by joining two
  /// files, would cut off what was added. A little too many bytes may be junk between the frames:
  /// then they are counted.
  private static func isTrue(
    _ tag: MPEGTag, of stream: MPEGStream, in input: InputFile
  ) -> Bool {
    guard let bytes = tag.byteCount, stream.bytes.count > bytes + 2 * 1792 else { return true }
    guard let count = tag.frameCount, stream.bytes.count < bytes + junkLimit else { return false }
    input.show(stream.bytes)
    var (frames, found) = (MPEGFrames(constant: nil), 0)
    while found <= count, frames.next(in: input) != nil { found += 1 }
    return found == count
  }

  private static let junkLimit = 256 << 10

  /// The last frames of the file that this one continues, nil if it continues none.
  ///
  /// LAME says so in its tag. Where both files have no tag (as `lame --nogap` leaves them) and the
  /// same format, this one continues the other if its sound begins in its first granule: an
  /// encoder that starts anew puts its delay of 576 or more silent frames there.
  private static func lead(
    to stream: MPEGStream, in input: InputFile, after previous: InputFile?
  ) throws(DecoderError) -> (bytes: [UInt8], count: Int)? {
    previous?.dropID3()
    guard stream.header.layer == 3, let previous, let before = MPEGStream(previous),
      before.header.continues(stream.header)
    else { return nil }
    let continues =
      switch (before.tag, stream.tag) {
      case (let before?, let tag?): before.isFollowed && tag.followsAnother
      case (nil, nil): try beginsAtOnce(stream, in: input)
      default: false
      }
    guard continues else { return nil }
    let lead = before.last(preroll, of: previous)
    return lead.count > 0 ? lead : nil
  }

  private static func beginsAtOnce(
    _ stream: MPEGStream, in input: InputFile
  ) throws(DecoderError) -> Bool {
    input.show(stream.bytes)
    let decoder = try BlockDecoder(MP3Source(input), from: 0, to: nil)
    let channels = decoder.format.channels
    var samples = [Float](repeating: 0, count: 4 * stream.header.frames * channels)
    var span = samples.mutableSpan
    let frames = try decoder.read(into: &span)
    let energy = { (frames: Range<Int>) -> Float in
      samples[frames.lowerBound * channels..<frames.upperBound * channels]
        .reduce(0) { $0 + $1 * $1 } / Float(max(1, frames.count))
    }
    guard frames > 1152 else { return false }
    return energy(0..<529) * 100 > energy(1152..<frames)
  }
}
