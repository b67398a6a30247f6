/// A box of an MP4 file (ISO 14496-12, section 4.2), and its fields read where they lie.
struct MP4Box {
  let type: String
  /// The bytes after the box's header.
  let body: Range<Int>

  /// The boxes one after the other in a part of the file.
  static func list(in part: Range<Int>, of input: InputFile) -> [MP4Box] {
    var boxes: [MP4Box] = []
    var place = part.lowerBound
    // No sane file has more; a broken one may have millions of 8 bytes.
    while place + 8 <= part.upperBound, boxes.count < 4096 {
      let head = input.bytes(at: place, count: 16)
      guard head.count >= 8 else { break }
      var (start, size) = (place + 8, number(head[0..<4]))
      if size == 1, head.count == 16 {
        (start, size) = (place + 16, number(head[8..<16]))
      } else if size == 0 {
        size = part.upperBound - place
      }
      guard size >= start - place else { break }
      let end = size < part.upperBound - place ? place + size : part.upperBound
      let type = String(decoding: head[4..<8], as: UTF8.self)
      boxes.append(MP4Box(type: type, body: start..<max(start, end)))
      place = end
    }
    return boxes
  }

  func children(in input: InputFile, after header: Int = 0) -> [MP4Box] {
    Self.list(in: min(body.lowerBound + header, body.upperBound)..<body.upperBound, of: input)
  }

  /// The first box down a path of types.
  func find(_ path: String..., in input: InputFile) -> MP4Box? {
    var box = self
    for type in path {
      guard let next = box.children(in: input).first(where: { $0.type == type }) else { return nil }
      box = next
    }
    return box
  }

  /// The body's bytes, at most `limit`.
  func bytes(of input: InputFile, limit: Int = 1 << 16) -> [UInt8] {
    input.bytes(at: body.lowerBound, count: min(body.count, limit))
  }

  /// A big-endian number; it is cut to 62 bits, so that sums of two don't overflow.
  static func number(_ bytes: some Collection<UInt8>) -> Int {
    Int(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & 0x3FFF_FFFF_FFFF_FFFF)
  }
}

/// A table of big-endian 32- or 64-bit numbers in a box, read as needed.
struct MP4Table {
  let count: Int
  private let start: Int
  private let width: Int
  private var cached: [UInt8] = []
  private var cachedFrom = 0

  /// The table after a version, flags and a count of rows; `columns` numbers a row.
  init?(_ box: MP4Box?, of input: InputFile, columns: Int = 1, width: Int = 4, header: Int = 8) {
    guard let box, box.body.count >= header else { return nil }
    let head = input.bytes(at: box.body.lowerBound + header - 4, count: 4)
    guard head.count == 4 else { return nil }
    start = box.body.lowerBound + header
    self.width = width
    count = min(MP4Box.number(head), (box.body.count - header) / (width * columns)) * columns
  }

  /// The number at an index; 0 where the file is too short.
  mutating func value(_ index: Int, of input: InputFile) -> Int {
    var place = (index - cachedFrom) * width
    if place < 0 || place + width > cached.count {
      cachedFrom = index
      cached = input.bytes(at: start + index * width, count: min(4096, (count - index) * width))
      place = 0
      guard cached.count >= width else { return 0 }
    }
    return MP4Box.number(cached[place..<place + width])
  }
}
