import Testing

@testable import Library

struct NamedTitleTests {
  @Test(arguments: [
    ("03 - Title", "Title", nil, 3),
    ("03 Title", "Title", nil, 3),
    ("03. Title", "Title", nil, 3),
    ("03_Some_Title", "Some Title", nil, 3),
    ("3 - Title", "Title", nil, 3),
    ("1-03 Title", "Title", 1, 3),
    ("2.14 - Title", "Title", 2, 14),
    ("112 Long Tracklist", "Long Tracklist", nil, 112),
    ("2001 - A Space Odyssey", "2001 - A Space Odyssey", nil, nil),
    ("7 Years", "7 Years", nil, nil),
    ("24K Magic", "24K Magic", nil, nil),
    ("Title", "Title", nil, nil),
    ("42", "42", nil, nil),
    ("00 - Hidden", "00 - Hidden", nil, nil),
    ("", "", nil, nil),
  ])
  func `a name's number and title`(_ stem: String, _ title: String, _ disc: Int?, _ track: Int?) {
    let named = NamedTitle(stem: stem)
    #expect(named.title == title)
    #expect(named.disc == disc)
    #expect(named.track == track)
  }
}
