import Glibc
import Testing

/// Much use in little time, after which nothing has grown.
@Suite(.serialized) struct EnduranceTests {
  /// How many commands, by JUKEBOX_OPERATIONS; `Tests/Support/operations` gives a large number.
  private static let operations =
    getenv("JUKEBOX_OPERATIONS").flatMap { Int(String(cString: $0)) } ?? 4_000

  private struct Size {
    var kilobytes: Int
    var descriptors: Int
    var threads: Int

    init(of process: pid_t) throws {
      let lines = String(decoding: try bytes(of: "/proc/\(process)/status"), as: UTF8.self)
      let pairs = Remote.pairs(
        lines.split(separator: "\n").map { String($0).replacing("\t", with: " ") })
      kilobytes = Int(pairs["RssAnon"]?.split(separator: " ").first ?? "") ?? 0
      threads = Int(pairs["Threads"] ?? "") ?? 0
      descriptors = 0
      let folder = try #require(opendir("/proc/\(process)/fd"))
      while readdir(folder) != nil { descriptors += 1 }
      closedir(folder)
    }
  }

  @Test func `memory, descriptors and threads stay as they were`() throws {
    let box = try Box(sticks: ["A", "B"])
    try box.makeStick("A", tracks: Array(repeating: 60_000, count: 8))
    try box.makeStick("B", tracks: Array(repeating: 60_000, count: 8), first: 8)
    try box.plug("A")
    try box.remote.waitForSong(0)
    let commands = [
      "next", "previous", "pause", "play", "seekcur 1", "seekcur +1", "setvol 40", "setvol 60",
      "add A", "delete 3", "status", "currentsong", "playlistinfo", "random 1", "random 0",
      "turn 4 1", "edge 2 0 0", "edge 2 1 0", "press toggle-mute", "stop", "play 2",
    ]
    var random = SystemRandomNumberGenerator()
    func use(_ count: Int) throws {
      for number in 0..<count {
        if number % 100 == 0 {
          let isThere = access(box.plugged("B"), F_OK) == 0
          if isThere { try box.pull("B") } else { try box.plug("B") }
          try box.remote.ask("clear")
          try box.remote.ask("add A")
        }
        let command = commands.randomElement(using: &random) ?? ""
        do {
          try box.remote.ask(command)
        } catch is Remote.Refused {}
        if number % 50 == 0 {
          let guest = try Remote(box.folder("socket"))
          guest.send("idle\n")
        }
      }
      // At rest, nothing is on its way.
      try box.remote.ask("stop")
      try box.remote.ask("clear")
      try box.remote.wait("the end of scans") { $0["updating_db"] == nil }
    }
    try use(2_000)
    let before = try Size(of: box.program.process)
    try use(Self.operations)
    try waitUntil("the descriptors are as before") {
      (try? Size(of: box.program.process).descriptors <= before.descriptors + 1) ?? false
    }
    let after = try Size(of: box.program.process)
    #expect(after.threads <= before.threads + 1)
    #expect(after.kilobytes < before.kilobytes + 2_500, "\(before) \(after)")
    box.program.expectNoHoldUp()
  }
}
