internal import CTOML

/// Where something stands in a file; both count from 1, columns in characters.
public struct Place: Hashable, Comparable, Sendable {
  public var line: Int
  public var column: Int

  public static func < (left: Place, right: Place) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// A value of a TOML document, and where it stands.
struct TOMLValue: Equatable {
  struct Member: Equatable {
    var key: String
    var keyPlace: Place
    var value: TOMLValue
  }

  enum Content: Equatable {
    case table([Member])
    case array([TOMLValue])
    case string(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    /// A date or a time, which no setting wants.
    case time
  }

  var content: Content
  var place: Place
}

/// Why a text is not TOML.
struct TOMLFailure: Error, Equatable {
  var sentence: String
  var place: Place
}

extension TOMLValue {
  /// The members of the document's outermost table, in their order; ctoml_parse.
  static func members(of text: [CChar]) throws(TOMLFailure) -> [Member] {
    var tree = Tree()
    let isTOML = unsafe (text + [0]).withUnsafeBufferPointer { bytes in
      unsafe withUnsafeMutablePointer(to: &tree) { tree in
        unsafe ctoml_parse(
          bytes.baseAddress, text.count, tree,
          { context, node in
            guard let context = unsafe context, let node = unsafe node?.pointee else { return }
            unsafe context.assumingMemoryBound(to: Tree.self).pointee.take(Node(node))
          },
          { context, sentence, count, place in
            guard let context = unsafe context, let sentence = unsafe sentence else { return }
            unsafe context.assumingMemoryBound(to: Tree.self).pointee.failure = TOMLFailure(
              sentence: unsafe string(sentence, count), place: Place(place))
          })
      }
    }
    if let failure = tree.failure { throw failure }
    precondition(isTOML, "ctoml_parse failed without a word")
    return tree.open[0].members
  }

  /// The tables and arrays that have not ended yet, the innermost last.
  private struct Tree {
    struct Branch {
      var key = ""
      var keyPlace = Place(line: 1, column: 1)
      var place = Place(line: 1, column: 1)
      var isTable = true
      var members: [Member] = []
    }

    var open = [Branch()]
    var failure: TOMLFailure?

    mutating func take(_ node: Node) {
      let content: Content
      switch node.kind {
      case CTOML_TABLE, CTOML_ARRAY:
        open.append(
          Branch(
            key: node.key, keyPlace: node.keyPlace, place: node.place,
            isTable: node.kind == CTOML_TABLE))
        return
      case CTOML_END:
        guard let branch = open.popLast() else { return }
        content = branch.isTable ? .table(branch.members) : .array(branch.members.map(\.value))
        add(branch.key, branch.keyPlace, TOMLValue(content: content, place: branch.place))
        return
      case CTOML_STRING: content = .string(node.text)
      case CTOML_INTEGER: content = .integer(node.integer)
      case CTOML_FLOAT: content = .float(node.real)
      case CTOML_BOOLEAN: content = .boolean(node.integer != 0)
      default: content = .time
      }
      add(node.key, node.keyPlace, TOMLValue(content: content, place: node.place))
    }

    private mutating func add(_ key: String, _ keyPlace: Place, _ value: TOMLValue) {
      open[open.count - 1].members.append(Member(key: key, keyPlace: keyPlace, value: value))
    }
  }

  /// A ctoml_node, copied while it lives.
  private struct Node {
    var kind: ctoml_kind
    var key: String
    var keyPlace: Place
    var place: Place
    var text: String
    var integer: Int64
    var real: Double

    init(_ node: ctoml_node) {
      kind = unsafe node.kind
      key = unsafe node.key.map { unsafe string($0, node.key_count) } ?? ""
      keyPlace = unsafe Place(node.key_place)
      place = unsafe Place(node.place)
      text = unsafe node.text.map { unsafe string($0, node.text_count) } ?? ""
      integer = unsafe node.integer
      real = unsafe node.real
    }
  }
}

private func string(_ text: UnsafePointer<CChar>, _ count: Int) -> String {
  unsafe UnsafeRawBufferPointer(start: text, count: count).withMemoryRebound(to: UInt8.self) {
    unsafe String(decoding: $0, as: UTF8.self)
  }
}

extension Place {
  fileprivate init(_ place: ctoml_place) {
    self.init(line: Int(place.line), column: Int(place.column))
  }
}
