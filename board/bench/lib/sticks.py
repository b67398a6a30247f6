"""Sticks full of music, made once into the cache folder, and what it costs to go through them."""
import os
import pathlib
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass

from . import music
from .players import jukebox_binary
import stick


def tree(files, big=0, seconds=3):
    """A stick's folder of music; with so much sound in each file, since some programs read all of it."""
    folder = music.cache() / f"stick-{files}-{big}-{seconds}"
    if not (folder / "done").exists():
        print(f"Making a stick of {files} files (once)", flush=True)
        stick.Stick(folder, files, seed=1, big=big, seconds=seconds).make()
        (folder / "done").touch()
    return folder / "music"


@dataclass
class Cost:
    wall: float
    cpu: float
    read: int  # bytes that came off the disk
    memory: float  # MiB of anonymous memory at most


def run(command, **options):
    """What a command costs that runs to its end."""
    began = time.monotonic()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{command[0]} failed")
    return Cost(time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_inblock * 512,
                usage.ru_maxrss / 1024)


def jukebox_scan(library, root):
    return run([jukebox_binary(), "scan", "--quiet", "--library", library, root])


class MpdLibrary:
    """Debian's mpd with a database of its own and no output that makes sound."""

    def __init__(self, folder, root):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "mpd.conf").write_text(f"""
music_directory "{root}"
db_file "{self.folder}/db"
bind_to_address "{self.folder}/socket"
pid_file "{self.folder}/pid"
log_file "{self.folder}/log"
follow_outside_symlinks "no"
max_output_buffer_size "131072"
audio_output {{
  type "null"
  name "none"
}}
""")

    def __enter__(self):
        self.began = time.monotonic()
        self.process = subprocess.Popen(["mpd", "--no-daemon", str(self.folder / "mpd.conf")],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = socket.socket(socket.AF_UNIX)
        while self.socket.connect_ex(str(self.folder / "socket")) != 0:
            if self.process.poll() is not None or time.monotonic() - self.began > 30:
                raise RuntimeError("mpd does not start: " + (self.folder / "log").read_text())
            time.sleep(0.002)
        self.replies = self.socket.makefile("rb")
        self.replies.readline()
        self.ready = time.monotonic() - self.began
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def ask(self, line):
        """The answer's lines."""
        self.socket.sendall(line.encode() + b"\n")
        lines = []
        while answer := self.replies.readline():
            if answer.startswith((b"OK", b"ACK")):
                if answer.startswith(b"ACK"):
                    raise RuntimeError(f"mpd: {answer.decode()}")
                return lines
            lines.append(answer.decode("utf-8", "replace").rstrip("\n"))
        raise RuntimeError("mpd is gone")

    def cpu(self):
        return time.clock_gettime(((~self.process.pid) << 3) | 2)

    def wait_for_first_update(self):
        """MPD begins it by itself, some time after it is ready."""
        while not any(line.startswith(("updating_db", "db_update")) for line in
                      [*self.ask("status"), *(line for line in self.ask("stats") if line != "db_update: 0")]):
            time.sleep(0.01)
        self.wait_for_update()

    def wait_for_update(self):
        while any(line.startswith("updating_db") for line in self.ask("status")):
            time.sleep(0.01)

    def io(self):
        lines = pathlib.Path(f"/proc/{self.process.pid}/io").read_text().splitlines()
        return int(dict(line.split(": ") for line in lines)["read_bytes"])

    def anonymous(self):
        """MiB of memory of its own."""
        lines = pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("RssAnon")).split()[1]) / 1024

    def cost(self, work):
        """Of some work that it does."""
        began, cpu, read = time.monotonic(), self.cpu(), self.io()
        work()
        self.wait_for_update()
        return Cost(time.monotonic() - began, self.cpu() - cpu, self.io() - read, 0)
