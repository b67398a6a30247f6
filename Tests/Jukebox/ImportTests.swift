internal import Glibc
internal import Testing

struct ImportTests {
  @Test func `the brains import nothing`() throws {
    let tests = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let folder = "/" + tests + "/Sources/Jukebox"
    let listing = try #require(opendir(folder))
    defer { closedir(listing) }
    var files = 0
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasSuffix(".swift") else { continue }
      files += 1
      let file = try #require(fopen(folder + "/" + name, "r"))
      defer { fclose(file) }
      var text = [UInt8](repeating: 0, count: 200_000)
      let count = fread(&text, 1, text.count, file)
      let lines = String(decoding: text[..<count], as: UTF8.self).split(separator: "\n")
      let imports = lines.filter { $0.split(separator: " ").prefix(3).contains("import") }
      #expect(imports.isEmpty, "\(name)")
    }
    #expect(files > 30)
  }
}
