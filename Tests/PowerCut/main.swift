// PowerCut JUKEBOX ROUNDS SEED: kills a scan and a writer of facts at random points, over and over.
//
// After each cut the library must open, pass SQLite's own check, and know every fact that the writer
// was told is committed. The writer is this program itself, as PowerCut write LIBRARY SEED: it says
// each fact before it is entered, and "ok" when that has returned. A cut in between may go either way.
import Glibc
import Jukebox
import Library

/// A small generator with a fixed seed (Steele and others, 2014).
struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(1, bytes, bytes.count)
}

func writeFacts(_ library: Path, _ seed: UInt64) throws -> Never {
  var dice = Dice(state: seed)
  let catalogue = try Catalogue(library)
  let tracks = try catalogue.tracks(Query(includesAway: true))
  while true {
    guard let fact = Fact.random(tracks, using: &dice) else { exit(0) }
    say(fact.line)
    try fact.enter(into: catalogue)
    say("ok")
  }
}

/// A tree of files that changes from round to round.
struct Tree {
  let root: Path
  private var files: [Path] = []
  private var made = 0

  init(_ root: Path) {
    self.root = root
  }

  mutating func change(using dice: inout Dice) throws {
    for _ in 0..<Int.random(in: 0...60, using: &dice) where files.count > 100 {
      let gone = files.remove(at: Int.random(in: 0..<files.count, using: &dice))
      unlink(gone.description)
    }
    for _ in 0..<Int.random(in: 1...200, using: &dice) where files.count < 800 {
      made += 1
      let folder = root.appending(Path("Band \(made % 17)/Album \(made % 5)"))
      try folder.makeFolders()
      let file = folder.appending(Path("\(made % 30) Title \(made).wav"))
      // Each of its own length, so that none is taken for one that was there.
      try file.write(silence(bytes: 4 * made))
      files.append(file)
    }
  }

  /// A WAV file (Microsoft's RIFF specification of 1991), 16-bit stereo at 44.1 kHz.
  private func silence(bytes count: Int) -> [UInt8] {
    func little(_ value: Int) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return Array("RIFF".utf8) + little(36 + count) + Array("WAVEfmt ".utf8) + little(16)
      + [1, 0, 2, 0] + little(44100) + little(176_400) + [4, 0, 16, 0] + Array("data".utf8)
      + little(count) + [UInt8](repeating: 0, count: count)
  }
}

func cut(_ jukebox: String, rounds: Int, seed: UInt64) throws -> Int32 {
  var template = Array("/tmp/powercut-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { return 1 }
  let work = Path(template.map { UInt8(bitPattern: $0) })
  defer { _ = Child(["rm", "-rf", work.description])?.end() }
  let library = work.appending(Path("library.db"))
  var dice = Dice(state: seed)
  var tree = Tree(work.appending(Path("music")))
  var known = Knowledge()
  var (facts, cutScans, cutWrites) = (0, 0, 0)
  for round in 0..<rounds {
    try tree.change(using: &dice)
    guard
      let scan = Child([
        jukebox, "scan", "--quiet", "--library", library.description, tree.root.description,
      ]),
      let writer = Child([
        CommandLine.arguments[0], "write", library.description, "\(dice.next())",
      ])
    else { return 1 }
    usleep(UInt32.random(in: 0...80_000, using: &dice))
    for child in Bool.random(using: &dice) ? [scan, writer] : [writer, scan] { child.kill() }
    if !scan.end().isWhole { cutScans += 1 }
    var before = known
    var isOpen = false
    for line in writer.end().output.split(separator: "\n") {
      if line == "ok" {
        (before, isOpen) = (known, false)
        facts += 1
      } else if let fact = Fact(line: line) {
        before = known
        known.learn(fact)
        isOpen = true
      }
    }
    if isOpen { cutWrites += 1 } else { before = known }
    let catalogue = try Catalogue(library)
    if let aside = catalogue.setAside {
      say("round \(round), seed \(seed): the library was damaged, see \(aside)")
      return 1
    }
    try catalogue.checkThoroughly(isStrict: true)
    let found = try Knowledge(of: catalogue, like: known)
    // A fact that was being entered is there or is not.
    guard found == known || found == before.restOf(known) else {
      say("round \(round), seed \(seed): \(known.difference(from: found))")
      return 1
    }
    if found != known { known = before }
  }
  say(
    "\(rounds) cuts, of \(cutScans) scans and \(cutWrites) writes; \(facts) facts committed, none lost"
  )
  return 0
}

let words = CommandLine.arguments
switch words.count {
case 4 where words[1] == "write":
  try writeFacts(Path(words[2]), UInt64(words[3]) ?? 0)
case 4:
  guard let rounds = Int(words[2]), let seed = UInt64(words[3]) else { fallthrough }
  exit(try cut(words[1], rounds: rounds, seed: seed))
default:
  say("usage: PowerCut JUKEBOX ROUNDS SEED")
  exit(2)
}
