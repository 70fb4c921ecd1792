"""How far the models of ``roundtrip size`` err: ``python benchmarks/sizing.py``.

Leaves out each message size, delay, CipherSpec, machine and curve of the published systems in turn,
predicts it from the rest, and prints by what is asked, what was left out, and source

- how many values were predicted, the median and the 90th percentile of their errors;
- the share of them within the 90 % interval that the errors of all other systems give.

Aim: a median of at most 10 % for rates between measured sizes and delays, and 85 to 95 % covered.
"""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from roundtrip.observations import load_observations
from roundtrip.project import Project
from roundtrip.sizing.systems import find_systems
from roundtrip.sizing.validation import errors, held_out

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    cases = held_out(*find_systems(load_observations(Project(ROOT))))
    table = Table("Asked", "Left out", "Source", "Values", "Median", "90th percentile", "Covered")
    for row in errors(cases):
        shares = (f"{100 * share:.1f} %" for share in (row.median, row.high, row.covered))
        table.add_row(row.what, row.kind, row.source, f"{row.cases:,}", *shares)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
