import Jukebox
import Testing

@testable import Library

/// Pictures of tracks that the formats' own programs put there.
struct PictureTests {
  let library: TestLibrary
  let red: [UInt8]
  let blue: [UInt8]

  init() throws {
    library = try TestLibrary()
    let folder = library.folder
    for color in ["red", "blue"] {
      try run(
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=\(color):s=64x64", "-frames:v", "1",
        folder("\(color).png"))
    }
    red = try bytes(of: folder("red.png"))
    blue = try bytes(of: folder("blue.png"))
    try folder.write("in.wav", silentWAV(frames: 4410))
  }

  private func picture(_ title: String) throws -> [UInt8]? {
    try library.catalogue.picture(of: library.track(title).id)?.bytes()
  }

  @Test func `the front cover in a file goes before others in it and the one in the folder`() throws
  {
    let folder = library.folder
    try folder.write("stick/Cover.PNG", blue)
    try run(
      "flac", "-s", "-T", "TITLE=Front", "--picture", "4|image/png|||" + folder("blue.png"),
      "--picture", "3|image/png|||" + folder("red.png"), folder("in.wav"), "-o",
      folder("stick/front.flac"))
    try run(
      "flac", "-s", "-T", "TITLE=Back", "--picture", "4|image/png|||" + folder("red.png"),
      folder("in.wav"), "-o", folder("stick/back.flac"))
    try run(
      "lame", "--quiet", "--tt", "Lame", "--ti", folder("red.png"), folder("in.wav"),
      folder("stick/lame.mp3"))
    try run(
      "opusenc", "--quiet", "--title", "Opus", "--picture", folder("red.png"), folder("in.wav"),
      folder("stick/opus.opus"))
    try folder.track("stick/none.flac", ["TITLE": "None"])
    try folder.track("stick/Inner/far.flac", ["TITLE": "Far"])
    try library.scan(folder("stick"))
    #expect(try library.titles() == ["Back", "Far", "Front", "Lame", "None", "Opus"])
    for title in ["Front", "Back", "Lame", "Opus"] {
      #expect(try picture(title) == red, "\(title)")
    }
    #expect(try picture("None") == blue)
    #expect(try picture("Far") == nil)
  }

  @Test func `a big picture in an MP3 file is left unread by a scan, and fetched whole`() throws {
    let folder = library.folder
    var big = red
    big += (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try folder.write("big.png", big)
    try run(
      "lame", "--quiet", "--id3v2-only", "--tt", "Big", "--ta", "Band", "--tl", "Album", "--ti",
      folder("big.png"), folder("in.wav"), folder("stick.mp3"))
    try run("mkdir", folder("stick"))
    try run("mv", folder("stick.mp3"), folder("stick/big.mp3"))
    try library.scan(folder("stick"))
    let track = try library.track("Big")
    #expect(track.tags.artist == "Band" && track.tags.hasPicture)
    #expect(track.sound?.rate == 44100)
    #expect(try picture("Big") == big)
  }

  @Test func `of pictures in a folder the cover is taken, and what comes later is found`() throws {
    let folder = library.folder
    try folder.track("stick/a.flac", ["TITLE": "A"])
    try folder.write("stick/album.jpg", blue)
    try folder.write("stick/holiday.jpg", red)
    try library.scan(folder("stick"))
    #expect(try picture("A") == blue)
    try folder.write("stick/cover.jpg", red)
    try library.scan(folder("stick"))
    #expect(try picture("A") == red)
    try run("rm", folder("stick/cover.jpg"))
    #expect(try picture("A") == nil, "it is gone, and a scan has not seen it yet")
  }
}
