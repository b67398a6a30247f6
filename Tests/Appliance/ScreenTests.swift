import Glibc
import Testing

@testable import Appliance

struct ScreenTests {
  /// What a screen writes, read from the other end of pipes.
  private func written(
    hasStatusLine: Bool, _ body: (inout Screen) -> Void
  ) throws -> (output: String, errors: String) {
    var output: [Int32] = [0, 0]
    var errors: [Int32] = [0, 0]
    try #require(pipe(&output) == 0 && pipe(&errors) == 0)
    var screen = Screen(output: output[1], errors: errors[1], hasStatusLine: hasStatusLine)
    body(&screen)
    close(output[1])
    close(errors[1])
    return (text(from: output[0]), text(from: errors[0]))
  }

  private func text(from descriptor: Int32) -> String {
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private let line = StatusLine(
    state: .playing, title: "Song", position: .zero, length: nil, volume: 0)

  @Test func `without a status line there are plain lines and no escape code`() throws {
    let written = try written(hasStatusLine: false) { screen in
      screen.show(line)
      screen.tell("playing 01 \u{1B}[31mTitle (3:12)")
      screen.complain("x.mp3: broken")
      screen.clear()
    }
    #expect(written.output == "playing 01  [31mTitle (3:12)\n")
    #expect(written.errors == "jukebox: x.mp3: broken\n")
  }

  @Test func `the status line is written anew only where it has changed`() throws {
    let written = try written(hasStatusLine: true) { screen in
      screen.show(line)
      screen.show(line)
      screen.tell("no event is told")
      screen.complain("x.mp3: broken")
      screen.show(line)
    }
    #expect(
      written.output == """
        \rplaying Song 0:00  0 dB\u{1B}[K\r\u{1B}[K\rplaying Song 0:00  0 dB\u{1B}[K
        """)
    #expect(written.errors == "jukebox: x.mp3: broken\n")
  }
}
