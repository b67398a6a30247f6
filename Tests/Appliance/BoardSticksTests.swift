import Glibc
import Testing

/// Sticks that come and go under the running player, against a list kept beside.
@Suite(.serialized, .enabled(if: Board.canMount)) struct BoardSticksTests {
  private static let settings = """
    [media]
    folders = ["FOLDER"]
    """
  private static let count = 50

  /// One with a partition or two, or with a filesystem on the whole disk.
  private struct Stick {
    let name: String
    let partitions: Int
    var isPlugged = false
    var mounted: Set<String> = []

    var path: String { "/sys/devices/\(name)" }
    var filesystems: [String] {
      partitions == 0 ? [name] : (1...partitions).map { "\(name)p\($0)" }
    }
    func sysfs(_ filesystem: String) -> String { partitions == 0 ? path : "\(path)/\(filesystem)" }
  }

  private let board: Board
  private var sticks = (0..<count).map { Stick(name: "sd\($0)", partitions: $0 % 3) }
  private var random = SystemRandomNumberGenerator()

  init() throws {
    board = try Board(settings: Self.settings)
    try board.folder.write("music/01 Track.wav", CodedFrames.file(track: 0, frames: 2_000))
    try board.folder.write("music/More/02 Track.wav", CodedFrames.file(track: 1, frames: 2_000))
  }

  /// udev's stand-in ends when ten news wait to be read; an answer says that they were.
  private func news(_ words: [String]) throws {
    try board(words)
    try board.remote.ask("ping")
  }

  private mutating func plug(_ index: Int) throws {
    let stick = sticks[index]
    func add(_ name: String, in parent: String, _ minor: Int, hasFilesystem: Bool) throws {
      let words = [
        "add", "block", name, parent, "@size=\(4096 + minor)", "DEVNAME=/dev/\(name)",
        "DEVTYPE=\(parent == "-" ? "disk" : "partition")", "MAJOR=8", "MINOR=\(minor)",
      ]
      try news(
        words + (hasFilesystem ? ["ID_FS_USAGE=filesystem", "ID_FS_TYPE=vfat"] : [])
          + (hasFilesystem ? ["ID_FS_UUID_ENC=UUID-\(name)"] : []))
    }
    try add(stick.name, in: "-", index * 16, hasFilesystem: stick.partitions == 0)
    for (part, name) in stick.filesystems.enumerated() where stick.partitions > 0 {
      try add(name, in: stick.path, index * 16 + part + 1, hasFilesystem: true)
    }
    sticks[index].isPlugged = true
  }

  private mutating func tearOut(_ index: Int) throws {
    let stick = sticks[index]
    let paths =
      stick.filesystems.map { stick.sysfs($0) } + (stick.partitions > 0 ? [stick.path] : [])
    for path in paths {
      try news(["tell", path, "remove"])
      try board("remove", path)
    }
    sticks[index].isPlugged = false
  }

  private mutating func toggleMount(_ index: Int, _ name: String) throws {
    if sticks[index].mounted.remove(name) != nil {
      try board("unmount", name)
    } else if sticks[index].isPlugged {
      sticks[index].mounted.insert(name)
      try board("mount", "/dev/\(name)", name, board.path + "/music/.")
    }
  }

  /// Nothing waits for scans meanwhile, so they are at any point.
  private mutating func round(_ steps: Int) throws {
    for _ in 0..<steps {
      let index = Int.random(in: 0..<Self.count, using: &random)
      let stick = sticks[index]
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where !stick.isPlugged && stick.mounted.isEmpty: try plug(index)
      case 0 where stick.isPlugged: try tearOut(index)
      case 1 where stick.isPlugged:
        for name in stick.filesystems { try news(["tell", stick.sysfs(name), "change"]) }
      default:
        try toggleMount(index, try #require(stick.filesystems.randomElement(using: &random)))
      }
    }
  }

  private mutating func emptyAll() throws {
    for index in sticks.indices {
      if sticks[index].isPlugged { try tearOut(index) }
      for name in sticks[index].mounted { try toggleMount(index, name) }
    }
  }

  /// What the player has said to be here, and not to be gone.
  private var told: Set<String> {
    var here: Set<String> = []
    let prefix = "<6>\(board.path)/media/"
    for line in board.machine.latestErrors().split(separator: "\n") where line.hasPrefix(prefix) {
      let words = line.dropFirst(prefix.count).split(separator: ": ", maxSplits: 1)
      if words.last == "here" { here.insert(String(words[0])) }
      if words.last == "gone" { here.remove(String(words[0])) }
    }
    return here
  }

  private func settle() throws {
    let expected = sticks.reduce(into: Set<String>()) {
      if $1.isPlugged { $0.formUnion($1.mounted) }
    }
    try waitUntil("\(expected.count) media are here, but \(told.sorted())") { told == expected }
    try board.remote.wait("the end of all scans") { $0["updating_db"] == nil }
  }

  private func cost() throws -> (descriptors: Int, threads: Int, kilobytes: Int) {
    let process = try #require(board.process)
    var descriptors = 0
    if let folder = opendir("/proc/\(process)/fd") {
      while readdir(folder) != nil { descriptors += 1 }
      closedir(folder)
    }
    return (
      descriptors, try number("Threads:", in: "/proc/\(process)/status"),
      try number("Anonymous:", in: "/proc/\(process)/smaps_rollup")
    )
  }

  private func number(_ name: String, in file: String) throws -> Int {
    let lines = String(decoding: try bytes(of: file), as: UTF8.self).split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix(name) })
    return try #require(Int(line.filter(\.isNumber)))
  }

  @Test mutating func `none is lost, none is stale, and nothing grows`() throws {
    // The first rounds fill what the C library and the player keep of each medium for good.
    for index in sticks.indices {
      try plug(index)
      for name in sticks[index].filesystems { try toggleMount(index, name) }
    }
    try settle()
    try emptyAll()
    try settle()
    let before = try cost()
    for _ in 0..<3 {
      try round(100)
      try settle()
    }
    try emptyAll()
    try settle()
    // What is at its end still may be there for a moment.
    try waitUntil("no more descriptors and threads than \(before)") {
      guard let after = try? cost() else { return false }
      return after.descriptors <= before.descriptors && after.threads <= before.threads
    }
    #expect(try cost().kilobytes - before.kilobytes < 1024)
  }
}
