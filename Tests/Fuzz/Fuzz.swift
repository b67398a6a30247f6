import Audio
import Glibc

/// The arguments of ffmpeg for a sample.
func ffmpeg(_ options: String...) -> [String] {
  ["ffmpeg", "-v", "error", "-y", "-nostdin", "-i", "IN"] + options
}

/// Opens, reads, seeks and reads on; nothing may be out of range or out of time.
func play(_ path: String, _ random: inout Mutator) -> String? {
  // A file may also claim to continue itself.
  let previous = random.below(4) == 0 ? path : nil
  guard let decoder = try? AudioFile.open(path, after: previous) else { return nil }
  for _ in 0..<4 {
    do throws(DecoderError) {
      for _ in 0..<40 {
        let before = decoder.position
        let channels = decoder.format.channels
        guard channels > 0, channels <= 4096, decoder.format.rate > 0 else { return "no format" }
        var buffer = [Float](repeating: .nan, count: (1 + random.below(4000)) * channels)
        var span = buffer.mutableSpan
        let frames = try decoder.read(into: &span)
        if frames == 0 { break }
        guard frames > 0, frames * channels <= buffer.count else { return "read \(frames) frames" }
        guard decoder.position == before + frames else { return "position \(decoder.position)" }
        // Not a number is not within, either.
        guard buffer[..<(frames * channels)].allSatisfy({ abs($0) <= 8 }) else {
          return "a sample out of range"
        }
      }
      let target = random.below(4) == 0 ? Int.max : random.below(100_000)
      try decoder.seek(to: target)
      guard decoder.position >= 0 else { return "position \(decoder.position)" }
    } catch {
      break
    }
  }
  return bounce(path)
}

/// Plays it to a file, through all that is between a decoder and the card.
private func bounce(_ path: String) -> String? {
  let bounce = Bounce(to: Array((path + ".wav").utf8), format: .int16, rate: 44_100, volume: 0)
  let item = Item(id: 0, source: Source(path: path))
  do throws(SoundFileError) {
    _ = try bounce.render(item, from: .zero, next: { nil }, report: { _ in })
    return nil
  } catch {
    return "\(error)"
  }
}

/// Runs an entry for some seconds; returns the exit code.
func fuzz(
  _ name: String, _ entry: Entry, _ seconds: Int, _ seed: UInt64, folder: String?
) -> Int32 {
  var template = Array("/tmp/fuzz-XXXXXX".utf8CString)
  guard let made = mkdtemp(&template) else { return 1 }
  let work = String(cString: made)
  defer { run(["rm", "-rf", work]) }
  var samples: [[UInt8]] = []
  if let folder {
    samples = list(folder).sorted().map { bytes(folder + "/" + $0) }
  } else {
    let source = work + "/in.wav"
    save(sound(), to: source)
    for (number, words) in entry.samples.enumerated() {
      let target = { (word: String) in work + "/\(number)" + word.dropFirst(3) }
      run(words.map { $0 == "IN" ? source : $0.hasPrefix("OUT") ? target($0) : $0 })
      if let word = words.first(where: { $0.hasPrefix("OUT") }) {
        samples.append(bytes(target(word)))
      }
    }
  }
  guard !samples.isEmpty, samples.allSatisfy({ !$0.isEmpty }) else {
    print("\(name): no samples")
    return 1
  }
  let end = now() + Double(seconds)
  var number = 0
  while now() < end {
    var random = Mutator(seed: seed, number: number)
    let input = random.mutate(samples[random.below(samples.count)], with: samples)
    let path = work + "/input"
    save(input, to: path)
    // Said first: a crash leaves no time to say it.
    progress(name, seed, number)
    // Processor time, since the machine may be busy; what waits for ever is ended by board/test.
    let start = now(CLOCK_PROCESS_CPUTIME_ID)
    let wrong = entry.take(path, &random)
    let took = now(CLOCK_PROCESS_CPUTIME_ID) - start
    if let wrong = wrong ?? (took > 2 ? "took \(took) s" : nil) {
      let kept = "/tmp/fuzz-\(name)-\(seed)-\(number)"
      save(input, to: kept)
      print("\(name): \(wrong), seed \(seed), input \(number), kept in \(kept)")
      return 1
    }
    number += 1
  }
  print("\(name): \(number) inputs")
  return 0
}

/// What a crash leaves on the screen: the input that was being taken.
private func progress(_ name: String, _ seed: UInt64, _ number: Int) {
  current = "\(name): crashed, seed \(seed), input \(number)\n"
  if number == 0 {
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGTRAP] {
      Glibc.signal(signal) { code in
        current.utf8.withContiguousStorageIfAvailable { _ = write(1, $0.baseAddress, $0.count) }
        Glibc.signal(code, SIG_DFL)
        raise(code)
      }
    }
  }
}

nonisolated(unsafe) private var current = ""

/// A third of a second of two tones and noise, as a WAV.
private func sound() -> [UInt8] {
  var random = Mutator(seed: 1, number: 0)
  var data: [UInt8] = []
  for frame in 0..<14_700 {
    for pitch in [0.05, 0.071] {
      let value = Int(9000 * sin(Double(frame) * pitch)) + random.below(2000)
      data += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }
  }
  func little(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  return Array("RIFF".utf8) + little(36 + data.count) + Array("WAVEfmt ".utf8) + little(16)
    + [1, 0, 2, 0] + little(44100) + little(176_400) + [4, 0, 16, 0]
    + Array("data".utf8) + little(data.count) + data
}

private func now(_ clock: clockid_t = CLOCK_MONOTONIC) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

private func save(_ bytes: [UInt8], to path: String) {
  guard let file = fopen(path, "wb") else { return }
  fwrite(bytes, 1, bytes.count, file)
  fclose(file)
}

func bytes(_ path: String) -> [UInt8] {
  guard let file = fopen(path, "rb") else { return [] }
  defer { fclose(file) }
  var all = [UInt8](repeating: 0, count: 4 << 20)
  let count = fread(&all, 1, all.count, file)
  return Array(all[..<count])
}

private func list(_ folder: String) -> [String] {
  guard let directory = opendir(folder) else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    if !name.hasPrefix(".") { names.append(name) }
  }
  return names
}

private func run(_ words: [String]) {
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
  arguments.append(nil)
  defer { for argument in arguments { free(argument) } }
  var process = pid_t()
  guard posix_spawnp(&process, words[0], nil, nil, arguments, environ) == 0 else { return }
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0, errno == EINTR {}
}
