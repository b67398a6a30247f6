#!/usr/bin/env python3
"""Reads what a fake sound card heard: fakelog.py PREFIX prints its runs, silences and events.

PREFIX is the OUT of the card's PCM: PREFIX.log and PREFIX.raw, as fakecard.c describes them.
Times are seconds of CLOCK_MONOTONIC, as time.monotonic() gives them.
"""
import sys
from dataclasses import dataclass, field

import numpy


@dataclass
class Event:
    time: float
    name: str
    frame: int
    details: dict


@dataclass
class Run:
    """A stretch in which the card's clock ran: frame `first` was heard at `time`."""
    time: float
    first: int
    rate: float
    last: int = None  # one past its last frame; None while it still runs


@dataclass
class Format:
    """How frames from number `first` on lie in the capture, beginning at `byte`."""
    first: int
    byte: int
    rate: int
    channels: int
    format: str
    width: int = field(init=False)

    def __post_init__(self):
        self.width = {"S16_LE": 2, "S24_3LE": 3}.get(self.format, 4)

    def samples(self, raw):
        """The frames in `raw` as float64, full scale at 1: an array of frames by channels."""
        raw = raw[: len(raw) // (self.width * self.channels) * self.width * self.channels]
        if self.format == "S16_LE":
            values = numpy.frombuffer(raw, "<i2") / 2.0**15
        elif self.format == "S32_LE":
            values = numpy.frombuffer(raw, "<i4") / 2.0**31
        elif self.format == "S24_LE":
            values = (numpy.frombuffer(raw, "<i4") << 8) / 2.0**31
        elif self.format == "FLOAT_LE":
            values = numpy.frombuffer(raw, "<f4").astype(float)
        else:
            octets = numpy.frombuffer(raw, numpy.uint8).reshape(-1, 3).astype(numpy.int32)
            values = (octets[:, 0] << 8 | octets[:, 1] << 16 | octets[:, 2] << 24) / 2.0**31
        return values.reshape(-1, self.channels)


class FakeLog:
    """The log and capture of one card, read anew by each `FakeLog(prefix)`."""

    def __init__(self, prefix, speed=1.0):
        self.prefix = prefix
        self.events, self.runs, self.formats = [], [], []
        try:
            lines = open(prefix + ".log").read().split("\n")[:-1]
        except FileNotFoundError:
            lines = []
        for line in lines:
            time, name, frame, *rest = line.split()
            details = dict(word.split("=", 1) for word in rest if "=" in word)
            event = Event(float(time), name, int(frame), details)
            self.events.append(event)
            if name in ("start", "stop", "xrun", "pause", "gone", "close", "drained", "params"):
                if self.runs and self.runs[-1].last is None:
                    self.runs[-1].last = event.frame
            if name == "start":
                self.runs.append(Run(event.time, event.frame, int(details["rate"]) * speed))
            elif name == "params":
                self.formats.append(
                    Format(event.frame, int(details["byte"]), int(details["rate"]),
                           int(details["channels"]), details["format"]))

    def named(self, name):
        return [event for event in self.events if event.name == name]

    def time_heard(self, frame):
        """When a frame was heard; None if it was not."""
        for run in reversed(self.runs):
            if frame >= run.first and (run.last is None or frame < run.last):
                return run.time + (frame - run.first) / run.rate
        return None

    def frame_at(self, time):
        """The frame heard at a time; while the clock stands still, the next one to be heard."""
        for run in reversed(self.runs):
            if time >= run.time:
                frame = run.first + int((time - run.time) * run.rate)
                return frame if run.last is None else min(frame, run.last)
        return 0

    def format_of(self, frame):
        found = [f for f in self.formats if f.first <= frame]
        return found[-1] if found else None

    def samples(self, first=0, last=None):
        """Frames `first` up to `last`, all of one format: an array of frames by channels."""
        form = self.format_of(first)
        if form is None:
            return numpy.zeros((0, 2))
        for later in self.formats:
            if later.first > first and (later.width, later.channels) != (form.width, form.channels):
                last = later.first if last is None else min(last, later.first)
        size = form.width * form.channels
        with open(self.prefix + ".raw", "rb") as file:
            file.seek(form.byte + (first - form.first) * size)
            return form.samples(file.read() if last is None else file.read((last - first) * size))

    def times(self, frames):
        """When each frame of an array was heard; NaN for those that were not."""
        times = numpy.full(len(frames), numpy.nan)
        for run in self.runs:
            inside = (frames >= run.first) & (frames < (run.last or numpy.inf))
            times[inside] = run.time + (frames[inside] - run.first) / run.rate
        return times

    def silences(self, shortest=0.005, level=1e-4, first=0):
        """(time, seconds) of each stretch in which nothing above `level` was heard."""
        loud = numpy.flatnonzero(numpy.abs(self.samples(first)).max(axis=1, initial=0) > level)
        times = self.times(loud + first)
        gaps = numpy.diff(times)
        return [(times[i], gaps[i]) for i in numpy.flatnonzero(gaps >= shortest)]

    def first_changed(self, time, changed):
        """When the first frame was heard, from `time` on, that `changed` (frames -> bools) marks.

        `changed` sees the frames from the one heard at `time`, and answers for each. Where the card's
        clock stood still before any marked frame, that stop is the change. None if nothing changed.
        """
        first = self.frame_at(time)
        stops = [e.time for e in self.events
                 if e.time >= time and e.name in ("stop", "pause", "gone", "xrun")]
        marks = numpy.flatnonzero(changed(self.samples(first)))
        heard = self.time_heard(first + int(marks[0])) if len(marks) else None
        return min([t for t in (heard, *stops[:1]) if t is not None], default=None)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n", 1)[0])
    log = FakeLog(sys.argv[1])
    for event in log.events:
        details = " ".join(f"{key}={value}" for key, value in event.details.items())
        print(f"{event.time:.6f} {event.name:12} frame {event.frame} {details}")
    for time, seconds in log.silences():
        print(f"{time:.6f} silent for {seconds * 1000:.1f} ms")


if __name__ == "__main__":
    main()
