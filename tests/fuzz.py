"""Search for cases that break a property, with fresh seeds, for as long as asked.

A case that is found belongs into the test as an ``@example``, which then runs every time.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Run all property tests with one seed after another; stop at the first failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="no new round after this time")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31), help="the first seed")
    parser.add_argument("pytest", nargs="*", help="more arguments for pytest, after --")
    given = parser.parse_args()
    end = time.monotonic() + given.seconds
    rounds = 0
    while not rounds or time.monotonic() < end:
        seed = given.seed + rounds
        print(f"round {rounds + 1}, seed {seed}", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-m", "hypothesis", "-p", "no:cacheprovider",
             "--numprocesses", "logical", "--hypothesis-profile", "fuzz",
             f"--hypothesis-seed={seed}", *given.pytest], cwd=ROOT,
        )  # fmt: skip
        if done.returncode:
            print(f"found with seed {seed}; again: python tests/fuzz.py --seconds 0 --seed {seed}")
            return done.returncode
        rounds += 1
    print(f"nothing found in {rounds} rounds, seeds {given.seed} to {given.seed + rounds - 1}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
