"""What a comparison of measured variants answers, point by point."""

from __future__ import annotations

from typing import Any

import pandas as pd

from roundtrip.present.arguments import checked
from roundtrip.present.chapter import RATE, Text
from roundtrip.present.measured.means import Measured, Share, differing, share_of
from roundtrip.present.measured.variants import refuse_impossible

_FAMILY = "Significance is adjusted for the number of comparisons (Holm 1979)."


@checked
def variants_answer(here: Measured, by: str, *, baseline: Any, **factors: Any) -> Text | None:
    """Say of each variant whether it is faster than the baseline, at every point of both.

    The shares are those of `variants_table`. All of them are one family: the more there are, the
    clearer a difference must be. Where a mandatory rule of method fails, or a point was run once,
    the shares stand without a conclusion.

    Parameters
    ----------
    by : str
        The factor whose levels are the variants, such as releases.
    baseline : level of `by`
        What the others are compared with.
    **factors
        Values of the other factors that vary; all of their points are told where left out.

    Returns
    -------
    Text or None
        A sentence for one comparison, a list for several; None when none was measured.

    Raises
    ------
    ChapterError
        If there is no such factor, or `by` cannot have the baseline.
    """
    if not here.exists:
        return None
    refuse_impossible(here, by, [baseline], "variants_answer: baseline")
    chapter = here.chapter
    rows = here.rows({"metric": RATE, "statistic": "mean", "interval": None, **factors})
    plan = here.manifest.plan if here.manifest else None
    planned = {name for part in (plan.factors, *plan.parts) for name in part} if plan else set()
    # What was not planned may come with a variant, such as the version with the product.
    among = rows.groupby(by)
    names = [
        name for name in (*chapter.dictionary.factors, "campaign")
        if name != by and (
            (among[name].nunique(dropna=False) > 1).any()
            or (name in planned and rows[name].nunique(dropna=False) > 1)
        )
    ]  # fmt: skip
    points = rows[names].drop_duplicates().sort_values(names) if names else pd.DataFrame([{}])
    found: list[tuple[str, Any, Share]] = []
    for point in points.to_dict("records"):
        at = {str(name): None if pd.isna(level) else level for name, level in point.items()}
        told = ", ".join(chapter.level_named(name, level) for name, level in at.items())
        at |= factors
        for level in here.levels(by, **at):
            share = share_of(here, {**at, by: level}, {**at, by: baseline})
            if share is not None and level != baseline:
                found.append((told, level, share))
    base = chapter.inline(chapter.level_named(by, baseline))
    lines = []
    told_apart = differing([share for *_, share in found])
    for (told, level, share), differs in zip(found, told_apart, strict=True):
        name = chapter.inline(chapter.level_named(by, level))
        verdict = f"{name} has"
        if share.interval.known and not here.withheld:
            which = "faster" if share.interval.estimate > 1 else "slower"
            verdict = f"{name} is {which}, with" if differs else f"no difference shown: {verdict}"
        words = f"{chapter.inline(told)}: {verdict}" if told else verdict[:1].upper() + verdict[1:]
        share_words = f"{chapter.inline(share.quantity)} of the rate of {base}"
        lines.append(f"{words} {share_words}{share.words(chapter)}.")
    if not lines:
        return None
    several = len(lines) > 1
    told = "\n".join(f"- {line}" for line in lines) if several else lines[0]
    after = here.withheld and chapter.inline(here.withheld)
    if several and not here.withheld and any(share.interval.known for *_, share in found):
        after = _FAMILY
    return Text(f"{told}\n\n{after}" if after else told)
