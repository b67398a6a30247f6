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
    let whole = stem.trimming { $0 == " " || $0 == "_" }
    title = whole.contains(" ") ? String(whole) : String(whole.map { $0 == "_" ? " " : $0 })
    guard let first = Number(at: whole), first.digits <= 3 else { return }
    number = first.value
    if first.digits == 1, let mark = first.rest.first, mark == "-" || mark == ".",
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

  /// A run of digits and what follows it.
  private struct Number {
    var value: Int
    var digits: Int
    var rest: Substring

    init?(at text: Substring) {
      let run = text.prefix { ("0"..."9").contains($0) }
      guard let value = Int(run) else { return nil }
      self.value = value
      digits = run.count
      rest = text.dropFirst(digits)
    }

    /// What follows a separator; nil if none tells the number from the title.
    var titleAfter: String? {
      let separator = rest.prefix { " _.-–)".contains($0) }
      let title = rest.dropFirst(separator.count)
      guard value > 0, !separator.isEmpty, !title.isEmpty, digits > 1 || separator != " " else {
        return nil
      }
      return title.contains(" ") ? String(title) : String(title.map { $0 == "_" ? " " : $0 })
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
