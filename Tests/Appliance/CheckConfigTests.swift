import Glibc
import Testing

/// The real `jukebox check-config`.
struct CheckConfigTests {
  private func check(_ text: String) throws -> (status: Int32, output: String) {
    var template = Array("/tmp/jukebox-config-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    try #require(descriptor >= 0)
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { unlink(path) }
    try #require(write(descriptor, text, text.utf8.count) == text.utf8.count)
    close(descriptor)
    let program = try Program(["check-config", path])
    let status = try program.end()
    return (status, program.output.replacing(path, with: "FILE"))
  }

  @Test func `a file that is right is called so`() throws {
    let (status, output) = try check("[[button]]\npin = 17\npress = \"play-pause\"\n")
    #expect(status == 0)
    #expect(output == "nothing is wrong\n")
  }

  @Test func `a file that is wrong ends it with 1`() throws {
    let (status, output) = try check(
      "[[button]]\npin = 17\npress = \"play-paus\"\nhold = \"stop\"\n")
    #expect(status == 1)
    #expect(output.hasPrefix("FILE:3:9: press is 'play-paus': allowed are play, pause, stop,"))
    #expect(output.contains("; did you mean play-pause?\n"))
    #expect(output.hasSuffix("1 entry has no effect; all else has\n"))
  }

  @Test func `a file that is not there is named`() throws {
    let program = try Program(["check-config", "/nowhere/jukebox.toml"])
    #expect(try program.end() == 1)
    #expect(program.errors == "jukebox: /nowhere/jukebox.toml: there is no such file\n")
  }
}
