"""Checking a packet beside building its report: ``python benchmarks/verify.py [-n 3]``.

A report of this checkout is built if it is not there, and packed. Each row is a process of its own.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMAND = [sys.executable, "-m", "roundtrip"]


def timed(*arguments: str) -> float:
    """Run a command; give its seconds."""
    began = time.perf_counter()
    done = subprocess.run([*COMMAND, *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"roundtrip {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return time.perf_counter() - began


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
    base = None
    print(f"{'':28s}{'seconds':>10s}{'of verify':>11s}   each")
    for name, arguments in rows.items():
        seconds = [timed(*arguments) for _ in range(count)]
        rows_median = statistics.median(seconds)
        base = rows_median if name.startswith("verify, a") else base
        share = "" if base is None else f"{rows_median / base:11.2f}"
        print(
            f"{name:28s}{rows_median:10.2f}{share:>11s}   " + " ".join(f"{s:.2f}" for s in seconds)
        )


if __name__ == "__main__":
    main()
