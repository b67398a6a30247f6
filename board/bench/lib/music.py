"""The music that benchmarks play, made once into a cache folder."""
import os
import pathlib
import subprocess

import numpy

from . import ROOT
import corpus


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "jukebox" / "bench"


def long_pieces(minutes=10):
    """Format name -> file, of one long piece."""
    folder = cache() / f"long-{minutes}"
    if not (folder / "done").exists():
        print(f"Making pieces of {minutes} minutes (once)", flush=True)
        corpus.make_long(folder, minutes)
        (folder / "done").touch()
    return {name: folder / f"long.{suffix}" for name, suffix in
            (("MP3", "mp3"), ("FLAC", "flac"), ("Vorbis", "ogg"), ("AAC", "m4a"))}


def smooth(seconds, rate=44100, seed=1):
    """Stereo frames of tones that glide, never the same; they rise from silence, so that no step is theirs."""
    t = numpy.arange(int(seconds * rate)) / rate
    out = numpy.zeros((len(t), 2))
    for voice, (pitch, drift) in enumerate([(190.0, 0.37), (271.0, 0.23), (330.0, 0.61)]):
        pitch *= 1 + 0.13 * seed
        phase = 2 * numpy.pi * pitch * t - pitch * 0.2 / drift * numpy.cos(2 * numpy.pi * drift * t + seed)
        out += 0.13 * numpy.sin(phase[:, None] + numpy.array([[0.0, 1.3]]) + voice)
    out[:256] *= numpy.linspace(0, 1, 256)[:, None]
    return out


def encode(frames, path, rate=44100):
    """Writes frames as the path's suffix says: wav, flac or mp3."""
    source = path.with_suffix(".wav")
    corpus.write_wav(source, corpus.integers(frames), rate)
    if path.suffix == ".flac":
        corpus.run("flac", "--silent", "-f", "-o", path, source)
    elif path.suffix == ".mp3":
        corpus.lame(source, path, "-b", "256")
    if path != source:
        source.unlink()


def decoded(path):
    """The frames of a file by a decoder that is none of the players': flac or mpg123 to 16 bit."""
    command = ["flac", "-s", "-d", "-c", path] if path.suffix == ".flac" else ["mpg123", "-q", "-w", "-", path]
    out = subprocess.run([str(w) for w in command], check=True, capture_output=True).stdout
    start = out.index(b"data") + 8
    return numpy.frombuffer(out[start:start + (len(out) - start) // 4 * 4], "<i2").reshape(-1, 2) / 2.0**15
