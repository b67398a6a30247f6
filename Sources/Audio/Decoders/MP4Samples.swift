/// Where an MP4 track's samples (packets) lie, and when (ISO 14496-12, sections 8.6 and 8.7).
///
/// The tables stay in the file and are read as needed: an audiobook's are megabytes.
struct MP4Samples {
  let count: Int
  /// Ticks of all samples.
  private(set) var duration = 0

  private var sizes: MP4Table
  private let constantSize: Int
  private var chunkOffsets: MP4Table
  /// Rows of first chunk, samples a chunk, description.
  private var chunkRuns: MP4Table
  /// Rows of sample count, ticks each.
  private var timeRuns: MP4Table

  // The place of the next sample.
  private(set) var index = 0
  private var chunk = 0
  private var run = 0
  private var leftInChunk = 0
  private var offset = 0
  private var tick = 0
  private var timeRun = 0
  private var leftInTimeRun = 0

  /// Nil if the tables are damaged, or kept in a way that is not known here.
  init?(_ table: MP4Box, in input: InputFile) {
    let boxes = table.children(in: input)
    func box(_ type: String) -> MP4Box? { boxes.first { $0.type == type } }
    let hasLong = box("co64") != nil
    guard let sizeBox = box("stsz"),
      let sizes = MP4Table(sizeBox, of: input, header: 12),
      let runs = MP4Table(box("stsc"), of: input, columns: 3), runs.count > 0,
      let offsets = MP4Table(
        box(hasLong ? "co64" : "stco"), of: input, width: hasLong ? 8 : 4),
      let timeRuns = MP4Table(box("stts"), of: input, columns: 2)
    else { return nil }
    let head = sizeBox.bytes(of: input, limit: 12)
    constantSize = MP4Box.number(head[4..<8])
    // With one size for all there is no table, only its count.
    count = constantSize > 0 ? MP4Box.number(head[8..<12]) : sizes.count
    self.sizes = sizes
    chunkRuns = runs
    chunkOffsets = offsets
    self.timeRuns = timeRuns
    var total = 0
    for row in 0..<self.timeRuns.count / 2 {
      let (count, each) = self.times(row, in: input)
      guard count < 1 << 31, each < 1 << 31 else { return nil }
      total += count * each
      guard total < MP4Track.longest else { return nil }
    }
    duration = total
    enterTime(in: input)
  }

  /// Where the next sample lies, and its first tick; nil after the last.
  mutating func next(in input: InputFile) -> (place: Range<Int>, tick: Int)? {
    guard index < count, enterChunk(in: input), offset < 1 << 60 else { return nil }
    let size = constantSize > 0 ? constantSize : sizes.value(index, of: input)
    let place = offset..<offset + size
    offset += size
    leftInChunk -= 1
    index += 1
    defer { advanceTime(in: input) }
    return (place, tick)
  }

  private mutating func advanceTime(in input: InputFile) {
    guard timeRun < timeRuns.count / 2 else { return }
    tick = tick &+ times(timeRun, in: input).each
    leftInTimeRun -= 1
    while leftInTimeRun <= 0, timeRun + 1 < timeRuns.count / 2 {
      timeRun += 1
      leftInTimeRun = times(timeRun, in: input).count
    }
  }

  /// Goes to the sample that holds a tick, less `preroll` samples; returns its first tick.
  mutating func seek(toTick tick: Int, preroll: Int, in input: InputFile) -> Int {
    let target = max(0, sample(atTick: tick, in: input) - preroll)
    (index, chunk, run, leftInChunk, offset) = (0, 0, 0, 0, 0)
    while index < target, enterChunk(in: input) {
      let skipped = min(leftInChunk, target - index)
      if skipped < leftInChunk {
        for sample in index..<index + skipped {
          offset = offset &+ (constantSize > 0 ? constantSize : sizes.value(sample, of: input))
        }
      }
      leftInChunk -= skipped
      index += skipped
    }
    enterTime(in: input)
    return tick
  }

  /// Makes the time of the next sample current.
  private mutating func enterTime(in input: InputFile) {
    (tick, timeRun, leftInTimeRun) = (0, 0, 0)
    var first = 0
    for row in 0..<timeRuns.count / 2 {
      let (count, each) = times(row, in: input)
      (timeRun, leftInTimeRun) = (row, first + count - index)
      if index < first + count {
        tick = tick &+ (index - first) &* each
        return
      }
      first += count
      tick = tick &+ count &* each
    }
  }

  /// Makes the chunk of the next sample current; false if there is none.
  private mutating func enterChunk(in input: InputFile) -> Bool {
    while leftInChunk <= 0 {
      guard chunk < chunkOffsets.count else { return false }
      // Chunks are numbered from 1.
      while 3 * (run + 1) < chunkRuns.count,
        chunkRuns.value(3 * (run + 1), of: input) <= chunk + 1
      {
        run += 1
      }
      leftInChunk = chunkRuns.value(3 * run + 1, of: input)
      offset = chunkOffsets.value(chunk, of: input)
      chunk += 1
    }
    return true
  }

  /// The sample that holds a tick.
  private mutating func sample(atTick tick: Int, in input: InputFile) -> Int {
    var (index, start) = (0, 0)
    for row in 0..<timeRuns.count / 2 {
      let (count, each) = times(row, in: input)
      if each > 0, tick < start &+ count &* each { return index + max(0, tick - start) / each }
      index += count
      start = start &+ count &* each
    }
    return min(index, self.count)
  }

  /// A row of the times: samples, and the ticks of each.
  private mutating func times(_ row: Int, in input: InputFile) -> (count: Int, each: Int) {
    (timeRuns.value(2 * row, of: input), timeRuns.value(2 * row + 1, of: input))
  }
}
