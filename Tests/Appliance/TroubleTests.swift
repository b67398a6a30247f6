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
  private static let root =
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

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
    box.program.expectNoHoldUp()
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
    box.program.expectNoHoldUp()
  }

  /// What is to be loaded before the appliance, so that it meets such troubles.
  private func preload(in folder: TemporaryFolder, _ variables: String...) throws -> [String] {
    let source = Self.root + "/Tests/Support/preload/preload.c"
    try run("cc", "-shared", "-fPIC", "-O1", "-o", folder("preload.so"), source)
    return ["LD_PRELOAD=\(folder("preload.so"))"] + variables
  }

  @Test func `a disk that fails every write keeps nothing from playing, and is used again`() throws
  {
    let folder = try TemporaryFolder()
    let box = try Box(
      environment: try preload(in: folder, "EIO_WHILE=\(folder("eio"))"), in: folder)
    try box.makeStick(tracks: Array(repeating: 40_000, count: 8))
    try box.plug()
    try box.program.waitForError("STICK: 8 files")
    try folder.write("eio")
    try box.remote.ask("setvol 70")
    try box.program.waitForError("Input/output error")
    try box.program.waitForError("playing 03 Track.wav")
    unlink(folder("eio"))
    try box.remote.ask("setvol 61")
    try box.program.waitForError("saving works again")
    try box.program.waitForError("playing 08 Track.wav")
    box.program.expectNoHoldUp()
  }

  @Test func `a clock that jumps by years changes the quiet hours and nothing else`() throws {
    let folder = try TemporaryFolder()
    /// Sets the clock to a minute of the day, in UTC, so many years from now.
    func setClock(minute: Int, years: Int) throws {
      let now = time(nil)
      let difference = years * 365 * 86_400 + minute * 60 + 30 - now % 86_400
      try folder.write("clock", Array("\(difference)".utf8))
    }
    try setClock(minute: 23 * 60, years: 0)
    try folder.write(
      "night.toml",
      Array("[volume.quiet]\nfrom = \"22:00\"\nto = \"07:00\"\nmaximum = 40\n".utf8))
    let box = try Box(
      options: ["--config", folder("night.toml")],
      environment: try preload(in: folder, "CLOCK_FILE=\(folder("clock"))", "TZ=UTC"), in: folder)
    try box.remote.ask("setvol 90")
    #expect(try box.remote.status["volume"] == "40")
    try box.makeStick(tracks: Array(repeating: 40_000, count: 9))
    try box.plug()
    try box.program.waitForError("playing 01 Track.wav")
    try setClock(minute: 12 * 60, years: 10)
    try box.program.waitForError("clock 720")
    try box.remote.ask("setvol 90")
    #expect(try box.remote.status["volume"] == "90")
    try setClock(minute: 3 * 60, years: -50)
    try box.program.waitForError("clock 180")
    #expect(try box.remote.status["volume"] == "40")
    try box.program.waitForError("playing 09 Track.wav")
    #expect(box.program.errors.components(of: "playing 0") == 9)
    box.program.expectNoHoldUp()
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
    box.program.expectNoHoldUp()
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
    box.program.expectNoHoldUp()
  }

  @Test(.enabled(if: isRoot && access("/dev/fuse", R_OK) == 0, "needs FUSE"))
  func `a stick that hangs keeps nothing waiting, and is played again once it answers`() throws {
    let folder = try TemporaryFolder()
    try run(Self.root + "/Tests/Support/hangfs/build.sh", folder("hangfs"))
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
    box.program.expectNoHoldUp()
  }
}

extension String {
  fileprivate func components(of text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count - 1
  }
}
