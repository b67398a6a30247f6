"""Jukebox, MPD, mpv and mpg123, each playing on a fake card of its own."""
import fcntl
import json
import os
import pathlib
import pty
import shutil
import signal
import socket
import struct
import subprocess
import termios
import threading
import time

from . import ROOT
from fakelog import FakeLog


def alsa_configuration(folder):
    """Builds the fake card; the environment that has it."""
    path = subprocess.run([ROOT / "Tests/Support/fakecard/build.sh", str(folder)], check=True,
                          capture_output=True, text=True).stdout.strip()
    return {**os.environ, "ALSA_CONFIG_PATH": path}


def jukebox_binary():
    """The release build: JUKEBOX, or what board/try or board/test built."""
    for path in (os.environ.get("JUKEBOX"), ROOT / ".build/release/jukebox", ROOT / ".build/check/release/jukebox"):
        if path and pathlib.Path(path).exists():
            return str(path)
    return None


class Player:
    """A process that plays a list of files. Commands return once they are sent.

    `started` is the time of exec. Times are of CLOCK_MONOTONIC. A player is a context; leaving it ends the process.
    """
    name = ""
    program = ""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / f"{self.name}-{time.monotonic_ns()}"
        self.folder.mkdir(parents=True)
        self.prefix = str(self.folder / "card")
        self.environment = alsa_configuration(self.folder.parent / "fakecard")
        self.process = None

    @classmethod
    def is_there(cls):
        return shutil.which(cls.program) is not None

    @property
    def card(self):
        return f"fake:{self.prefix}"

    def log(self):
        return FakeLog(self.prefix)

    def spawn(self, command, **options):
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [str(word) for word in command], env=self.environment,
            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options})

    def wait_until(self, is_so, seconds=10):
        """Whether something came to be so in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if is_so():
                return True
            time.sleep(0.01)
        return False

    def wait_for_sound(self, seconds=10):
        if not self.wait_until(self.starts, seconds):
            raise RuntimeError(f"{self.name} plays nothing")

    def starts(self):
        """When the card's clock started, since exec."""
        return [event.time for event in self.log().named("start") if event.time > self.started]

    def first_sound(self):
        """Seconds from exec until the card's clock started."""
        self.wait_for_sound()
        return self.starts()[0] - self.started

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Jukebox(Player):
    """By the keys of its terminal."""
    name = "jukebox"
    options = ()

    @classmethod
    def is_there(cls):
        return jukebox_binary() is not None

    def play(self, files):
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
        self.terminal = leader
        self.spawn([jukebox_binary(), "play", "--device", self.card, "--rewind", "always", *self.options, *files],
                   stdin=follower, stdout=follower, stderr=subprocess.DEVNULL,
                   start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(follower)
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self):
        try:
            while os.read(self.terminal, 65536):
                pass
        except OSError:
            pass

    def key(self, keys):
        os.write(self.terminal, keys)

    def next(self): self.key(b"n")
    def forward(self): self.key(b"\x1b[C")
    def back(self): self.key(b"\x1b[D")
    def pause(self): self.key(b" ")
    def resume(self): self.key(b" ")
    def quieter(self): self.key(b"-")
    def louder(self): self.key(b"+")
    def mute(self): self.key(b"m")
    def unmute(self): self.key(b"m")
    stop = None


class Mpd(Player):
    """Debian's, with its default settings, on a Unix socket."""
    name = program = "mpd"
    extra = ""

    def configuration(self):
        (self.folder / "mpd.conf").write_text(f"""
bind_to_address "{self.folder}/socket"
pid_file "{self.folder}/pid"
state_file "{self.folder}/state"
log_file "{self.folder}/mpd.log"
audio_output {{
  type "alsa"
  name "card"
  device "{self.card}"
  mixer_type "software"
}}
{self.extra}
""")

    def boot(self):
        """Starts the server, which goes on with what its state file has."""
        self.configuration()
        self.spawn(["mpd", "--no-daemon", self.folder / "mpd.conf"])

    def connect(self):
        if not self.wait_until((self.folder / "socket").exists):
            raise RuntimeError("mpd does not listen")
        self.socket = socket.socket(socket.AF_UNIX)
        self.wait_until(lambda: self.socket.connect_ex(str(self.folder / "socket")) == 0)
        self.replies = self.socket.makefile("rb")
        self.replies.readline()

    def play(self, files):
        self.boot()
        self.connect()
        self.refused = [file for file in files if not self.ask(f'add "{file}"')]
        self.ask("play")

    def ask(self, line):
        """Sends a command and waits for its answer; whether it was taken."""
        self.socket.sendall(line.encode() + b"\n")
        while answer := self.replies.readline():
            if answer.startswith((b"OK", b"ACK")):
                return answer.startswith(b"OK")
        return False

    def next(self): self.ask("next")
    def forward(self): self.ask("seekcur +5")
    def back(self): self.ask("seekcur -5")
    def pause(self): self.ask("pause 1")
    def resume(self): self.ask("pause 0")
    def quieter(self): self.ask("setvol 80")
    def louder(self): self.ask("setvol 100")
    def mute(self): self.ask("setvol 0")
    def unmute(self): self.ask("setvol 100")
    def stop(self): self.ask("stop")


class Mpv(Player):
    """By JSON on a Unix socket."""
    name = program = "mpv"

    def play(self, files):
        self.spawn(["mpv", "--no-config", "--no-video", "--no-terminal", "--ao=alsa", "--gapless-audio=yes",
                    f"--audio-device=alsa/{self.card}", f"--input-ipc-server={self.folder}/socket", *files])
        path = self.folder / "socket"
        self.socket = socket.socket(socket.AF_UNIX)
        if not self.wait_until(lambda: path.exists() and self.socket.connect_ex(str(path)) == 0):
            raise RuntimeError("mpv does not listen")
        self.replies = self.socket.makefile("rb")
        threading.Thread(target=lambda: [None for _ in self.replies], daemon=True).start()

    def ask(self, *command):
        self.socket.sendall(json.dumps({"command": command}).encode() + b"\n")

    def next(self): self.ask("playlist-next")
    def forward(self): self.ask("seek", 5, "relative+exact")
    def back(self): self.ask("seek", -5, "relative+exact")
    def pause(self): self.ask("set_property", "pause", True)
    def resume(self): self.ask("set_property", "pause", False)
    def quieter(self): self.ask("set_property", "volume", 80)
    def louder(self): self.ask("set_property", "volume", 100)
    def mute(self): self.ask("set_property", "mute", True)
    def unmute(self): self.ask("set_property", "mute", False)
    def stop(self): self.ask("stop")


class Mpg123(Player):
    """Plays its list and takes no commands."""
    name = program = "mpg123"

    def play(self, files):
        self.spawn(["mpg123", "-q", "-o", "alsa", "-a", self.card, *files])


def present(*players):
    """Those of the players that are installed; says which are not."""
    for player in players:
        if not player.is_there():
            print(f"{player.name} is not here and left out"
                  + (": build it with board/try" if player is Jukebox else f": apt-get install {player.name}"))
    return [player for player in players if player.is_there()]
