import Glibc
import Library
import Testing

@testable import Appliance

/// What goes wrong around the appliance, and that the music goes on.
@Suite(.serialized) struct TroubleTests {
  /// A small file system in memory at a path, while a test needs it; only root may mount one.
  private final class Mount {
    let path: String

    init(_ path: String, options: String) throws {
      mkdir(path, 0o755)
      try run("mount", "-t", "tmpfs", "-o", options, "tmpfs", path)
      self.path = path
    }

    deinit { try? run("umount", "-l", path) }
  }

  private static let isRoot = geteuid() == 0

  /// Nothing held the loop for long: the appliance says so itself when something does.
  private func expectNoHoldUp(_ box: Box) {
    #expect(box.program.longestHoldUp() < 100)
  }

  @Test(.enabled(if: isRoot, "only root may mount"))
  func `with a full disk it plays on, and saves again once there is room`() throws {
    let folder = try TemporaryFolder()
    let state = try Mount(folder("small"), options: "size=2m")
    try run("dd", "if=/dev/zero", "of=\(state.path)/filler", "bs=4096", "count=510")
    let box = try Box(state: state.path, in: folder)
    try box.makeStick(tracks: Array(repeating: 30_000, count: 12))
    try box.plug()
    try box.remote.waitForSong(1)
    try box.program.waitForError("No space left on device")
    unlink(state.path + "/filler")
    try box.remote.ask("setvol 50")
    try box.program.waitForError("saving works again")
    try box.remote.waitForSong(4)
    #expect(Keeper.kept(Keeper.sessionFile(in: Path(state.path))).isEmpty == false)
    expectNoHoldUp(box)
  }

  @Test(.enabled(if: isRoot, "only root may mount"))
  func `with nowhere to save at all it plays`() throws {
    let folder = try TemporaryFolder()
    let state = try Mount(folder("small"), options: "size=2m,ro")
    let box = try Box(state: state.path, in: folder)
    try box.makeStick(tracks: [30_000, 30_000])
    try box.plug()
    try box.remote.waitForSong(1)
    let errors = box.program.latestErrors()
    #expect(errors.contains("<4>can't save: \(state.path): Read-only file system"))
    #expect(errors.components(of: "can't save") == 1)
    expectNoHoldUp(box)
  }

  @Test func `a thousand tracks that can't be played are passed over`() throws {
    let box = try Box(sticks: ["BAD", "GOOD"])
    for index in 0..<1000 {
      try box.folder.write("away/BAD/music/\(index).wav", silentWAV(seconds: 0.01))
    }
    try box.makeStick("GOOD", tracks: [200_000])
    try box.plug("BAD")
    try box.program.waitForError("BAD: 1000 files")
    try box.plug("GOOD")
    try box.program.waitForError("GOOD: 1 files")
    try box.remote.ask("clear")
    try box.remote.ask("add BAD")
    // The files go, and the stick is still there.
    try #require(rename(box.plugged("BAD/music"), box.plugged("BAD/gone")) == 0)
    try box.remote.ask("add GOOD")
    #expect(try box.remote.status["playlistlength"] == "1001")
    try box.remote.ask("play")
    try box.remote.waitForSong(1000)
    expectNoHoldUp(box)
  }

  @Test func `no sound card is waited for, and one that comes and goes is played on`() throws {
    let box = try Box()
    try box.folder.write("card.gone")
    try box.program.waitForError("<6>waiting for a medium")
    try box.makeStick(tracks: [400_000])
    try box.plug()
    try box.program.waitForError("no sound card")
    for _ in 0..<3 {
      unlink(box.folder("card.gone"))
      try box.remote.wait("sound") { $0["state"] == "play" && $0["error"] == nil }
      try box.folder.write("card.gone")
      try box.remote.wait("no card") { $0["error"] == "no sound card" }
    }
    unlink(box.folder("card.gone"))
    try box.remote.wait("sound") { $0["state"] == "play" && $0["error"] == nil }
    expectNoHoldUp(box)
  }

  @Test(.enabled(if: isRoot && access("/dev/fuse", R_OK) == 0, "needs FUSE"))
  func `a stick that hangs keeps nothing waiting, and is played again once it answers`() throws {
    let folder = try TemporaryFolder()
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    try run(root + "/Tests/Support/hangfs/build.sh", folder("hangfs"))
    let box = try Box(sticks: ["HUNG", "GOOD"], in: folder)
    try box.makeStick("SOURCE", tracks: Array(repeating: 900_000, count: 3))
    try box.makeStick("GOOD", tracks: [900_000], first: 9)
    mkdir(folder("mount"), 0o755)
    let server = try Program(path: folder("hangfs"), [box.away("SOURCE"), folder("mount")])
    defer {
      try? run("umount", "-l", folder("mount"))
      kill(server.process, SIGTERM)
    }
    try waitUntil("it is mounted") { access(folder("mount/01 Track.wav"), R_OK) == 0 }
    symlink(folder("mount"), box.plugged("HUNG"))
    try box.remote.waitForSong(0)
    try box.plug("GOOD")
    try box.program.waitForError("GOOD: 1 files")
    try box.remote.ask("add GOOD")
    try box.remote.ask("seekcur 10")
    try box.remote.wait("a place") { Double($0["elapsed"] ?? "") ?? 0 > 10 }
    try folder.write("away/SOURCE.hang")
    // By now it hangs in reading ahead; all that is asked of the stick hangs too, and what is elsewhere plays.
    try box.remote.wait("a place") { Double($0["elapsed"] ?? "") ?? 0 > 12 }
    try box.remote.ask("play 1")
    try box.program.waitForError("track-started 4 ")
    // What is asked for elsewhere plays at once.
    try box.remote.ask("play 2")
    let asked = ContinuousClock.now
    try box.remote.ask("play 3")
    try box.program.waitForError("track-started 4 ", count: 2)
    #expect(ContinuousClock.now - asked < .seconds(4))
    unlink(folder("away/SOURCE.hang"))
    try box.program.waitForError("medium-added 1", count: 2)
    try box.remote.ask("play 1")
    try box.program.waitForError("playing 02 Track.wav")
    expectNoHoldUp(box)
  }
}

extension String {
  fileprivate func components(of text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count - 1
  }
}
