internal import Glibc

/// A file's place in the file system, byte for byte as the kernel has it.
///
/// Linux names are bytes other than NUL and "/", not always UTF-8, so a path is not a string.
public struct Path: Hashable, Sendable, CustomStringConvertible {
  /// The bytes, without a NUL at the end.
  public let bytes: [UInt8]

  /// Up to the first NUL, if there is one.
  public init(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    self.bytes = bytes.firstIndex(of: 0).map { Array(bytes[..<$0]) } ?? bytes
  }

  public init(_ string: String) {
    self.init(string.utf8)
  }

  /// For people: what is not UTF-8 shows as U+FFFD.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  public var isAbsolute: Bool { bytes.first == slash }

  /// What stands after the last "/"; slashes at the end don't count.
  public var name: Path { Path(nameBytes) }

  /// The name without its extension.
  public var stem: Path { Path(nameBytes.prefix(nameBytes.count - extensionLength)) }

  /// The part of the name after its last dot, in lower case; empty if there is none.
  public var `extension`: String {
    String(decoding: nameBytes.suffix(max(0, extensionLength - 1)), as: UTF8.self).lowercased()
  }

  /// The folder it is in: "." for a bare name, "/" for "/".
  public var parent: Path {
    let trimmed = bytes.trimmingLast { $0 == slash }
    guard let cut = trimmed.lastIndex(of: slash) else { return Path(isAbsolute ? "/" : ".") }
    let parent = trimmed[..<cut].trimmingLast { $0 == slash }
    return parent.isEmpty ? Path("/") : Path(parent)
  }

  /// `relative` seen from this folder; an absolute path stays what it is.
  public func appending(_ relative: Path) -> Path {
    if relative.isAbsolute || bytes.isEmpty || self == Path(".") { return relative }
    return Path(bytes.trimmingLast { $0 == slash } + [slash] + relative.bytes)
  }

  /// Calls `body` with the path as C wants it; the pointer is good until `body` returns.
  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    unsafe (bytes + [0]).withUnsafeBufferPointer { buffer in
      unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
        guard let start = characters.baseAddress else { preconditionFailure("A path has a NUL") }
        return unsafe body(start)
      }
    }
  }

  private var nameBytes: ArraySlice<UInt8> {
    let trimmed = bytes.trimmingLast { $0 == slash }
    return trimmed[((trimmed.lastIndex(of: slash) ?? trimmed.startIndex - 1) + 1)...]
  }

  /// With its dot, 0 if none: not one that hides a file, nor the dot of "Dr. Who" or "1.Some words".
  private var extensionLength: Int {
    let name = nameBytes
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex,
      name.endIndex - dot <= 8, !name[dot...].contains(UInt8(ascii: " "))
    else { return 0 }
    return name.endIndex - dot
  }
}

private let slash = UInt8(ascii: "/")

extension BidirectionalCollection {
  /// Without the elements at the end that satisfy `drop`.
  func trimmingLast(while drop: (Element) -> Bool) -> SubSequence {
    var end = endIndex
    while end > startIndex, drop(self[index(before: end)]) { end = index(before: end) }
    return self[..<end]
  }

  /// Without the elements at both ends that satisfy `drop`.
  func trimming(while drop: (Element) -> Bool) -> SubSequence {
    trimmingLast(while: drop).drop(while: drop)
  }
}
