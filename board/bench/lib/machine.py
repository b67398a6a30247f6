"""A made-up board with a GPIO chip, and the real jukebox run on it, for root; see Tests/Support/fakegpio."""
import os
import pathlib
import socket
import subprocess
import tempfile
import time

from . import ROOT
from .players import alsa_configuration, jukebox_binary

LABEL = "pinctrl-bcm2835"


# In mounts of its own: a /dev with a GPIO chip, and what libgpiod reads of it in /sys. Whose device it is does not
# matter, as its ioctls never come to the kernel.
SCRIPT = """
set -e
mkdir "$BOARD/dev"
mount -t tmpfs none "$BOARD/dev"
cp -a /dev/null /dev/zero /dev/urandom "$BOARD/dev"
mkdir "$BOARD/dev/shm"
mount --bind /dev/shm "$BOARD/dev/shm"
mknod "$BOARD/dev/gpiochip0" c 1 3
mount --rbind "$BOARD/dev" /dev
mount -t tmpfs none /sys/bus
mkdir -p /sys/bus/gpio/devices/gpiochip0
echo 1:3 >/sys/bus/gpio/devices/gpiochip0/dev
LD_PRELOAD=$FAKEGPIO_MODULE exec "$@"
"""


class Board:
    """As a context; leaving it ends all that runs on it. `high` are the lines that something pulls up."""

    def __init__(self, folder, settings, high, options=()):
        self.folder = pathlib.Path(folder)
        self.settings, self.high, self.options = settings, high, options

    def __enter__(self):
        # In memory: the chip's log must not wait for a disk, since the player would with it.
        self.memory = tempfile.TemporaryDirectory(prefix="jukebox-bench-", dir="/dev/shm")
        self.pipe = pathlib.Path(self.memory.name, "chip")
        os.mkfifo(self.pipe)
        (self.folder / "settings.toml").write_text(self.settings)
        module = subprocess.run([ROOT / "Tests/Support/fakegpio/build.sh", self.folder / "module"], check=True,
                                capture_output=True, text=True).stdout.strip()
        first = ";".join([f"label {LABEL}"] + [f"level {line} 1" for line in self.high])
        environment = {**alsa_configuration(self.folder / "fakecard"), "RUNTIME_DIRECTORY": str(self.folder),
                       "BOARD": str(self.folder), "FAKEGPIO": str(self.pipe), "FAKEGPIO_MODULE": module,
                       "FAKEGPIO_FIRST": first}
        command = ["unshare", "--mount", "sh", "-c", SCRIPT, "board", jukebox_binary(), "run", "--state",
                   self.folder / "state", "--config", self.folder / "settings.toml", "--device",
                   f"fake:{self.folder}/card", *self.options]
        self.process = subprocess.Popen(command, env=environment, stderr=open(self.folder / "errors", "wb"))
        self.chip = os.open(self.pipe, os.O_RDWR)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.chip)
        self.memory.cleanup()

    def ask(self, command):
        """The pairs of an answer on the socket."""
        with socket.socket(socket.AF_UNIX) as remote:
            while remote.connect_ex(str(self.folder / "socket")):
                if self.process.poll() is not None:
                    raise RuntimeError(f"the board is gone: {(self.folder / 'errors').read_text()}")
                time.sleep(0.01)
            remote.sendall(command.encode() + b"\nclose\n")
            text = remote.makefile().read()
        return dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)

    def set(self, line, is_high):
        """A line's level changes, at the time when the chip takes it."""
        os.write(self.chip, f"level {line} {int(is_high)}\n".encode())

    def levels(self):
        """All that lines were set to: (line, level, nanoseconds), by time."""
        words = (entry.split() for entry in self.pipe.with_suffix(".log").read_text().splitlines())
        return sorted(((int(a), int(b), int(c)) for a, b, c in words), key=lambda entry: entry[2])
