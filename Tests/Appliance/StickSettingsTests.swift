import Testing

@testable import Appliance

/// A stick that carries settings of its own.
struct StickSettingsTests {
  /// A box whose owner allows a level of 80 at most, and a stick that says otherwise.
  private func box(allowing: Bool) throws -> Box {
    let folder = try TemporaryFolder()
    let owner = "[volume]\nmaximum = 80\n[media]\nsettings-from-sticks = \(allowing)\n"
    try folder.write("owner.toml", Array(owner.utf8))
    let box = try Box(options: ["--config", folder("owner.toml")], in: folder)
    try box.makeStick(tracks: [900_000])
    return box
  }

  private func settings(_ text: String, on box: Box) throws {
    try box.folder.write("away/STICK/jukebox.toml", Array(text.utf8))
  }

  @Test func `they hold while it is here, and go with it`() throws {
    let box = try box(allowing: true)
    try box.remote.ask("setvol 75")
    try settings("[volume]\nmaximum = 30\n[play]\nshuffle = \"songs\"\n", on: box)
    try box.plug()
    let status = try box.remote.wait("its limit") { $0["volume"] == "30" }
    #expect(status["random"] == "1")
    try box.remote.waitForSong(0)
    try box.pull()
    try box.program.waitForError("STICK: gone")
    try box.remote.ask("setvol 75")
    let after = try box.remote.status
    #expect(after["volume"] == "75")
    #expect(after["random"] == "0")
  }

  @Test func `they can't make it louder, nor touch what may do harm`() throws {
    let box = try box(allowing: true)
    try settings("[volume]\nmaximum = 100\n[board]\nchip = \"mine\"\n", on: box)
    try box.plug()
    try box.program.waitForError("STICK/jukebox.toml:3")
    try box.remote.waitForSong(0)
    try box.remote.ask("setvol 100")
    #expect(try box.remote.status["volume"] == "80")
  }

  @Test func `without the owner's word they are nothing`() throws {
    let box = try box(allowing: false)
    try settings("[volume]\nmaximum = 30\n", on: box)
    try box.plug()
    try box.remote.waitForSong(0)
    try box.remote.ask("setvol 75")
    #expect(try box.remote.status["volume"] == "75")
  }
}
