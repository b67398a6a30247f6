// Fuzz NAME SECONDS SEED [FOLDER]: feeds mutations of small valid files to one entry.
//
// Prints the number of inputs; on a failure the seed and the input's number, which reproduce it.
import Audio
import Glibc

/// Something that takes files from strangers.
struct Entry {
  /// Valid files by the names of the tools that make them: program and arguments; `IN` is a WAV.
  let samples: [[String]]
  /// Takes an input from a path; returns what is wrong, nil if all is well.
  let take: (String, inout Mutator) -> String?
}

let decoders: [String: Entry] = [
  "mp3": Entry(
    samples: [
      ["lame", "--quiet", "-b", "64", "IN", "OUT.mp3"],
      ["lame", "--quiet", "-V5", "IN", "OUT.mp3"],
      ["lame", "--quiet", "-t", "-b", "32", "-m", "m", "IN", "OUT.mp3"],
    ], take: play),
  "wav": Entry(
    samples: [
      ["cp", "IN", "OUT.wav"], ffmpeg("-c:a", "pcm_f32le", "OUT.wav"),
      ffmpeg("-c:a", "pcm_s24le", "-ac", "6", "OUT.wav"),
      ffmpeg("-c:a", "adpcm_ima_wav", "OUT.wav"),
    ], take: play),
  "aiff": Entry(samples: [ffmpeg("OUT.aiff")], take: play),
  "flac": Entry(
    samples: [
      ["flac", "--silent", "--force", "-o", "OUT.flac", "IN"], ffmpeg("-ac", "1", "OUT.flac"),
    ], take: play),
  "opus": Entry(samples: [["opusenc", "--quiet", "IN", "OUT.opus"]], take: play),
  "vorbis": Entry(samples: [["oggenc", "--quiet", "-o", "OUT.ogg", "IN"]], take: play),
  "mp4": Entry(
    samples: [
      ffmpeg("-c:a", "aac", "OUT.m4a"), ffmpeg("-c:a", "alac", "OUT.m4a"),
      ffmpeg("-c:a", "aac", "-movflags", "+faststart", "OUT.m4a"),
    ], take: play),
  "container": Entry(
    samples: [
      ffmpeg("-c:a", "aac", "OUT.mkv"), ffmpeg("-c:a", "wmav2", "OUT.wma"),
      ffmpeg("-c:a", "wavpack", "OUT.wv"), ffmpeg("-c:a", "aac", "OUT.aac"), ffmpeg("OUT.tta"),
      ffmpeg("-c:a", "flac", "OUT.ogg"),
    ], take: play),
]

let arguments = CommandLine.arguments
let entries = decoders.merging(lists()) { decoder, _ in decoder }
guard arguments.count >= 4, let entry = entries[arguments[1]],
  let seconds = Int(arguments[2]), let seed = UInt64(arguments[3])
else {
  let names = entries.keys.sorted().joined(separator: "|")
  print("usage: Fuzz \(names) SECONDS SEED [FOLDER]")
  exit(2)
}
exit(fuzz(arguments[1], entry, seconds, seed, folder: arguments.count > 4 ? arguments[4] : nil))
