import Glibc
import Synchronization

@testable import Audio

/// Test material in a folder of its own, made by the encoders when first asked for.
enum Corpus {
  static let folder: String = {
    var template = Array("/tmp/decoders-XXXXXX".utf8CString)
    let made = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
    atexit { _ = Corpus.run("rm", "-rf", Corpus.folder) }
    return made
  }()

  /// Six tracks cut at odd frames from one signal.
  struct Album {
    let signal: Signal
    let lengths: [Int]
    let name: String

    static let cd = Album(rate: 44100, name: "cd")
    static let dat = Album(rate: 48000, name: "dat")

    private init(rate: Int, name: String) {
      lengths = [100_001, 1152 * 60, 4096 * 21 + 1, 13_671, 1152 * 70 - 1, 60_171]
      signal = .music(rate: rate, frames: lengths.reduce(0, +))
      self.name = name
    }

    /// The first frame of each track, and the end of the last.
    var cuts: [Int] { lengths.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) } }
    var tracks: [Signal] { (0..<lengths.count).map { signal.cut(cuts[$0]..<cuts[$0 + 1]) } }
  }

  /// Writes a file of a name in the folder and returns its path.
  static func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = folder + "/" + name
    let file = fopen(path, "wb")
    guard let file else { throw Failure("can't write \(path)") }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw Failure("can't write \(path)")
    }
    return path
  }

  static func bytes(_ path: String) throws -> [UInt8] {
    let input = try InputFile(Array(path.utf8))
    return input.bytes(at: 0, count: input.size)
  }

  /// The files of an encoding of an album, encoded once a run.
  static func files(_ encoding: Encoding, of album: Album) throws -> [String] {
    try encoded.withLock { known in
      let key = "\(album.name)-\(encoding.rawValue)"
      if let paths = known[key] { return paths }
      let sources = try album.tracks.enumerated().map { index, track in
        try write("\(album.name)-\(index + 1).wav", track.wav())
      }
      try makeFolder(folder + "/" + key)
      let paths = (1...sources.count).map { "\(folder)/\(key)/\($0).\(encoding.suffix)" }
      try encoding.encode(sources, to: paths, in: folder + "/" + key)
      known[key] = paths
      return paths
    }
  }

  /// One signal encoded by ffmpeg with these options; the name's suffix says the container.
  static func ffmpeg(_ signal: Signal, _ name: String, _ options: String...) throws -> String {
    let source = try write(name + ".wav", signal.wav())
    let target = folder + "/" + name
    try tool("ffmpeg", ["-v", "error", "-y", "-nostdin", "-i", source] + options + [target])
    return target
  }

  static func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw Failure("can't make \(path)") }
  }

  /// Runs a program to its end; throws if it fails.
  static func tool(_ name: String, _ arguments: [String]) throws {
    let status = run([name] + arguments)
    guard status == 0 else {
      throw Failure("\(name) \(arguments.joined(separator: " ")): status \(status)")
    }
  }

  @discardableResult
  static func run(_ words: String...) -> Int32 { run(words) }

  @discardableResult
  static func run(_ words: [String]) -> Int32 {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    guard posix_spawnp(&process, words[0], nil, nil, arguments, environ) == 0 else { return -1 }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }

  private static let encoded = Mutex<[String: [String]]>([:])
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// All samples of a decoder from where it is, in reads of `frames`.
func decode(_ decoder: any Decoder, reading frames: Int = 4096) throws -> [Float] {
  var all: [Float] = []
  while true {
    let piece = try read(decoder, frames)
    if piece.isEmpty { return all }
    all += piece
  }
}

/// One read of at most `frames`.
func read(_ decoder: any Decoder, _ frames: Int) throws -> [Float] {
  let channels = decoder.format.channels
  var buffer = [Float](repeating: .nan, count: frames * channels)
  var span = buffer.mutableSpan
  let count = try decoder.read(into: &span)
  return Array(buffer[..<(count * channels)])
}
