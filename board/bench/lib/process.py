"""Measures of a whole process, by what the kernel counts."""
import pathlib
import time
from dataclasses import dataclass


@dataclass
class Use:
    """What a process used over a stretch of time."""
    seconds: float
    cpu: float  # seconds of CPU, user and system, of all threads that ever were
    wakeups: float  # times a second that a thread slept and was woken
    threads: int
    anonymous: float  # MiB of memory that no file backs
    resident: float  # MiB

    @property
    def cpu_an_hour(self):
        return self.cpu / self.seconds * 3600


def cpu_seconds(pid):
    """The process's CPU clock, which counts threads that ended too."""
    return time.clock_gettime(((~pid) << 3) | 2)


def status(path):
    return dict(line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)


def switches(pid):
    """Voluntary context switches of each thread there is."""
    counts = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            counts[task.name] = int(status(task / "status")["voluntary_ctxt_switches"])
        except (FileNotFoundError, ProcessLookupError):
            pass
    return counts


def watch(pid, seconds):
    """The use of a process over the next seconds."""
    began, cpu, before = time.monotonic(), cpu_seconds(pid), switches(pid)
    time.sleep(seconds)
    after, used, took = switches(pid), cpu_seconds(pid) - cpu, time.monotonic() - began
    memory = status(pathlib.Path(f"/proc/{pid}/status"))
    size = lambda key: int(memory[key].split()[0]) / 1024
    woken = sum(count - before.get(thread, 0) for thread, count in after.items())
    return Use(took, used, woken / took, len(after), size("RssAnon"), size("VmRSS"))
