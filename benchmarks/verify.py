"""Checking a packet beside building its report: ``python benchmarks/verify.py [-n 3]``.

A report of this checkout is built if it is not there, and packed. Each row is a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMAND = [sys.executable, "-m", "roundtrip"]


def timed(*arguments: str) -> tuple[float, float]:
    """Run a command; give its seconds by the clock, and of the processors."""
    began, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*COMMAND, *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"roundtrip {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        time.perf_counter() - began,
        now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime,
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("-n", type=int, default=3, help="repetitions")
    count = parser.parse_args().n
    timed("build", "--overwrite")
    timed("pack")
    archive = str(max((ROOT / "reports").glob("*.zip"), key=lambda path: path.stat().st_mtime))
    rows = {
        "build, everything kept": ["build"],
        "pack": ["pack"],
        "verify, a sample of 200": ["verify", archive],
        "verify --all": ["verify", archive, "--all"],
        "diff with itself": ["diff", archive, archive],
    }
    print(f"{'':28s}{'seconds':>10s}{'CPU seconds':>13s}   each")
    for name, arguments in rows.items():
        times = [timed(*arguments) for _ in range(count)]
        clock, used = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name:28s}{clock:10.2f}{used:13.2f}   " + " ".join(f"{t[0]:.2f}" for t in times))


if __name__ == "__main__":
    main()
