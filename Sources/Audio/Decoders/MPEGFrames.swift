/// The frames of an MPEG audio stream one after the other, with what lies between passed over.
///
/// Only frames whose headers agree are given: libmpg123's own search takes noise for frames.
struct MPEGFrames {
  /// One MPEG frame: where it lies, and the sound before it in the stream.
  struct Frame {
    var place: Range<Int>
    var header: MPEGHeader
    /// Frames of sound before it.
    var start: Int
  }

  private var offset = 0
  private var start = 0
  private var header: MPEGHeader?
  /// Where every so many frames one lies: offset and frames of sound before it.
  private var index: [(offset: Int, start: Int)] = [(0, 0)]
  private var sinceIndexed = 0

  private let constant: MPEGHeader?

  private static let indexStep = 16

  /// `constant` is the header of all frames, where all have one bit rate: a seek then goes straight
  /// to its frame, and need not read all that lies between from a slow stick.
  init(constant: MPEGHeader?) { self.constant = constant }

  /// The next frame; nil at the end.
  mutating func next(in input: InputFile) -> Frame? {
    var found = MPEGHeader(input.bytes(at: offset, count: MPEGHeader.size))
    if let header, let next = found, !next.continues(header) { found = nil }
    if found == nil {
      guard let place = Self.search(input, from: offset) else { return nil }
      offset = place
      found = MPEGHeader(input.bytes(at: offset, count: MPEGHeader.size))
    }
    guard let found, offset + found.bytes <= input.size else { return nil }
    if sinceIndexed == Self.indexStep {
      sinceIndexed = 0
      if let last = index.last, last.start < start { index.append((offset, start)) }
    }
    sinceIndexed += 1
    let frame = Frame(place: offset..<offset + found.bytes, header: found, start: start)
    header = found
    offset += found.bytes
    start += found.frames
    return frame
  }

  /// Goes to the frame before the one that holds `target` by so many; returns its `start`.
  mutating func seek(to target: Int, preroll: Int, in input: InputFile) -> Int {
    let spf = header?.frames ?? 1152
    let wanted = max(0, target - preroll * spf)
    let known = index.last { $0.start <= wanted } ?? (0, 0)
    // Going on from here is shorter where the index does not reach as far yet.
    if start > wanted || start < known.start {
      (offset, start, header) = (known.offset, known.start, nil)
      sinceIndexed = 0
    }
    if let constant, wanted - start > 64 * spf,
      let place = Self.place(of: wanted / spf, like: constant, in: input)
    {
      (offset, start, header) = (place, wanted / spf * spf, constant)
      sinceIndexed = 0
    }
    while true {
      let before = self
      guard let frame = next(in: input) else { break }
      if frame.start + frame.header.frames > wanted {
        (offset, start, header) = (before.offset, before.start, before.header)
        break
      }
    }
    return start
  }

  /// Where a frame lies in a stream of one bit rate, whose frames are padded to it in the mean.
  private static func place(
    of number: Int, like model: MPEGHeader, in input: InputFile
  ) -> Int? {
    let guess = number * (model.frames / 8) * model.bitRate / model.rate
    let window = input.bytes(at: max(0, guess - 2), count: 8 << 10)
    let found = [2, 3, 1, 4, 0].first {
      isChain(window, from: $0, length: 4, isLast: false, like: model)
    }
    return found.map { max(0, guess - 2) + $0 }
  }

  /// Finds the next place where four frames follow each other, or the last few to the end.
  static func search(_ input: InputFile, from start: Int) -> Int? {
    var base = start
    while base < input.size {
      let window = input.bytes(at: base, count: 32 << 10)
      let isLast = base + window.count >= input.size
      for index in window.indices where window[index] == 0xFF {
        if isChain(window, from: index, length: 4, isLast: isLast) { return base + index }
      }
      if isLast || window.count < 16 << 10 { return nil }
      // A chain of four fits into what the windows share.
      base += window.count - (8 << 10)
    }
    return nil
  }

  /// Whether frames of one format follow each other; at the end of the file two suffice.
  static func isChain(
    _ bytes: [UInt8], from start: Int, length: Int, isLast: Bool, like model: MPEGHeader? = nil
  ) -> Bool {
    var (place, previous) = (start, model)
    for count in 0..<length {
      if isLast, place == bytes.count, count >= 2 { return true }
      guard place < bytes.count, let next = MPEGHeader(bytes[place...]),
        previous.map(next.continues) ?? true
      else { return false }
      previous = next
      place += next.bytes
    }
    return true
  }
}
