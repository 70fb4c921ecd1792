"""How far a published ratio may be off: by as much as its source's repeated measurements differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from roundtrip.claims.repeatability import repetitions
from roundtrip.dictionary import RATES
from roundtrip.present.chapter import Chapter
from roundtrip.present.numbers import Quantity


def repeat_spreads(chapter: Chapter) -> dict[str, Quantity]:
    """Give the largest difference between rates that a report prints for one set-up, in percent.

    Returns
    -------
    dict
        Id of each report that prints two different ones, to the difference.
    """
    found = repetitions(chapter.observations)  # of each report, the largest spread comes last
    return {one.report: Quantity(one.spread, "%", one.cells, 1) for one in found}


def repeat_margin(chapter: Chapter, cells: Iterable[str]) -> str:
    """State the margin of ratios of published rates: what is inside it is no difference.

    Parameters
    ----------
    cells : iterable of str
        Observation ids of the rates; those that were measured count for nothing.

    Returns
    -------
    str
        A sentence for each source: how far the rates differ that it prints twice, or that it
        repeats none. Empty where nothing was published.
    """
    return " ".join(ratio_margins(chapter, cells, "; smaller differences count as no difference."))


def ratio_margins(chapter: Chapter, cells: Iterable[str], stop: str = ".") -> tuple[str, ...]:
    """State the margin of ratios of published rates in few words, for a figure or table.

    Parameters
    ----------
    cells : iterable of str
        As for `repeat_margin`, which explains what the margin is.
    stop : str
        What ends a sentence on how far rates differ.

    Returns
    -------
    tuple of str
        A sentence for each source, for the `margins` of the figure or table.
    """
    known, spreads = chapter.observations, repeat_spreads(chapter)
    pairs = Counter(one.report for one in repetitions(known))
    told = []
    for name in dict.fromkeys(cell.partition("/")[0] for cell in cells):
        if name not in known.report_ids:
            continue
        title, times = known.report(name).short_title, pairs[name]
        told.append(
            f"Rates of {title} printed twice on the same hosts differ by up to "
            f"{chapter.write(spreads[name])} ({times} pair{'s' * (times > 1)}){stop}"
            if name in spreads
            else f"No repeated measurement of {title} is printed, so the error of its ratios is "
            "unknown."
        )
    return tuple(dict.fromkeys(told))


def margins_of_ratios(chapter: Chapter, quantities: Iterable[Quantity | None]) -> tuple[str, ...]:
    """State the margin of those quantities that are ratios of published rates.

    Parameters
    ----------
    quantities : iterable of Quantity or None
        What is drawn or listed; what is no ratio of rates counts for nothing.

    Returns
    -------
    tuple of str
        As `ratio_margins`; empty where there is no such ratio.
    """
    ratios = [one.cells for one in quantities if one and one.unit in ("%", "") and one.cells[1:]]
    known = chapter.observations.rows_of({cell for cells in ratios for cell in cells})
    rates = set(known.loc[known["metric"].isin(RATES), "observation_id"])
    stated = [cells[0] for cells in ratios if rates.issuperset(cells)]
    return ratio_margins(chapter, stated)
