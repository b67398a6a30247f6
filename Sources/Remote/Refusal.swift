/// Why a command is not obeyed: a number of MPD's (src/protocol/Ack.hxx) and a sentence.
public struct Refusal: Error, Equatable, Sendable {
  public enum Kind: Int, Sendable {
    case notList = 1
    case argument = 2
    case unknown = 5
    case missing = 50
    case system = 52
    case notPlaying = 55
  }

  public var kind: Kind
  public var sentence: String

  public init(_ kind: Kind, _ sentence: String) {
    self.kind = kind
    self.sentence = sentence
  }

  /// The answer's line; `place` is the command's in its list, from 0.
  func line(_ command: String, place: Int) -> String {
    "ACK [\(kind.rawValue)@\(place)] {\(command)} \(sentence)\n"
  }
}
