import Jukebox
import Testing

/// Fifty sticks plugged, mounted, unmounted and torn out in random order, against a list kept beside.
@Suite(.enabled(if: Machine.canMount)) struct ManySticksTests {
  /// One that is plugged or not, with its partitions; none for a filesystem on the whole disk.
  private struct Stick {
    let number: Int
    let partitions: Int
    var isPlugged = false
    /// The filesystems that are mounted, plugged or not: what was torn out is unmounted later.
    var mounted: Set<String> = []

    var name: String { "sd\(number)" }
    var path: String { "/sys/devices/\(name)" }
    var filesystems: [String] {
      partitions == 0 ? [name] : (1...partitions).map { "\(name)p\($0)" }
    }
    func sysfs(_ filesystem: String) -> String {
      partitions == 0 ? path : "\(path)/\(filesystem)"
    }
    var uuids: Set<String> { Set(filesystems.map { "UUID-\($0)" }) }
  }

  private let machine: Machine
  private var sticks = (0..<50).map { Stick(number: $0, partitions: $0 % 4) }
  private var told: Set<String> = []
  private var random = Random(seed: 5)

  init() throws {
    machine = try Machine()
    try machine("start")
  }

  /// What must be told to be here by now.
  private var expected: Set<String> {
    var all: Set<String> = []
    for stick in sticks where stick.isPlugged {
      all.formUnion(stick.mounted.map { "UUID-\($0)" })
    }
    return all
  }

  private mutating func hear(_ lines: [String]) {
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "added": #expect(told.insert(words[1]).inserted, "told twice: \(line)")
      case "removed": #expect(told.remove(words[1]) != nil, "was not here: \(line)")
      case "plugged", "path": break
      default: Issue.record("what is this: \(line)")
      }
    }
  }

  private mutating func plug(_ index: Int) throws {
    let stick = sticks[index]
    let minor = stick.number * 16
    let whole = stick.partitions == 0 ? Machine.filesystem("UUID-\(stick.name)") : []
    hear(try machine.plug(stick.name, minor: minor, sectors: 4096, whole))
    for (part, filesystem) in stick.filesystems.enumerated() where stick.partitions > 0 {
      let words = Machine.filesystem("UUID-\(filesystem)")
      hear(
        try machine.plug(
          filesystem, in: stick.path, minor: minor + part + 1, sectors: 1024 + part, words))
    }
    sticks[index].isPlugged = true
  }

  private mutating func tearOut(_ index: Int) throws {
    let stick = sticks[index]
    for filesystem in stick.filesystems.reversed() where stick.partitions > 0 {
      hear(try machine.pull(stick.sysfs(filesystem)))
    }
    hear(try machine.pull(stick.path))
    sticks[index].isPlugged = false
  }

  private mutating func toggleMount(_ index: Int) throws {
    let filesystems = sticks[index].filesystems
    let filesystem = filesystems[random.below(filesystems.count)]
    if sticks[index].mounted.remove(filesystem) != nil {
      hear(try machine("unmount", filesystem))
    } else if sticks[index].isPlugged {
      sticks[index].mounted.insert(filesystem)
      hear(try machine("mount", "/dev/\(filesystem)", filesystem))
    }
  }

  private mutating func round(_ steps: Int) throws {
    for _ in 0..<steps {
      let index = random.below(50)
      switch random.below(4) {
      case 0 where !sticks[index].isPlugged && sticks[index].mounted.isEmpty: try plug(index)
      case 0 where sticks[index].isPlugged: try tearOut(index)
      case 1 where sticks[index].isPlugged:
        for filesystem in sticks[index].filesystems {
          hear(try machine("tell", sticks[index].sysfs(filesystem), "change"))
        }
      default: try toggleMount(index)
      }
      #expect(told == expected)
    }
  }

  private mutating func emptyAll() throws {
    for index in sticks.indices {
      if sticks[index].isPlugged { try tearOut(index) }
      for filesystem in sticks[index].mounted { hear(try machine("unmount", filesystem)) }
      sticks[index].mounted = []
    }
    #expect(told.isEmpty)
  }

  private func cost() throws -> (descriptors: Int, kilobytes: Int) {
    let words = try machine("cost").joined(separator: " ").split(separator: " ")
    return (try #require(Int(words[1])), try #require(Int(words[2])))
  }

  @Test mutating func `no medium is lost, none is stale, and nothing grows`() throws {
    // The first rounds fill what the C library and the made-up machine keep for good.
    try round(1000)
    try emptyAll()
    let before = try cost()
    try round(1000)
    try emptyAll()
    let after = try cost()
    #expect(after.descriptors == before.descriptors)
    #expect(after.kilobytes - before.kilobytes < 256)
  }
}
