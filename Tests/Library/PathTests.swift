import Testing

@testable import Library

struct PathTests {
  @Test(arguments: [
    ("/a/b.mp3", "/a", "b.mp3", "b", "mp3"),
    ("/a/", "/", "a", "a", ""),
    ("/", "/", "", "", ""),
    ("a", ".", "a", "a", ""),
    ("a//b.c.FLAC", "a", "b.c.FLAC", "b.c", "flac"),
    (".hidden", ".", ".hidden", ".hidden", ""),
    ("Dr. Who", ".", "Dr. Who", "Dr. Who", ""),
    ("x.", ".", "x.", "x", ""),
  ])
  func `a path comes apart`(
    _ text: String, _ parent: String, _ name: String, _ stem: String, _ type: String
  ) {
    let path = Path(text)
    #expect(path.parent == Path(parent))
    #expect(path.name == Path(name))
    #expect(path.stem == Path(stem))
    #expect(path.extension == type)
  }

  @Test func `a relative path goes below a folder, an absolute one stays`() {
    #expect(Path("/a/").appending(Path("b")) == Path("/a/b"))
    #expect(Path("/").appending(Path("b")) == Path("/b"))
    #expect(Path(".").appending(Path("b")) == Path("b"))
    #expect(Path("a").appending(Path("/b")) == Path("/b"))
  }
}
