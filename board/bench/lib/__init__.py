"""What the benchmarks share: players on a fake card, measures of a process, music, tables."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "Tests/Support"), str(ROOT / "Tests/Support/fakecard")]
