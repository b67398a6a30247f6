import Remote
import Testing

/// Bytes in, requests and bytes out, as the MPD protocol's documentation has them
/// (https://mpd.readthedocs.io/en/stable/protocol.html).
@Suite struct ConversationTests {
  private var conversation = Conversation()

  init() {
    conversation.sent(conversation.output.count)
  }

  /// What was written since the last call.
  private mutating func written() -> String {
    defer { conversation.sent(conversation.output.count) }
    return String(decoding: conversation.output, as: UTF8.self)
  }

  private mutating func send(_ text: String) { conversation.receive(Array(text.utf8)) }

  /// Sends a line, and gives the request that comes of it.
  private mutating func request(_ line: String) -> Request? {
    send(line + "\n")
    return conversation.next()
  }

  /// Sends a line that is refused, and gives the answer.
  private mutating func refusal(_ line: String) -> String {
    #expect(request(line) == nil)
    return written()
  }

  @Test func `it greets with the version of the protocol`() {
    #expect(String(decoding: Conversation().output, as: UTF8.self) == "OK MPD 0.23.5\n")
  }

  @Test mutating func `a request is answered, then OK`() {
    #expect(request("status") == .status)
    conversation.answer(.lines("volume: 60\n"))
    #expect(written() == "volume: 60\nOK\n")
  }

  @Test mutating func `a line may come in pieces, and several at once`() {
    send("pi")
    #expect(conversation.next() == nil)
    send("ng\r\nstop\n")
    #expect(conversation.next() == .ping)
    #expect(conversation.next() == nil)
    conversation.answer(.lines(""))
    #expect(conversation.next() == .stop)
  }

  @Test mutating func `words are quoted and escaped`() {
    #expect(request(#"add "A \"b\" \\ c/d e.mp3""#) == .add(#"A "b" \ c/d e.mp3"#))
  }

  @Test(
    arguments: [
      ("play", Request.play(nil)), ("play 3", .play(3)), ("play -1", .play(nil)),
      ("pause", .pause(nil)), ("pause 1", .pause(true)), ("pause 0", .pause(false)),
      ("seekcur 61.5", .seekCurrent(61.5, isRelative: false)),
      ("seekcur +5", .seekCurrent(5, isRelative: true)),
      ("seekcur -5", .seekCurrent(-5, isRelative: true)),
      ("setvol 55", .setVolume(55)), ("volume -5", .changeVolume(-5)),
      ("playlistinfo", .playlist(nil)), ("playlistinfo 2", .playlist(2..<3)),
      ("playlistinfo 2:5", .playlist(2..<5)), ("playlistinfo \"2:\"", .playlist(2..<Int.max)),
      ("press next", .press("next")), ("turn 4 -3", .turn(4, -3)),
      ("edge 2 0 123456789", .edge(2, isHigh: false, nanoseconds: 123_456_789)),
      ("eject", .eject),
    ])
  func `a line is a request`(_ line: String, _ expected: Request) {
    var other = self
    #expect(other.request(line) == expected)
  }

  @Test mutating func `what can't be obeyed is refused by MPD's numbers`() {
    #expect(refusal("dance") == "ACK [5@0] {dance} unknown command \"dance\"\n")
    #expect(refusal("setvol") == "ACK [2@0] {setvol} wrong number of arguments for \"setvol\"\n")
    #expect(refusal("setvol 101") == "ACK [2@0] {setvol} Number out of range: 101\n")
    #expect(refusal("setvol x") == "ACK [2@0] {setvol} Integer expected: x\n")
    #expect(refusal("pause 2") == "ACK [2@0] {pause} Boolean (0/1) expected: 2\n")
    #expect(refusal("playlistinfo 5:2") == "ACK [2@0] {playlistinfo} Bad range: 5:2\n")
    #expect(refusal("idle nothing") == "ACK [2@0] {idle} Unrecognized idle event: nothing\n")
    #expect(refusal("command_list_end") == "ACK [1@0] {command_list_end} not in a list\n")
    #expect(refusal("add \"open") == "ACK [2@0] {} Invalid quoted word\n")
    #expect(refusal("") == "ACK [5@0] {} No command given\n")
  }

  @Test mutating func `a list is one answer, and begins when it is whole`() {
    send("command_list_begin\nnext\nstop\n")
    #expect(conversation.next() == nil)
    send("command_list_end\nping\n")
    for expected in [Request.next, .stop] {
      #expect(conversation.next() == expected)
      conversation.answer(.lines(""))
    }
    #expect(conversation.next() == .ping)
    #expect(written() == "OK\n")
  }

  @Test mutating func `a list tells of each command, and of the one that fails`() {
    send("command_list_ok_begin\nstatus\nplay 9\nstop\ncommand_list_end\nping\n")
    #expect(conversation.next() == .status)
    conversation.answer(.lines("state: stop\n"))
    #expect(conversation.next() == .play(9))
    conversation.answer(.refused(Refusal(.argument, "Bad song index")))
    #expect(conversation.next() == .ping)
    #expect(written() == "state: stop\nlist_OK\nACK [2@1] {play} Bad song index\n")
    send("command_list_ok_begin\ncommand_list_end\n")
    conversation.answer(.lines(""))
    #expect(conversation.next() == nil)
    #expect(written() == "OK\nOK\n")
  }

  @Test mutating func `who idles is told of changes, also of those before`() {
    conversation.noteChange(.mixer)
    #expect(request("idle player") == nil)
    #expect(written() == "")
    conversation.noteChange(.playlist)
    #expect(written() == "")
    conversation.noteChange(.player)
    #expect(written() == "changed: player\nOK\n")
    #expect(request("idle") == nil)
    #expect(written() == "changed: playlist\nchanged: mixer\nOK\n")
  }

  @Test mutating func `noidle ends the wait, and means nothing without one`() {
    #expect(request("idle") == nil)
    #expect(request("noidle") == nil)
    #expect(written() == "OK\n")
    #expect(request("noidle") == nil)
    #expect(written() == "")
    #expect(request("ping") == .ping)
  }

  @Test mutating func `who speaks while idle, or says close, is let go`() {
    var other = self
    _ = request("idle")
    #expect(request("status") == nil)
    #expect(conversation.isOver)
    #expect(other.request("close") == nil)
    #expect(other.conversation.isOver)
  }

  @Test mutating func `a line, a list and an answer have an end`() {
    var list = self
    var answer = self
    send(String(repeating: "x", count: Conversation.longestLine + 1))
    #expect(conversation.next() == nil)
    #expect(conversation.isOver)
    list.send("command_list_begin\n")
    for _ in 0..<200 where !list.conversation.isOver {
      list.send("add \"" + String(repeating: "y", count: 12_000) + "\"\n")
      #expect(list.conversation.next() == nil)
    }
    #expect(list.conversation.isOver)
    _ = answer.request("playlistinfo")
    answer.conversation.answer(.lines(String(repeating: "z", count: Conversation.mostOutput + 1)))
    #expect(answer.conversation.isOver)
  }

  @Test mutating func `any bytes at all do no harm`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var other = self
      let words = [
        "idle", "noidle", "command_list_begin", "command_list_end", "play", "\"", "\\", "\n",
      ]
      let bytes = (0..<40).flatMap { _ in
        Bool.random(using: &random)
          ? Array((words.randomElement(using: &random) ?? "").utf8)
          : [UInt8.random(in: .min ... .max, using: &random)]
      }
      other.conversation.receive(bytes)
      while other.conversation.next() != nil { other.conversation.answer(.lines("")) }
    }
  }

  @Test func `a song is told in MPD's words, each on one line`() {
    var song = Song(file: "STICK/a.mp3", place: 3, id: 17)
    song.title = "One\nTwo"
    song.length = .milliseconds(61_499)
    #expect(
      song.lines
        == "file: STICK/a.mp3\nTitle: One Two\nTime: 61\nduration: 61.499\nPos: 3\nId: 17\n")
  }
}
