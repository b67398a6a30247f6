import Testing

struct ReplayTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func file(_ lines: String) throws -> String {
    try folder.write("record", Array(lines.utf8))
  }

  @Test func `a record is replayed with its effects`() throws {
    let program = try Program([
      "replay", file("# a life\n5 started x x 1\n9 pressed toggle-mute\n"),
    ])
    #expect(try program.end() == 0)
    #expect(program.output.contains("5 started x x 1\n"))
    #expect(program.output.contains("9 pressed toggle-mute\n  "))
  }

  @Test func `a line that is no event is named, and the replay fails`() throws {
    let program = try Program(
      ["replay", file("5 started x x 1\n6 timer\n7 pressed append -1\n8 timer\n")])
    #expect(try program.end() == 1)
    #expect(program.errors.contains(":3: not an event"))
    #expect(program.output.contains("8 timer"))
  }
}
