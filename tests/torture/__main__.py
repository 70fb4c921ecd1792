"""Attack the product for as long as asked, and count what came of it.

Each try has a seed of its own, made from the seed, its kind and its number: ``--seed 7 --kind disk
--first 12 --seconds 0`` repeats one alone.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random

from torture import ordeals, planted, texts, values
from torture.grounds import Grounds

KINDS: dict[str, Callable[[Grounds, Path, Random], str]] = {
    "kill": ordeals.kill,
    "change": ordeals.change,
    "disk": ordeals.disk,
    "hostile": texts.hostile,
    "secrets": planted.secrets,
    "values": values.values,
}


def main() -> int:
    """Go through the kinds of attacks in turn until the time is over; 1 if a fault was found."""
    parser = argparse.ArgumentParser(prog="torture", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="no new try after this time")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31))
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this kind")
    parser.add_argument("--first", type=int, default=1, help="number of the first try")
    given = parser.parse_args()
    kinds = given.kind or list(KINDS)
    print(f"seed {given.seed}", flush=True)
    outcomes: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        grounds = Grounds.made(Path(folder))
        end = time.monotonic() + given.seconds
        for number in count(given.first):
            for kind in kinds:
                if time.monotonic() > end and number > given.first:
                    return _summed_up(outcomes)
                outcomes[kind][_tried(grounds, kind, number, given.seed)] += 1
            if given.seconds == 0:
                return _summed_up(outcomes)
    raise AssertionError


def _tried(grounds: Grounds, kind: str, number: int, seed: int) -> str:
    """Try once; say what came of it, and print it when it is a fault."""
    place = grounds.folder / f"{kind}-{number}"
    place.mkdir()
    try:
        outcome = KINDS[kind](grounds, place, Random(f"{seed}:{kind}:{number}"))
    except Exception:
        print(f"FAULT in {kind}, seed {seed}, try {number}:\n{traceback.format_exc()}", flush=True)
        outcome = "fault"
    print(f"{kind} {number}: {outcome}", flush=True)
    grounds.clear(place)
    return outcome


def _summed_up(outcomes: dict[str, Counter[str]]) -> int:
    faults = 0
    for kind, counts in outcomes.items():
        said = ", ".join(f"{number} {outcome}" for outcome, number in counts.most_common())
        print(f"{kind:<8} {counts.total():>4} tries: {said}")
        faults += counts["fault"]
    print(f"{faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
