"""How far a repetition agrees: ``python benchmarks/repetition.py OLD NEW``.

OLD and NEW are folders of campaigns, as ``data/campaigns`` is one, of the same plans and profile,
such as the committed ones and those that ``make campaign`` has just made. Two tables come out:

- for each plan, by which factor the shares have changed that any two of its operating points form
  (the rate of the one over that of the other); and the same over all plans, where each point counts
  alike;
- what the report says of published shares beside each set, both made by this working tree: how many
  verdicts have the same words, and how many contradict each other, which is: both decide on the
  direction, or both on the size, and not in the same way.
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
import shutil
import sys
import tempfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

from build import Bench

SHARES = (0.5, 0.9, 0.95)

VERDICTS = {
    # words: (direction agrees, size agrees); None where it is not decided
    r"Agree within a factor of \d\.\d+\.": (True, True),
    r"The direction agrees, the magnitude does not\.": (True, False),
    r"The direction differs\.": (False, False),
    r"The source shows no difference, the measurement does\.": (False, False),
    r"The size does not agree: no difference here\.": (None, False),
    r"Inconclusive on the size[^;]*?; the direction agrees\.": (True, None),
    r"Inconclusive on the size: here over published [\d.]+ to [\d.]+, margin [\d.]+ to \d\.\d+\.": (
        None, None,
    ),
    r"Inconclusive: one run each\.": (None, None),
}  # fmt: skip
_VERDICT = re.compile("|".join(VERDICTS))


def rates(campaign: Path) -> pd.Series[float]:
    """Give the mean logarithm of the rate of each operating point of a campaign."""
    frame = pd.read_csv(campaign / "points.csv", dtype={"run": str}, low_memory=False)
    rows = frame[(frame["metric"] == "round_trip_rate") & (frame["statistic"] == "mean")]
    if "interval" in rows:
        rows = rows[rows["interval"].isna()]
    rows = rows[rows["value"] > 0]
    points = rows["run"].str.replace(r"-r\d+$", "", regex=True)  # its number ends a run's name
    return rows["value"].map(math.log).groupby(points).mean()


def changes(old: Path, new: Path) -> tuple[np.ndarray, int]:
    """Give by how much the logarithm of each share of two points has changed, and their number."""
    before, after = rates(old), rates(new)
    change = (after - before).dropna().to_numpy()
    pairs = itertools.combinations(change, 2)
    return np.array([abs(one - other) for one, other in pairs]), len(change)


def shares_table(old: Path, new: Path) -> Table:
    """Lay out for each plan by which factor shares have changed."""
    table = Table(title="Factor by which the share of two points changed", title_justify="left")
    table.add_column("Campaign", no_wrap=True)
    table.add_column("Points", justify="right")
    for share in SHARES:
        table.add_column(f"{100 * share:g} % within", justify="right")
    every, weights = [], []
    for campaign in sorted(path.parent for path in old.glob("*/points.csv")):
        again = new / campaign.name
        if not (again / "points.csv").is_file():
            continue
        found, points = changes(campaign, again)
        if not len(found):
            continue
        table.add_row(campaign.name, str(points), *_factors(found, np.ones(len(found))))
        every.append(found)
        weights.append(np.full(len(found), 2 / (points - 1)))
    if not every:
        sys.exit(f"{old} and {new} have no campaign in common")
    table.add_section()
    whole = round(sum(float(weight.sum()) for weight in weights))
    table.add_row("all", str(whole), *_factors(np.concatenate(every), np.concatenate(weights)))
    return table


def _factors(found: np.ndarray, weights: np.ndarray) -> list[str]:
    levels = np.quantile(found, SHARES, weights=weights, method="inverted_cdf")
    return [f"{factor:.2f}" for factor in np.exp(levels)]


def verdicts(bench: Bench, campaigns: Path) -> list[tuple[str, str]]:
    """Build the report with other campaigns, and give what it says: page and verdict, in order."""
    from bs4 import BeautifulSoup

    bench.forget()
    target = bench.project / "data" / "campaigns"
    shutil.rmtree(target)
    shutil.copytree(campaigns, target)
    bench.build()
    (report,) = (bench.project / "reports").iterdir()
    return [
        (page.name, words)
        for page in sorted((report / "html").glob("*.html"))
        for item in BeautifulSoup(page.read_bytes(), "html.parser").select("main p, main li")
        if not item.find(["p", "li"])
        for words in _VERDICT.findall(" ".join(item.get_text().split()))
    ]


def verdicts_table(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> Table:
    """Count what the pages say of both sets."""
    table = Table(title="Verdicts on published shares, by page", title_justify="left")
    table.add_column("Page", no_wrap=True)
    for name in ("Verdicts", "Same words", "More or less decided", "Contradict"):
        table.add_column(name, justify="right")
    total: Counter[str] = Counter()
    for page in sorted({page for page, _ in old + new}):
        before, after = ([words for of, words in side if of == page] for side in (old, new))
        if len(before) != len(after):
            table.add_row(page, f"{len(before)} and {len(after)}", "", "", "")
            continue
        counts = Counter(map(_compared, before, after))
        total += counts
        table.add_row(page, *_counted(counts))
    table.add_section()
    table.add_row("all", *_counted(total))
    return table


def _compared(before: str, after: str) -> str:
    if before == after:
        return "same"
    was, now = (
        next(what for pattern, what in VERDICTS.items() if re.fullmatch(pattern, words))
        for words in (before, after)
    )
    parts = zip(was, now, strict=True)
    apart = any(None not in (one, other) and one != other for one, other in parts)
    return "contradict" if apart else "decided"


def _counted(counts: Counter[str]) -> list[str]:
    return [str(counts.total()), *(str(counts[key]) for key in ("same", "decided", "contradict"))]


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    arguments = parser.parse_args()
    console = Console()
    if not console.is_terminal:
        console.width = 112
    console.print(shares_table(arguments.old, arguments.new))
    if find_spec("bs4") is None:  # the first table needs none of the development packages
        sys.exit("the verdicts are read with beautifulsoup4: make setup-dev installs it")
    with tempfile.TemporaryDirectory(prefix="roundtrip-bench-") as folder:
        bench = Bench(Path(folder))
        with console.status("Building the report with each set"):
            old, new = (verdicts(bench, side) for side in (arguments.old, arguments.new))
    console.print(verdicts_table(old, new))


if __name__ == "__main__":
    main()
