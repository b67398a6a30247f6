/// An open item: decoded, brought to stereo and to its gain, within its part of the file.
///
/// Owned and called by one thread.
final class Voice {
  let item: Item
  /// Frames of the item, if known.
  var length: Int? {
    guard let length = decoder.length ?? end else { return end.map { $0 - start } }
    return max(0, min(length, end ?? length) - start)
  }
  var format: StreamFormat { decoder.format }
  /// Rate of the frames that the next `read` returns (Hz).
  var rate: Int { ahead.isEmpty ? decoder.format.rate : aheadRate }
  /// The file's frame that the next `read` returns first.
  private(set) var position: Int
  /// First frame of the item in its file.
  let start: Int

  private let end: Int?
  private let decoder: any Decoder
  private let gain: Float
  private var downmix: Downmix
  private var layout: ChannelLayout
  private var mixed: [Float] = []

  /// Frames decoded ahead of being read, and how many of them are read.
  private var ahead: [Frame] = []
  private var aheadRead = 0
  private var aheadRate = 0

  /// Opens an item at its beginning; `previous` is the path of the file heard just before it.
  convenience init(_ item: Item, after previous: [UInt8]?) throws(DecoderError) {
    let decoder = try AudioFile.open(item.source.path, after: previous)
    guard Resampler.rates ~= decoder.format.rate else {
      throw DecoderError(.damaged, "a sound file with a rate of \(decoder.format.rate) Hz")
    }
    self.init(item, decoder: decoder)
    if start > 0 { try seek(to: start) }
  }

  /// Goes on with the next part of the same file, which begins where this one ends.
  convenience init(_ item: Item, continuing voice: Voice) {
    self.init(item, decoder: voice.decoder)
  }

  private init(_ item: Item, decoder: any Decoder) {
    self.item = item
    self.decoder = decoder
    let rate = decoder.format.rate
    start = item.source.start.frames(at: rate)
    end = item.source.end?.frames(at: rate)
    position = decoder.position
    gain = linear(decibels: item.source.gain)
    layout = decoder.format.layout
    downmix = Downmix(layout)
  }

  /// True if `item` is the part of the file that follows this one without a gap.
  func isFollowed(by item: Item) -> Bool {
    item.source.path == self.item.source.path && item.source.start == self.item.source.end
      && item.source.gain == self.item.source.gain
  }

  /// Significant bits of the frames if they are the file's own integers, else 0.
  var bits: UInt8 {
    gain == 1 && decoder.format.channels <= 2 ? UInt8(decoder.format.bits) : 0
  }

  /// Goes to a frame of the file.
  func seek(to frame: Int) throws(DecoderError) {
    ahead = []
    aheadRead = 0
    try decoder.seek(to: frame)
    position = frame
  }

  /// Fills `room` as far as it comes in one go; 0 at the item's end.
  func read(into room: UnsafeMutableBufferPointer<Frame>) throws(DecoderError) -> Int {
    if !ahead.isEmpty {
      let count = min(room.count, ahead.count - aheadRead)
      for index in 0..<count { unsafe room[index] = ahead[aheadRead + index] }
      aheadRead += count
      position += count
      if aheadRead == ahead.count {
        ahead = []
        aheadRead = 0
      }
      return count
    }
    let count = try unsafe decode(into: room, from: position)
    position += count
    return count
  }

  /// Decodes a piece of the item's first second before it is read; false once that is done.
  func decodeAhead() throws(DecoderError) -> Bool {
    let rate = decoder.format.rate
    if ahead.isEmpty {
      aheadRate = rate
      ahead.reserveCapacity(rate)
    }
    let old = ahead.count
    guard old < aheadRate, rate == aheadRate, aheadRead == 0 else { return false }
    let limit = min(4096, aheadRate - old)
    ahead.append(contentsOf: repeatElement(Frame(left: 0, right: 0), count: limit))
    var count = 0
    defer { ahead.removeLast(limit - count) }
    count = try decodeAhead(old, limit: limit)
    return count > 0
  }

  private func decodeAhead(_ old: Int, limit: Int) throws(DecoderError) -> Int {
    try unsafe ahead.withUnsafeMutableBufferPointer { (frames) throws(DecoderError) in
      try unsafe decode(
        into: UnsafeMutableBufferPointer(rebasing: frames[old..<old + limit]),
        from: position + old)
    }
  }

  private func decode(
    into room: UnsafeMutableBufferPointer<Frame>, from position: Int
  ) throws(DecoderError) -> Int {
    let limit = end.map { min(room.count, $0 - position) } ?? room.count
    guard limit > 0 else { return 0 }
    let format = decoder.format
    if format.layout != layout {
      layout = format.layout
      downmix = Downmix(layout)
    }
    return try unsafe room.withMemoryRebound(to: Float.self) { (samples) throws(DecoderError) in
      var samples = unsafe MutableSpan(
        _unsafeElements: UnsafeMutableBufferPointer(rebasing: samples[..<(2 * limit)]))
      var count = 0
      if downmix.isIdentity {
        count = try decoder.read(into: &samples)
      } else {
        if mixed.count < limit * format.channels {
          mixed = Array(repeating: 0, count: limit * format.channels)
        }
        count = try mix(frames: limit, of: format.channels, into: &samples)
      }
      if gain != 1 {
        for index in 0..<2 * count { unsafe samples[unchecked: index] *= gain }
      }
      return count
    }
  }

  private func mix(
    frames: Int, of channels: Int, into samples: inout MutableSpan<Float>
  ) throws(DecoderError) -> Int {
    try unsafe mixed.withUnsafeMutableBufferPointer { (mixed) throws(DecoderError) in
      let part = unsafe UnsafeMutableBufferPointer(rebasing: mixed[..<(frames * channels)])
      var span = unsafe MutableSpan(_unsafeElements: part)
      let count = try decoder.read(into: &span)
      downmix.mix(span.span.extracting(..<(count * channels)), into: &samples)
      return count
    }
  }
}
