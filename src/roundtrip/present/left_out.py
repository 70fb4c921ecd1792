"""Marked runs that a mean leaves out, where all of them were faster or slower than those kept."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import mean

from roundtrip.dictionary import RATES
from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.numbers import Quantity, shown_decimals


def left_out_words(chapter: Chapter, named: Iterable[tuple[str, Quantity]]) -> tuple[str, ...]:
    """Say for which rates it matters that marked runs are left out, and what all runs come to.

    That is where several are, and each was faster, or each slower, than every run that counts:
    one alone is often the fastest or the slowest by chance.

    Parameters
    ----------
    named : iterable of (str, Quantity)
        What is drawn or listed, with its name there. Of a ratio the first point is meant.

    Returns
    -------
    tuple of str
        A sentence for each.
    """
    known, told = chapter.observations, []
    for name, quantity in named:
        if quantity.kind != "measured" or not quantity.cells:
            continue
        source = quantity.cells[0].partition("/")[0]
        if source not in known.campaign_ids or not (replaced := known.campaign(source).replaced):
            continue
        first = known.rows_of(quantity.cells[:1]).iloc[0]
        if first["metric"] not in RATES or first["statistic"] != "mean":
            continue
        rates = known.choose(source=source, metric=first["metric"], statistic="mean")
        rates = rates[(rates["point_id"] == first["point_id"]) & rates["interval"].isna()]
        apart = rates["row_label"].isin(replaced) & ~rates["observation_id"].isin(quantity.cells)
        kept, out = rates.loc[~apart, "value"], rates.loc[apart, "value"]
        faster = len(out) > 1 and out.min() > kept.max()
        if not faster and not (len(out) > 1 and out.max() < kept.min()):
            continue
        scale = chapter.rate_scale if first["metric"] == RATE else 1
        value = scale * mean(rates["value"])
        digits = shown_decimals(chapter.dictionary, first["metric"], value)
        every = chapter.write(Quantity(value, chapter.unit(first["metric"]), (), digits))
        told.append(
            f"Left out as marked: {len(out)} of {len(rates)} runs of {name}, each "
            f"{'faster' if faster else 'slower'} than any run that counts; the mean of all is "
            f"{every}."
        )
    return tuple(dict.fromkeys(told))
