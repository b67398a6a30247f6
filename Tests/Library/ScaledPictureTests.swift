import Glibc
import Jukebox
import Testing

@testable import Library

/// Scaled pictures beside FFmpeg's own of the same files.
struct ScaledPictureTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func draw(_ name: String, _ size: String, _ words: String...) throws -> Path {
    try run(
      ["ffmpeg", "-v", "error", "-y", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=\(size)"]
        + ["-frames:v", "1"] + words + [folder(name)])
    return Path(folder(name))
  }

  /// A picture's pixels as FFmpeg has them, red, green and blue; scaled by it if a size is given.
  private func pixels(_ path: String, _ size: (Int, Int)? = nil, before: [String] = []) throws
    -> [UInt8]
  {
    let scale = size.map { ["-vf", "scale=\($0.0):\($0.1)"] } ?? []
    try run(
      ["ffmpeg", "-v", "error", "-y", "-nostdin"] + before + ["-i", path, "-frames:v", "1"] + scale
        + ["-f", "rawvideo", "-pix_fmt", "rgb24", folder("pixels")])
    return try bytes(of: folder("pixels"))
  }

  /// The mean difference of two pictures' values, of 255.
  private func difference(_ ours: [UInt8], _ theirs: [UInt8]) throws -> Double {
    try #require(ours.count == theirs.count)
    var sum = 0
    for index in ours.indices { sum += abs(Int(ours[index]) - Int(theirs[index])) }
    return Double(sum) / Double(ours.count)
  }

  @Test func `pictures of every kind are as FFmpeg scales them`() throws {
    for (name, words) in [
      ("a.jpg", ["-q:v", "2"]), ("a.png", []), ("a.webp", ["-lossless", "1"]), ("a.gif", []),
      ("a.bmp", []),
    ] {
      try run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=700x500", "-frames:v"]
          + ["1"] + words + [folder(name)])
      let scaled = try PictureReference.file(Path(folder(name))).scaled(toFit: 210)
      try folder.write("scaled", scaled)
      let mean = try difference(pixels(folder("scaled")), pixels(folder(name), (210, 150)))
      #expect(mean < 6, "\(name)")
    }
  }

  @Test func `a big JPEG picture is decoded small, and comes out the same`() throws {
    let big = try draw("big.jpg", "1200x900", "-q:v", "2")
    for side in [60, 148, 600, 604] {
      try folder.write("scaled", PictureReference.file(big).scaled(toFit: side))
      let theirs = try pixels(big.description, (side, side * 3 / 4))
      #expect(try difference(pixels(folder("scaled")), theirs) < 6, "\(side)")
    }
  }

  @Test func `what fits is given as it is, what is thin keeps a pixel, glass is a PNG`() throws {
    let small = try draw("small.png", "64x48")
    #expect(try PictureReference.file(small).scaled(toFit: 64) == bytes(of: small.description))
    let thin = try draw("thin.png", "1000x2")
    try folder.write("scaled", PictureReference.file(thin).scaled(toFit: 10))
    #expect(try pixels(folder("scaled")).count == 10 * 3)
    let glass = try draw("glass.png", "300x300", "-vf", "format=rgba,colorchannelmixer=aa=0.5")
    let scaled = try PictureReference.file(glass).scaled(toFit: 100)
    #expect(scaled.starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test func `a video shows the frame of the time asked for`() throws {
    for (name, words) in [
      ("a.mp4", ["-g", "50"]), ("a.mkv", ["-c:v", "mpeg4", "-g", "30"]),
      ("a.avi", ["-c:v", "mjpeg"]),
    ] {
      try run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=10:d=6"] + words
          + [folder(name)])
      for time in [0.0, 2.25, 5.8, 100] {
        let frame = PictureReference.frame(Path(folder(name)), at: .seconds(time))
        try folder.write("scaled", frame.scaled(toFit: 160))
        let shown = min((time * 10).rounded(.down) / 10, 5.9)
        let ours = try pixels(folder("scaled"))
        // It is more like the frame that is on then than like those beside it.
        let means = try [0, -0.1, 0.1].map { away in
          let start = ["-ss", "\(min(max(0, shown + away - 0.01), 5.89))"]
          return try difference(ours, pixels(folder(name), (160, 120), before: start))
        }
        #expect(means.min() == means[0] && means[0] < 6, "\(name) at \(time): \(means)")
      }
    }
  }

  @Test func `damaged, huge and foreign pictures are refused or shown in part`() throws {
    var generator = SplitMix(state: 1)
    for name in ["a.jpg", "a.png", "a.webp", "a.gif"] {
      let whole = try bytes(of: draw(name, "200x200").description)
      for _ in 0..<60 {
        var damaged = whole
        for _ in 0..<Int.random(in: 1...20, using: &generator) {
          damaged[Int.random(in: 4..<damaged.count, using: &generator)] = UInt8.random(
            in: 0...255, using: &generator)
        }
        if Bool.random(using: &generator) {
          damaged.removeLast(Int.random(in: 0..<damaged.count, using: &generator))
        }
        try folder.write("damaged", damaged)
        if let scaled = try? PictureReference.file(Path(folder("damaged"))).scaled(toFit: 50) {
          #expect(!scaled.isEmpty)
        }
      }
    }
    // A PNG header that claims 50,000 by 50,000 pixels (PNG specification, 11.2.2).
    var bomb = try bytes(of: draw("bomb.png", "200x200").description)
    for place in [16, 20] { bomb.replaceSubrange(place..<(place + 4), with: [0, 0, 0xC3, 0x50]) }
    for wrong in [bomb, Array("no picture".utf8), [0xFF, 0xD8, 0xFF]] {
      try folder.write("wrong", wrong)
      #expect(throws: PictureError.unreadable) {
        try PictureReference.file(Path(folder("wrong"))).scaled(toFit: 50)
      }
    }
    #expect(throws: PictureError.notThere) {
      try PictureReference.file(Path(folder("nowhere.png"))).scaled(toFit: 50)
    }
  }

  @Test func `the cache gives what it has, forgets what was used longest ago, and sees changes`()
    throws
  {
    let place = Path(folder("cache/inner"))
    let references = try (0..<5).map { number in
      PictureReference.file(try draw("\(number).png", "300x\(300 + number)"))
    }
    let size = try references[0].scaled(toFit: 100).count
    // Room for three or four.
    let cache = PictureCache(place, limit: size * 7 / 2)
    func names() throws -> Set<Path> { Set(try place.listing()) }
    var first: Set<Path> = []
    for (number, reference) in references.enumerated() {
      let scaled = try cache.picture(reference, side: 100)
      #expect(try cache.picture(reference, side: 100) == scaled)
      if number == 0 { first = try names() }
      // Times of use are told apart, and the first is used again and again.
      _ = try cache.picture(references[0], side: 100)
      usleep(20_000)
    }
    #expect(try names().count == 3)
    #expect(try names().isSuperset(of: first), "what was used last is still there")
    #expect(try !names().contains { $0.bytes.first == UInt8(ascii: ".") })
    let before = try cache.picture(references[4], side: 100)
    _ = try draw("4.png", "300x200")
    #expect(try cache.picture(references[4], side: 100) != before)
  }
}
