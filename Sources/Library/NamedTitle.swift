/// The title and number that a file's name gives, for files without tags.
///
/// "03 - Title" and "03 Title" are track 3, "1-03 Title" is track 3 of disc 1. A year ("2001 - Title")
/// is none, nor is a single digit before a bare space ("7 Years").
struct NamedTitle: Equatable {
  var title: String
  var disc: Int?
  var track: Int?
  /// The number it starts with, of up to three digits: good for an order even where it is no track.
  var number: Int?

  /// From a name without its extension.
  init(stem: String) {
    let whole = stem.utf8.trimming { $0 == 0x20 || $0 == UInt8(ascii: "_") }
    title = Self.spaced(whole)
    guard let first = Number(at: whole), first.digits <= 3 else { return }
    number = first.value
    if first.digits == 1, let mark = first.rest.first,
      mark == UInt8(ascii: "-") || mark == UInt8(ascii: "."),
      let second = Number(at: first.rest.dropFirst()), second.digits == 2,
      let rest = second.titleAfter
    {
      disc = first.value
      track = second.value
      title = rest
    } else if let rest = first.titleAfter {
      track = first.value
      title = rest
    }
  }

  /// With blanks for underscores, if it has no blanks of its own.
  private static func spaced(_ utf8: Substring.UTF8View) -> String {
    let text = String(Substring(utf8))
    guard utf8.contains(UInt8(ascii: "_")), !utf8.contains(0x20) else { return text }
    return String(text.map { $0 == "_" ? " " : $0 })
  }

  /// A run of digits and what follows it.
  private struct Number {
    var value: Int
    var digits: Int
    var rest: Substring.UTF8View

    init?(at text: Substring.UTF8View) {
      let run = text.prefix { 0x30...0x39 ~= $0 }
      guard !run.isEmpty else { return nil }
      digits = run.count
      // Longer ones are no numbers of tracks.
      value = digits > 4 ? 10_000 : run.reduce(0) { $0 * 10 + Int($1) - 0x30 }
      rest = text.dropFirst(digits)
    }

    /// What follows a separator; nil if none tells the number from the title.
    var titleAfter: String? {
      var title = rest
      while true {
        if let byte = title.first, " _.-)".utf8.contains(byte) {
          title = title.dropFirst()
        } else if title.starts(with: "–".utf8) {
          title = title.dropFirst(3)
        } else {
          break
        }
      }
      let separator = rest[..<title.startIndex]
      guard value > 0, !separator.isEmpty, !title.isEmpty,
        digits > 1 || !separator.elementsEqual(" ".utf8)
      else { return nil }
      return NamedTitle.spaced(title)
    }
  }
}

extension Tags {
  /// Fills title and numbers from the file's name where the tags are silent.
  mutating func fill(fromNameOf path: Path) {
    let named = NamedTitle(stem: path.stem.description)
    title = title ?? named.title
    if track == nil {
      track = named.track
      disc = disc ?? named.disc
    }
  }
}
