import Audio
import Testing

struct DemoTests {
  @Test func `the album is three tagged tracks of one piece, the same each time`() throws {
    let folder = try TemporaryFolder()
    let album = folder / "album"
    try Demo.write(to: album)
    #expect(run(["ls", album]).output == Demo.names.map { $0 + "\n" }.joined())
    let paths = Demo.names.map { album + "/" + $0 }

    var frames = 0
    for (number, path) in paths.enumerated() {
      let tags = run(["metaflac", "--export-tags-to=-", path]).output.uppercased()
      for tag in ["TITLE=", "ARTIST=", "ALBUM=", "TRACKNUMBER=\(number + 1)\n"] {
        #expect(tags.contains(tag))
      }
      #expect(run(["flac", "-t", "-s", path]).status == 0)
      frames += try #require(Int(run(["soxi", "-s", path]).output.dropLast()))
    }
    #expect(frames == 40 * 44_100)

    try #require(
      run(["sox"] + paths + [folder / "all.s16"].flatMap { ["-t", "raw", $0] }).status == 0)
    let samples: [Int16] = try folder.read("all.s16")
    let peak = samples.map { abs(Int($0)) }.max() ?? 0
    #expect((23_100...23_300).contains(peak), "the peak is at -3 dB")
    #expect(samples.prefix(100).allSatisfy { abs($0) <= 1 }, "it fades in")
    #expect(samples.suffix(100).allSatisfy { abs($0) <= 1 }, "it fades out")
    // Sound runs on over each cut: neither a gap nor a step above the loudest within the tracks.
    for cut in [588_001, 1_176_003] {
      let around = (cut - 2_205..<cut + 2_205).map { Int(samples[2 * $0]) }
      #expect(around.contains { abs($0) > 3_000 })
      let steps = zip(around, around.dropFirst()).map { abs($0 - $1) }
      #expect(steps[2_204] <= (steps[..<2_204] + steps[2_205...]).max() ?? 0)
    }

    let sum = run(["md5sum"] + paths).output
    try Demo.write(to: album)
    #expect(run(["md5sum"] + paths).output == sum)
  }

  @Test func `a folder that can't be made is an error`() throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: SoundFileError.self) { try Demo.write(to: folder / "no/album") }
    #expect(error?.description == "No such file or directory")
  }
}
