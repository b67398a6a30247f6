import Glibc
import Library
import Testing

/// `jukebox run` on a board: buttons, lights, keys and sticks that the kernel and udev tell of.
@Suite(.serialized, .enabled(if: Board.canMount)) struct BoardTests {
  private static let settings = """
    [media]
    folders = ["FOLDER"]
    [[button]]
    pin = 17
    press = "play-pause"
    [[light]]
    pin = 22
    shows = "playing"
    """

  private func plug(_ board: Board) throws {
    try board.folder.write("01 Track.wav", CodedFrames.file(track: 0, frames: 600_000))
    try board(
      "add", "block", "sda", "-", "@size=64", "DEVNAME=/dev/sda", "DEVTYPE=disk", "MAJOR=8",
      "MINOR=0", "ID_FS_USAGE=filesystem", "ID_FS_TYPE=vfat", "ID_FS_UUID_ENC=7B46-39FA",
      "ID_FS_LABEL_ENC=MUSIC")
    try board("mount", "/dev/sda", "7B46-39FA", board.path + "/01 Track.wav")
  }

  @Test func `a stick plays, a button pauses it, a light shows it, and a pull ends it`() throws {
    let board = try Board(settings: Self.settings)
    let remote = try board.remote
    try plug(board)
    try remote.waitForSong(0)
    try waitUntil("a light") { (try? board.outputs.last) == "22 1" }
    try board.set(17, isHigh: false)
    try board.set(17, isHigh: true)
    try remote.wait("a pause") { $0["state"] == "pause" }
    try waitUntil("no light") { (try? board.outputs.last) == "22 0" }
    try board.set(17, isHigh: false)
    try board.set(17, isHigh: true)
    try remote.waitForSong(0)
    try board("unmount", "7B46-39FA")
    try board.machine.waitForError("stopped, since its medium is gone")
    try remote.waitForSong(0, state: "pause")
  }

  @Test func `a stick is one medium, whoever looks at it`() throws {
    let board = try Board(settings: Self.settings)
    try plug(board)
    try board.remote.waitForSong(0)
    try board("link", "7B46-39FA", "7B46-39FA")
    try board(
      "call", Program.path, "scan", "--library", board.path + "/state/library.db",
      board.path + "/media/7B46-39FA")
    let media = try Catalogue(Path(board.path + "/state/library.db")).media()
    #expect(media.map(\.identity.uuid) == ["7B46-39FA"])
    // The filesystem's own size, and not the device's.
    #expect(media.map(\.identity.size) == [8 << 20])
  }
}
