#!/usr/bin/env python3
"""Makes the music that tests and benchmarks play, and checks joins in what was rendered from it.

  corpus.py gapless OUT [ENCODING]...    one signal cut at odd frames into six tracks, in each encoding;
                                         OUT/manifest.json says where the cuts are
  corpus.py long OUT [--minutes 10]      one long piece as MP3 320k, FLAC, Vorbis q6 and AAC 256k
  corpus.py gapcheck OUT ENCODING WAV    what a player made of the six tracks, rendered or captured to WAV:
                                         frames added or lost at head, joins and tail, and the error there

Needs python3-numpy, ffmpeg, lame, flac, oggenc, opusenc, wavpack. The same bytes of sound come out each time.
"""
import argparse
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import wave

import numpy

# Lengths of the six tracks in frames: none a multiple of a codec's frame but the last ones of MP3's.
LENGTHS = [321_931, 1152 * 210, 4096 * 61 + 1, 26_901, 1152 * 300 - 1, 265_350]
# What an MP3 decoder puts in front; a good player takes it off even where no tag tells of more.
MP3_DECODER_DELAY = 529


# MARK: - Sound

def music(frames, rate, first=0, seed=1):
    """Stereo frames from number `first` on of a piece that never repeats: chords, a bass, noise on the beat.

    Every block depends on its place and the seed alone, and joins its neighbours without a step.
    """
    t = (numpy.arange(first, first + frames) / rate)[:, None]
    pan = numpy.array([[0.0, 0.7]])
    out = numpy.zeros((frames, 2))
    for voice, (pitch, drift) in enumerate([(110.0, 0.071), (164.8, 0.113), (220.3, 0.059),
                                            (277.9, 0.093), (329.1, 0.127), (61.7, 0.031)]):
        # A slow glide, so that no two seconds are alike, and loudness that breathes.
        phase = 2 * numpy.pi * (pitch * t - pitch * 0.09 / (2 * numpy.pi * drift)
                                * numpy.cos(2 * numpy.pi * drift * t + seed + voice)) + pan * voice
        loudness = 0.6 + 0.4 * numpy.sin(2 * numpy.pi * t * (0.21 + 0.037 * voice) + voice)
        for harmonic, level in ((1, 1.0), (2, 0.4), (3, 0.25), (5, 0.12), (8, 0.05)):
            out += 0.045 * loudness * level * numpy.sin(harmonic * phase)
    out += 0.12 * beats(first, frames, rate, seed)
    return out


def beats(first, frames, rate, seed):
    """A short burst of noise twice a second, soft at its start, each unlike the others."""
    out = numpy.zeros((frames, 2))
    step, size = rate // 2, rate // 4
    envelope = numpy.exp(-numpy.arange(size) / (0.05 * rate))[:, None]
    envelope[:64] *= numpy.sin(numpy.linspace(0, numpy.pi / 2, 64))[:, None] ** 2
    for beat in range(first // step - 1, (first + frames) // step + 1):
        if beat < 0:
            continue
        noise = numpy.random.default_rng((seed, beat)).uniform(-1, 1, (size, 2)) * envelope
        start = beat * step - first
        low, high = max(0, start), min(frames, start + size)
        if low < high:
            out[low:high] += noise[low - start:high - start]
    return out


def integers(samples):
    return numpy.clip(numpy.round(samples * 32767), -32768, 32767).astype("<i2")


def write_wav(path, frames, rate):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(frames.tobytes())


def read_wav(path):
    """Frames as float64, full scale at 1, and the rate; integer of 16 to 32 bit, or 32-bit float."""
    data = pathlib.Path(path).read_bytes()
    place, form, samples = 12, None, b""
    while place + 8 <= len(data):
        name, size = data[place:place + 4], struct.unpack("<I", data[place + 4:place + 8])[0]
        body = data[place + 8:place + 8 + size]
        if name == b"fmt ":
            form = struct.unpack("<HHIIHH", body[:16])
        elif name == b"data":
            samples = body
        place += 8 + size + size % 2
    _, channels, rate, _, width, bits = form
    samples = samples[: len(samples) // width * width]
    if bits == 16:
        values = numpy.frombuffer(samples, "<i2") / 2.0**15
    elif bits == 24:
        octets = numpy.frombuffer(samples, numpy.uint8).reshape(-1, 3).astype(numpy.int32)
        values = (octets[:, 0] << 8 | octets[:, 1] << 16 | octets[:, 2] << 24) / 2.0**31
    elif form[0] == 3 or form[0] == 0xFFFE and b"\x03\x00\x00\x00\x00\x00\x10\x00" in data[:80]:
        values = numpy.frombuffer(samples, "<f4").astype(float)
    else:
        values = numpy.frombuffer(samples, "<i4") / 2.0**31
    return values.reshape(-1, channels), rate


# MARK: - Encodings

def run(*command):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout}")


def ffmpeg(source, target, *options):
    run("ffmpeg", "-v", "error", "-y", "-i", source, "-bitexact", *options, target)


def lame(source, target, *options):
    run("lame", "--quiet", *options, source, target)


def lame_nogap(sources, folder):
    run("lame", "--quiet", "-b", "192", "--nogap", *sources, "--nogapout", folder)


def aac_smpb(source, target):
    """AAC as iTunes writes it: no edit list, and the encoder's delay, padding and length in a tag."""
    plain = target.with_suffix(".plain.m4a")
    ffmpeg(source, plain, "-c:a", "aac", "-b:a", "192k", "-use_editlist", "0")
    with wave.open(str(source)) as file:
        frames = file.getnframes()
    delay = 1024
    padding = -(frames + delay) % 1024
    tag = f" 00000000 {delay:08X} {padding:08X} {frames:016X}" + " 00000000" * 8
    boxes = parse_boxes(plain.read_bytes())
    moov = child(boxes, b"moov")
    for track in [box for box in moov if box[0] == b"trak"]:
        track[1][:] = [box for box in track[1] if box[0] != b"edts"]
    moov[:] = [box for box in moov if box[0] != b"udta"]
    value = [(b"mean", b"\0" * 4 + b"com.apple.iTunes"), (b"name", b"\0" * 4 + b"iTunSMPB"),
             (b"data", b"\0\0\0\1\0\0\0\0" + tag.encode())]
    handler = b"\0" * 8 + b"mdirappl" + b"\0" * 9
    meta = b"\0" * 4 + serialise([(b"hdlr", handler), (b"ilst", [(b"----", value)])])
    moov.append((b"udta", [(b"meta", meta)]))
    target.write_bytes(serialise(boxes))
    plain.unlink()


CONTAINERS = {b"moov", b"trak", b"edts", b"mdia", b"minf", b"stbl"}


def parse_boxes(data):
    """MP4 boxes as [name, body]; the body of a container is a list of such again. `moov` must come last."""
    boxes, place = [], 0
    while place + 8 <= len(data):
        size, name = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + (size or len(data))]
        boxes.append((name, parse_boxes(body) if name in CONTAINERS else body))
        place += size or len(data)
    return boxes


def child(boxes, name):
    return next(body for kind, body in boxes if kind == name)


def serialise(boxes):
    out = b""
    for name, body in boxes:
        body = serialise(body) if isinstance(body, list) else body
        out += struct.pack(">I4s", len(body) + 8, name) + body
    return out


AAC = ("-c:a", "aac", "-b:a", "192k")
# Name: (suffix, rate, lossless, where a player can be exact by what the file tells, how to encode one track).
ENCODINGS = {
    "wav": ("wav", 44100, True, "throughout", shutil.copy),
    "aiff": ("aiff", 44100, True, "throughout", ffmpeg),
    "flac": ("flac", 44100, True, "throughout", lambda s, t: run("flac", "--silent", "-f", "-o", t, s)),
    "alac": ("m4a", 44100, True, "throughout", lambda s, t: ffmpeg(s, t, "-c:a", "alac")),
    "wavpack": ("wv", 44100, True, "throughout", lambda s, t: run("wavpack", "-q", "-y", s, "-o", t)),
    "mp3-cbr128": ("mp3", 44100, False, "throughout", lambda s, t: lame(s, t, "-b", "128")),
    "mp3-cbr320": ("mp3", 44100, False, "throughout", lambda s, t: lame(s, t, "-b", "320")),
    "mp3-v2": ("mp3", 44100, False, "throughout", lambda s, t: lame(s, t, "-V", "2")),
    "mp3-v0": ("mp3", 44100, False, "throughout", lambda s, t: lame(s, t, "-V", "0")),
    "mp3-abr": ("mp3", 44100, False, "throughout", lambda s, t: lame(s, t, "--abr", "190")),
    "mp3-lavc": ("mp3", 44100, False, "throughout",
                 lambda s, t: ffmpeg(s, t, "-c:a", "libmp3lame", "-q:a", "3")),
    "mp3-notag": ("mp3", 44100, False, "nowhere", lambda s, t: lame(s, t, "-b", "192", "-t")),
    "mp3-nogap": ("mp3", 44100, False, "joins", None),
    "vorbis": ("ogg", 44100, False, "throughout",
               lambda s, t: run("oggenc", "-Q", "-q", "6", "-s", "1", s, "-o", t)),
    "opus": ("opus", 48000, False, "throughout",
             lambda s, t: run("opusenc", "--quiet", "--serial", "1", "--bitrate", "160", s, t)),
    "aac-elst": ("m4a", 44100, False, "throughout", lambda s, t: ffmpeg(s, t, *AAC)),
    "aac-elst-ts": ("m4a", 44100, False, "throughout",
                    lambda s, t: ffmpeg(s, t, *AAC, "-movie_timescale", "44100")),
    "aac-smpb": ("m4a", 44100, False, "throughout", aac_smpb),
}


def make_gapless(out, wanted):
    out.mkdir(parents=True, exist_ok=True)
    cuts = [sum(LENGTHS[:n]) for n in range(len(LENGTHS) + 1)]
    sources = {}
    for rate in sorted({ENCODINGS[name][1] for name in wanted}):
        whole = integers(music(cuts[-1], rate))
        write_wav(out / f"source-{rate}.wav", whole, rate)
        sources[rate] = []
        for number, (start, end) in enumerate(zip(cuts, cuts[1:]), 1):
            path = out / "cuts" / str(rate) / f"{number:02}.wav"
            path.parent.mkdir(parents=True, exist_ok=True)
            write_wav(path, whole[start:end], rate)
            sources[rate].append(path)
    encodings = {}
    for name in wanted:
        suffix, rate, lossless, exact, encode = ENCODINGS[name]
        folder = out / name
        folder.mkdir(exist_ok=True)
        files = [folder / f"{number:02}.{suffix}" for number in range(1, len(LENGTHS) + 1)]
        if encode:
            for source, target in zip(sources[rate], files):
                encode(source, target)
        else:
            lame_nogap(sources[rate], folder)
        encodings[name] = {"rate": rate, "lossless": lossless, "exact": exact,
                           "files": [str(file.relative_to(out)) for file in files]}
    manifest = {"lengths": LENGTHS, "cuts": cuts, "mp3DecoderDelay": MP3_DECODER_DELAY,
                "sources": {str(rate): f"source-{rate}.wav" for rate in sources}, "encodings": encodings}
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


def make_long(out, minutes):
    out.mkdir(parents=True, exist_ok=True)
    source, rate = out / "long.wav", 44100
    with wave.open(str(source), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        for second in range(0, minutes * 60, 10):
            file.writeframes(integers(music(10 * rate, rate, first=second * rate)).tobytes())
    jobs = [["lame", "--quiet", "-b", "320", source, out / "long.mp3"],
            ["flac", "--silent", "-f", "-o", out / "long.flac", source],
            ["oggenc", "-Q", "-q", "6", "-s", "1", source, "-o", out / "long.ogg"],
            ["ffmpeg", "-v", "error", "-y", "-i", source, "-c:a", "aac", "-b:a", "256k", out / "long.m4a"]]
    for first in (0, 2):
        running = [subprocess.Popen([str(word) for word in job], stdin=subprocess.DEVNULL)
                   for job in jobs[first:first + 2]]
        if any(process.wait() for process in running):
            sys.exit("an encoder failed")
    source.unlink()


# MARK: - Checking joins

def lag(original, rendered, start, size, reach):
    """By how many frames a stretch of the original lies later in what was rendered; None if not there."""
    stretch = original[start:start + size].mean(axis=1)
    low = max(0, start - reach)
    area = rendered[low:start + size + reach].mean(axis=1)
    if len(area) < size:
        return None
    points = 1 << (len(area) + size).bit_length()
    product = numpy.fft.rfft(area, points) * numpy.conj(numpy.fft.rfft(stretch, points))
    correlation = numpy.fft.irfft(product, points)[: len(area) - size + 1]
    powers = numpy.concatenate(([0], numpy.cumsum(area**2)))
    norm = numpy.sqrt((powers[size:] - powers[:-size]) * (stretch**2).sum()) + 1e-12
    best = int(numpy.argmax(correlation / norm))
    return best + low - start if correlation[best] / norm[best] > 0.5 else None


def gapcheck(manifest, original, rendered, reach=9000, size=8192, around=512):
    """What a player did at head, joins and tail: frames added (lost: below 0) and ratios of errors."""
    cuts, found = manifest["cuts"], {"joins": [], "errors": []}
    lags = []
    for start, end in zip(cuts, cuts[1:]):
        edge = min(2048, (end - start - size) // 2)
        guess = (lags[-1][1] or 0) if lags else 0
        shifted = lambda place: lag(original, rendered[max(0, guess):], place, size, reach)
        head, tail = shifted(start + edge), shifted(end - edge - size)
        lags.append(tuple(None if x is None else x + max(0, guess) for x in (head, tail)))
    if any(x is None for pair in lags for x in pair):
        return {"lost": [n + 1 for n, pair in enumerate(lags) if None in pair]}
    found["head"] = lags[0][0]
    found["inside"] = [tail - head for head, tail in lags]
    found["joins"] = [later[0] - earlier[1] for earlier, later in zip(lags, lags[1:])]
    found["tail"] = len(rendered) - (cuts[-1] + lags[-1][1])
    if not any(found["joins"]) and not any(found["inside"]):
        start = found["head"]
        aligned = rendered[max(0, start):][: cuts[-1]]
        piece = original[max(0, -start):][: len(aligned)]
        error = ((aligned[: len(piece)] - piece) ** 2).sum(axis=1)
        totals = numpy.concatenate(([0], numpy.cumsum(error)))
        sums = lambda place: totals[min(place + around, len(error))] - totals[place - around]
        rms = lambda place: numpy.sqrt(sums(place) / around / 2)
        elsewhere = [rms(place) for place in range(around, len(error) - around, 2 * around)]
        usual = float(numpy.median(elsewhere)) + 1e-9
        found["errors"] = [round(float(rms(cut) / usual), 2) for cut in cuts[1:-1]]
        found["worstElsewhere"] = round(float(max(elsewhere) / usual), 2)
        found["largestError"] = float(numpy.sqrt(error.max(initial=0)))
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    gapless = commands.add_parser("gapless")
    gapless.add_argument("out", type=pathlib.Path)
    gapless.add_argument("encoding", nargs="*", help="of " + ", ".join(ENCODINGS))
    long = commands.add_parser("long")
    long.add_argument("out", type=pathlib.Path)
    long.add_argument("--minutes", type=int, default=10)
    check = commands.add_parser("gapcheck")
    check.add_argument("out", type=pathlib.Path)
    check.add_argument("encoding", choices=ENCODINGS)
    check.add_argument("wav", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.command == "gapless":
        make_gapless(arguments.out, arguments.encoding or list(ENCODINGS))
    elif arguments.command == "long":
        make_long(arguments.out, arguments.minutes)
    else:
        manifest = json.loads((arguments.out / "manifest.json").read_text())
        rate = manifest["encodings"][arguments.encoding]["rate"]
        original, _ = read_wav(arguments.out / manifest["sources"][str(rate)])
        rendered, found = read_wav(arguments.wav)
        if found != rate:
            sys.exit(f"{arguments.wav} has {found} Hz, the tracks {rate}")
        print(json.dumps(gapcheck(manifest, original, rendered)))


if __name__ == "__main__":
    main()
