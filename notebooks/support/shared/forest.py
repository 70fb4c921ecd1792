"""Published shares beside measured ones: each as a mark, with what decides whether they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from roundtrip.claims.repeatability import source_spreads
from roundtrip.outputs import outcomes_words
from roundtrip.present.chapter import RATE
from roundtrip.present.figure import Figure
from roundtrip.present.measured.agreement import compared, factor_words, margin_of, source_spread
from roundtrip.present.measured.means import Measured, Share, share_of
from roundtrip.present.numbers import Quantity
from roundtrip.present.plot.chart import chart
from roundtrip.present.plot.rows import Number
from roundtrip.present.theme import Style, style_of

HERE = "measured here"


@dataclass(frozen=True)
class Compared:
    """One case of a comparison.

    Attributes
    ----------
    name : str
        Of the case.
    share : Share
        As measured.
    published : mapping
        Who published a share to that share, in percent; empty where nobody did.
    """

    name: str
    share: Share
    published: Mapping[str, Quantity]


def forest(
    here: Measured, cases: Sequence[Compared], *, what: str, of: str, caption: str
) -> Figure | None:
    """Draw measured shares with their intervals, and published ones with the margin of agreement.

    Parameters
    ----------
    here : Measured
        Its campaign gives the margin.
    cases : sequence of Compared
        From top to bottom.
    what : str
        What is compared, for the title, which goes on with how the comparisons came out.
    of : str
        What 100 % is.

    Returns
    -------
    Figure or None
        None without a case.
    """
    outcomes: Counter[str] = Counter()
    rows = []
    for case in cases:
        for who, value in case.published.items():
            found = compared(here, value, case.share, name=case.name)
            outcomes[found.outcome] += 1
            number = _published(here, value, found.sides.reach if found.sides else 1.0)
            rows.append({"case": case.name, "who": who, "share": number})
        rows.append({"case": case.name, "who": HERE, "share": _measured(here, case.share)})
    if not rows:
        return None
    told = f"Measured here: {what}"
    caption += " Hollow with a line: measured here, with its 95\u00a0% interval."
    printed = [value for case in cases for value in case.published.values()]
    if printed:
        withheld = "withheld" in outcomes
        came_out = "measured beside published" if withheld else outcomes_words(outcomes)
        told = f"{what}: {came_out}"
        caption += " Solid: published"
        margin = margin_of(here)
        if margin.points and not margin.withheld:
            reach = f"a factor of {factor_words(margin.factor)} either way"
            if any(source_spread(here, value) for value in printed):
                reach += ", minus the scatter of repeated tests in the source"
            repeating = source_spreads(here.chapter.observations)
            cells = [cell for value in printed for cell in value.cells]
            if any(cell.partition("/")[0] not in repeating for cell in cells):
                reach += " (for a source that repeats none, the largest scatter of another source)"
            caption += f"; its line is the margin of agreement, {reach}"
        caption += "."
    return chart(
        here.chapter, pd.DataFrame(rows), mark="dot", horizontal=True, x="case", y="share",
        series="who", styles=_styles(here, cases), reference=(100, of),
        y_title=f"Share of {of} (%)", x_title="",
        title=told, caption=caption, varied=None,
    )  # fmt: skip


def _styles(here: Measured, cases: Sequence[Compared]) -> dict[str, Style]:
    """Give whoever published the first styles, so that all such figures look alike."""
    names = [*dict.fromkeys(who for case in cases for who in case.published), HERE]
    return {
        name: style_of(name, position, here.chapter.project) for position, name in enumerate(names)
    }


def variants_forest(
    here: Measured, by: str, *, baseline: Any, published: Mapping[Any, Quantity],
    what: str, of: str, caption: str, levels: Sequence[Any] | None = None,
    **factors: Any,
) -> Figure | None:  # fmt: skip
    """Draw the rate of each variant as a share of the baseline, published and measured.

    Parameters
    ----------
    by : str
        The factor whose levels are the variants.
    published : mapping
        Level to its published share of the published baseline, in percent.
    what, of, caption : str
        As for `forest`.
    levels : sequence, optional
        Of `by`, in the order to show; all that were measured, ascending, when left out.

    Returns
    -------
    Figure or None
        None where nothing was measured.
    """
    if not here.exists:
        return None
    cases = []
    for level in here.levels(by, **factors) if levels is None else levels:
        share = share_of(here, {**factors, by: level}, {**factors, by: baseline}, RATE, "mean")
        if level == baseline or share is None:
            continue
        printed = {"published": published[level]} if level in published else {}
        cases.append(Compared(here.chapter.level(by, level), share, printed))
    return forest(here, cases, what=what, of=of, caption=caption)


def _measured(here: Measured, share: Share) -> Number:
    found, shown = share.interval, here.chapter.write(share.quantity)
    if not found.known:
        return Number(share.quantity, shown, share.quantity.value, share.quantity.value)
    low, high = 100 * found.low, 100 * found.high
    return Number(share.quantity, shown + share.words(here.chapter), low, high)


def _published(here: Measured, printed: Quantity, reach: float) -> Number:
    shown, write = here.chapter.write(printed), here.chapter.numbers.write
    low, high = printed.value / reach, printed.value * reach
    if low < high:
        shown += f" (agrees from {write(low)} to {write(high)}\u00a0%)"
    return Number(printed, shown, low, high)
