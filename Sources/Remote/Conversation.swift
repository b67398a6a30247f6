/// One remote's side of MPD's line protocol: bytes in, requests out, answers in, bytes out.
///
/// A value that knows no socket. Requests are given out one at a time, and the next one only once the
/// last is answered, so an answer may take its time. What a remote sends or does not read is bounded:
/// past that the conversation is over.
public struct Conversation {
  public enum Answer: Equatable, Sendable {
    /// Lines such as `volume: 60`, each with its end; may be empty.
    case lines(String)
    case refused(Refusal)
  }

  /// What MPD allows: src/client/Config.cxx, max_command_list_size and max_output_buffer_size; a line of
  /// 16 KiB is ours.
  public static let longestLine = 16 << 10
  public static let longestList = 2 << 20
  public static let mostOutput = 8 << 20

  /// To be sent next.
  public var output: ArraySlice<UInt8> { written[sentCount...] }
  private var written: [UInt8]
  private var sentCount = 0
  /// To be closed as soon as the output is sent, and nothing more to be read.
  public private(set) var isOver = false

  private var input: [UInt8] = []
  /// Where the bytes begin that are not taken up yet.
  private var start = 0
  /// A command that was given out and waits for its answer.
  private var asked: (name: String, place: Int)?
  private var list: List?
  /// What a remote waits for; nil while it does not.
  private var waits: Set<Subsystem>?
  private var changed: Set<Subsystem> = []

  private struct List {
    let tellsEach: Bool
    var lines: [ArraySlice<UInt8>] = []
    var size = 0
    /// How many are given out; nil until the list is complete.
    var next: Int?
  }

  /// Greets.
  public init() {
    written = Array("OK MPD 0.23.5\n".utf8)
  }

  // MARK: - What comes and goes

  /// Takes what the remote sent.
  public mutating func receive(_ bytes: some Collection<UInt8>) {
    guard !isOver else { return }
    if start > 0, start == input.count || start > 1 << 16 {
      input.removeFirst(start)
      start = 0
    }
    input += bytes
    if input.count - start > Self.longestList { isOver = true }
  }

  /// Whether what was sent should be waited for before more is read.
  public var isBehind: Bool { asked != nil || input.count - start > 1 << 16 }

  /// So much of the output is on its way.
  public mutating func sent(_ count: Int) {
    sentCount += count
    guard sentCount == written.count else { return }
    written = []
    sentCount = 0
  }

  private mutating func say(_ text: String) {
    written += text.utf8
    if output.count > Self.mostOutput { isOver = true }
  }

  // MARK: - Requests and answers

  /// The next request; nil if there is none, or the last one is not answered.
  public mutating func next() -> Request? {
    while asked == nil, !isOver {
      if let list, let place = list.next {
        guard place < list.lines.count else {
          self.list = nil
          say("OK\n")
          continue
        }
        self.list?.next = place + 1
        if let request = request(list.lines[place], place: place) { return request }
        continue
      }
      guard let line = line() else { return nil }
      if let request = take(line) { return request }
    }
    return nil
  }

  /// A whole line without its end.
  private mutating func line() -> ArraySlice<UInt8>? {
    guard let end = input[start...].firstIndex(of: 0x0A) else {
      if input.count - start > Self.longestLine { isOver = true }
      return nil
    }
    var line = input[start..<end]
    start = end + 1
    if line.last == 0x0D { line = line.dropLast() }
    if line.count > Self.longestLine { isOver = true }
    return isOver ? nil : line
  }

  private mutating func take(_ line: ArraySlice<UInt8>) -> Request? {
    let text = String(decoding: line.prefix(32), as: UTF8.self)
    if list != nil {
      if text == "command_list_end" {
        list?.next = 0
        return nil
      }
      list?.lines.append(line)
      list?.size += line.count + 16
      if list?.size ?? 0 > Self.longestList { isOver = true }
      return nil
    }
    switch text {
    case "command_list_begin": list = List(tellsEach: false)
    case "command_list_ok_begin": list = List(tellsEach: true)
    case "command_list_end":
      say(Refusal(.notList, "not in a list").line("command_list_end", place: 0))
    default: return request(line, place: 0)
    }
    return nil
  }

  private mutating func request(_ line: ArraySlice<UInt8>, place: Int) -> Request? {
    var name = ""
    do throws(Refusal) {
      let command = try CommandLine(line)
      name = command.name
      if waits != nil, name != "noidle" {
        // As MPD does: who waits may say nothing else.
        isOver = true
        return nil
      }
      let request = try Request(command)
      switch request {
      case .idle(let subsystems):
        if list != nil { throw Refusal(.notList, "idle can't be in a list") }
        waits = subsystems.isEmpty ? Set(Subsystem.allCases) : subsystems
        tellChanges()
        return nil
      case .noIdle:
        if waits != nil {
          waits = nil
          say("OK\n")
        }
        return nil
      case .close:
        isOver = true
        return nil
      default:
        asked = (name, place)
        return request
      }
    } catch {
      refuse(error, name, place)
      return nil
    }
  }

  /// Answers the request that was given out last.
  public mutating func answer(_ answer: Answer) {
    guard let (name, place) = asked else { return }
    asked = nil
    switch answer {
    case .lines(let lines):
      say(lines)
      if list == nil { say("OK\n") } else if list?.tellsEach == true { say("list_OK\n") }
    case .refused(let refusal): refuse(refusal, name, place)
    }
  }

  /// A command that fails ends its list.
  private mutating func refuse(_ refusal: Refusal, _ name: String, _ place: Int) {
    list = nil
    say(refusal.line(printable(name), place: place))
  }

  // MARK: - Waiting

  /// Something has changed that remotes may wait for.
  public mutating func noteChange(_ subsystem: Subsystem) {
    changed.insert(subsystem)
    tellChanges()
  }

  private mutating func tellChanges() {
    guard let waits else { return }
    let news = Subsystem.allCases.filter { waits.contains($0) && changed.contains($0) }
    guard !news.isEmpty else { return }
    for subsystem in news {
      changed.remove(subsystem)
      say("changed: \(subsystem.rawValue)\n")
    }
    self.waits = nil
    say("OK\n")
  }
}
