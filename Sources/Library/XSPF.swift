/// The tracks of an XSPF list (XSPF version 1): each one's first location, and its title.
///
/// Reads what XML such a list has: elements, text, entities, comments and CDATA; the rest is passed over.
struct XSPF {
  private(set) var items: [Playlist.Item] = []

  private var target: [UInt8] = []
  private var title: String?
  private var isInTrack = false
  private var text: [UInt8] = []

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "<")), items.count <= Playlist.mostItems {
      text += Self.unescaped(rest[..<start])
      rest = rest[start...]
      if rest.starts(with: "<!--".utf8) {
        rest = Self.after("-->", in: rest.dropFirst(4)).rest
      } else if rest.starts(with: "<![CDATA[".utf8) {
        let (inside, after) = Self.after("]]>", in: rest.dropFirst(9))
        text += inside
        rest = after
      } else {
        let (inside, after) = Self.after(">", in: rest.dropFirst())
        take(tag: inside)
        rest = after
      }
    }
  }

  private mutating func take(tag: ArraySlice<UInt8>) {
    let isEnd = tag.first == UInt8(ascii: "/")
    let whole = tag.drop { $0 == UInt8(ascii: "/") }.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
    let name = String(decoding: whole, as: UTF8.self).split(separator: ":").last ?? ""
    switch (name, isEnd) {
    case ("track", false):
      (isInTrack, target, title) = (true, [], nil)
    case ("track", true):
      isInTrack = false
      if !target.isEmpty { items.append(Playlist.Item(target: target, tags: Tags(title: title))) }
    case ("location", true) where isInTrack && target.isEmpty:
      target = Array(trimmed)
    case ("title", true) where isInTrack:
      title = trimmed.isEmpty ? nil : Text.string(trimmed)
    default: break
    }
    text = []
  }

  private var trimmed: ArraySlice<UInt8> { text.trimming { $0 <= 0x20 } }

  /// What stands before a mark, and what after it; all and nothing if it is not there.
  private static func after(
    _ mark: String, in bytes: ArraySlice<UInt8>
  ) -> (inside: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
    let pattern = Array(mark.utf8)
    var place = bytes.startIndex
    while place + pattern.count <= bytes.endIndex {
      if bytes[place] == pattern[0], bytes[place...].starts(with: pattern) {
        return (bytes[..<place], bytes[(place + pattern.count)...])
      }
      place += 1
    }
    return (bytes, [])
  }

  /// With the five named entities, and numbers, as what they stand for (XML 1.0, 4.1 and 4.6).
  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "&")) else { return Array(bytes) }
    let named: [String: Unicode.Scalar] = [
      "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]
    var out: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "&"),
        let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";"))
      else {
        out.append(byte)
        continue
      }
      let name = String(decoding: rest[..<end], as: UTF8.self)
      var scalar = named[name]
      if name.hasPrefix("#x") {
        scalar = UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
      } else if name.hasPrefix("#") {
        scalar = UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
      }
      guard let scalar else {
        out.append(byte)
        continue
      }
      out += String(scalar).utf8
      rest = rest[(end + 1)...]
    }
    return out
  }
}
