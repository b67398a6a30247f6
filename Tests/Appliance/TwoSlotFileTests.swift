import Glibc
import Library
import Testing

@testable import Appliance

/// The file that must always hold one of the last two things written to it.
@Suite struct TwoSlotFileTests {
  private let folder: TemporaryFolder
  private var path: Path { Path(folder("state")) }

  init() throws { folder = try TemporaryFolder() }

  private func contents() throws -> [UInt8] {
    let bytes = try bytes(of: folder("state"))
    return TwoSlotFile.newest(in: bytes).map { Array(bytes[$0.contents]) } ?? []
  }

  @Test func `what was written last is read, by this process and the next`() throws {
    for turn in 0..<5 {
      var file = try TwoSlotFile(path, room: 100)
      #expect(file.contents == (turn == 0 ? [] : [UInt8(2 * turn), 1]))
      try file.write([UInt8(2 * turn + 1)])
      #expect(try contents() == [UInt8(2 * turn + 1)])
      try file.write([UInt8(2 * turn + 2), 1])
      #expect(try contents() == [UInt8(2 * turn + 2), 1])
    }
  }

  @Test func `a write that is cut at any byte leaves the old contents, or the new`() throws {
    let old = Array("the old contents, which are long".utf8)
    let new = Array("the new ones".utf8)
    var file = try TwoSlotFile(path, room: 200)
    try file.write([7, 7, 7])
    try file.write(old)
    let before = try bytes(of: folder("state"))
    try file.write(new)
    let after = try bytes(of: folder("state"))
    #expect(before.count == after.count)
    let changed = before.indices.filter { before[$0] != after[$0] }
    let (first, last) = try (#require(changed.first), #require(changed.last))
    for cut in first...last + 1 {
      let torn = after[..<cut] + before[cut...]
      let found = try #require(TwoSlotFile.newest(in: Array(torn)))
      let contents = Array(torn[found.contents])
      #expect(contents == (cut == last + 1 ? new : old))
      // The disk may as well have written the end first.
      let reversed = Array(before[..<cut] + after[cut...])
      let other = try #require(TwoSlotFile.newest(in: reversed))
      #expect(Array(reversed[other.contents]) == (cut == first ? new : old))
    }
  }

  @Test func `a file that is cut off at any length holds one of the two, or nothing`() throws {
    var file = try TwoSlotFile(path, room: 50)
    try file.write([1, 2, 3])
    try file.write([4, 5, 6, 7])
    let whole = try bytes(of: folder("state"))
    var seen: Set<[UInt8]> = []
    for length in 0...whole.count {
      let cut = Array(whole[..<length])
      seen.insert(TwoSlotFile.newest(in: cut).map { Array(cut[$0.contents]) } ?? [])
    }
    #expect(seen == [[], [1, 2, 3], [4, 5, 6, 7]])
  }

  @Test func `a file that is cut off is mended by the next write`() throws {
    do {
      var file = try TwoSlotFile(path, room: 50)
      try file.write([1])
      try file.write([2])
    }
    truncate(folder("state"), 5000)
    var file = try TwoSlotFile(path, room: 50)
    try file.write([3])
    try file.write([4])
    #expect(try contents() == [4])
  }

  @Test func `what has no room makes the file larger, and is never lost meanwhile`() throws {
    var file = try TwoSlotFile(path, room: 100)
    try file.write([1])
    let large = [UInt8](repeating: 9, count: 100_000)
    try file.write(large)
    #expect(try contents() == large)
    try file.write([2])
    #expect(try contents() == [2])
    #expect(try TwoSlotFile(path, room: 100).contents == [2])
  }

  @Test func `a folder that can't be written is told by its errno`() {
    #expect(throws: SystemError(call: "open", errno: ENOENT)) {
      _ = try TwoSlotFile(Path("/no/such/folder/state"), room: 10)
    }
  }
}
