import Testing

@testable import Library

/// Names as other machines spell them lead to the files of this one.
struct FinderTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in [
      "Music/Album/One.mp3", "Music/Album/Zwölf.mp3", "lists/here.mp3", "lists/50%25.mp3",
      "lists/a#b & c.mp3", "lists/back\\slash.mp3", "lists/de\u{301}compose\u{301}.mp3",
    ] {
      try folder.write(name)
    }
    try folder.write(Array("lists/latin-".utf8) + [0xE9] + Array(".mp3".utf8))
  }

  @Test(arguments: [
    ("here.mp3", "lists/here.mp3"),
    ("./here.mp3", "lists/./here.mp3"),
    ("HERE.MP3", "lists/here.mp3"),
    ("../Music/Album/One.mp3", "lists/../Music/Album/One.mp3"),
    ("..\\music\\album\\one.MP3", "lists/../Music/Album/One.mp3"),
    ("E:\\Music\\Album\\One.mp3", "Music/Album/One.mp3"),
    ("e:/music/album/one.mp3", "Music/Album/One.mp3"),
    ("\\Music\\Album\\Zwölf.mp3", "Music/Album/Zwölf.mp3"),
    ("/Music/Album/One.mp3", "Music/Album/One.mp3"),
    ("/home/somebody/old/here.mp3", "lists/here.mp3"),
    ("file:///Music/Album/Zw%C3%B6lf.mp3", "Music/Album/Zwölf.mp3"),
    ("file://localhost/C:/Music/Album/One.mp3", "Music/Album/One.mp3"),
    ("file:///C:/Music/Album/One.mp3", "Music/Album/One.mp3"),
    ("..%2FMusic/Album/One.mp3", "lists/../Music/Album/One.mp3"),
    ("50%25.mp3", "lists/50%25.mp3"),
    ("a#b%20&%20c.mp3", "lists/a#b & c.mp3"),
    ("back\\slash.mp3", "lists/back\\slash.mp3"),
    ("d\u{E9}compos\u{E9}.mp3", "lists/de\u{301}compose\u{301}.mp3"),
    ("D\u{C9}COMPOS\u{C9}.mp3", "lists/de\u{301}compose\u{301}.mp3"),
    ("../Music/Album/Zwo\u{308}lf.mp3", "lists/../Music/Album/Zwölf.mp3"),
  ])
  func `a file is found`(_ target: String, _ wanted: String) throws {
    var finder = Finder(folder: Path(folder("lists")))
    guard case .found(let path) = finder.find(Array(target.utf8)) else {
      Issue.record("\(target) was not found")
      return
    }
    #expect(FileSystemPlace(path) == FileSystemPlace(Path(folder(wanted))))
  }

  @Test func `absolute paths of this machine are found`() throws {
    var finder = Finder(folder: Path(folder("Music")))
    #expect(
      finder.find(Array(folder("lists/here.mp3").utf8)) == .found(Path(folder("lists/here.mp3"))))
  }

  @Test func `names in CP1252 lead to UTF-8 names, and bytes to the same bytes`() throws {
    var finder = Finder(folder: Path(folder("lists")))
    let cp1252 = Array("../Music/Album/Zw".utf8) + [0xF6] + Array("lf.mp3".utf8)
    #expect(finder.find(cp1252) == .found(Path(folder("lists/../Music/Album/Zwölf.mp3"))))
    let raw = Array("latin-".utf8) + [0xE9] + Array(".mp3".utf8)
    #expect(finder.find(raw) == .found(Path(Array(folder("lists/").utf8) + raw)))
  }

  @Test(arguments: [
    "nowhere.mp3", "", "/", "..", "file://", "file:///", "C:\\", "../../../../../../nowhere",
    "%", "%4", "%zz.mp3", "here.mp3/below",
  ])
  func `what is not there is missing`(_ target: String) {
    var finder = Finder(folder: Path(folder("lists")))
    switch finder.find(Array(target.utf8)) {
    case .missing: break
    case .network: Issue.record("taken for a network address")
    case .found(let path):
      #expect((try? FileStatus(path).kind) == .folder, "\(path)")
    }
  }

  @Test(arguments: ["http://radio/stream.mp3", "HTTPS://radio", "rtsp://x/y", "mms://x"])
  func `network addresses are told apart`(_ target: String) {
    var finder = Finder(folder: Path(folder("lists")))
    #expect(finder.find(Array(target.utf8)) == .network)
  }
}

/// A file by itself, not by a spelling.
private struct FileSystemPlace: Equatable {
  var identity: FileIdentity?

  init(_ path: Path) {
    identity = try? FileStatus(path).identity
  }

  static func == (a: Self, b: Self) -> Bool { a.identity != nil && a.identity == b.identity }
}
