import Glibc
import Testing

@testable import Devices

/// A folder of the test's own, removed with the files that it wrote.
final class TemporaryFolder {
  let path: String
  private var made: [String] = []

  init() throws {
    var template = Array("/tmp/jukebox-devices-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in made.reversed() { remove(path + "/" + name) }
    rmdir(path)
  }

  func make(_ folder: String) throws {
    try #require(mkdir(path + "/" + folder, 0o755) == 0)
    made.append(folder)
  }

  func write(_ name: String, _ text: String) throws {
    if let slash = name.lastIndex(of: "/"), !made.contains(String(name[..<slash])) {
      mkdir(path + "/" + name[..<slash], 0o755)
      made.append(String(name[..<slash]))
    }
    let file = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    try #require(file >= 0)
    defer { close(file) }
    try #require(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
    made.append(name)
  }

  func read(_ name: String) throws -> String {
    let bytes = try #require(try Configuration.contents(of: path + "/" + name))
    return String(decoding: bytes, as: UTF8.self)
  }
}
