"""What a comparison of measured variants answers, point by point."""

from __future__ import annotations

from typing import Any

import pandas as pd

from roundtrip.checks.laws import offered
from roundtrip.present.arguments import checked, refuse_impossible
from roundtrip.present.chapter import RATE, TIME, Chapter, Text
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.shares import Share, differing, share_of
from roundtrip.present.measured.words import ADJUSTED, said_with_level

_RATED = "Where the plan set the rate, round-trip times are compared."


@checked
def variants_answer(here: Measured, by: str, *, baseline: Any, **factors: Any) -> Text | None:
    """Say of each variant whether it is faster than the baseline, at every point of both.

    The shares are those of `variants_table`; where the plan set the rate, they are of the mean
    round-trip time, as a rate that is kept tells nothing of the variants. All of them are one
    family: the more there are, the clearer a difference must be. Where a mandatory rule of method
    fails, the reason stands first; there, or where a point was run once, the shares stand without
    a conclusion.

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
    chapter = here.chapter
    refuse_impossible(here.frame, by, [baseline], chapter.observations, "variants_answer")
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
    points = rows.drop_duplicates(names).sort_values(names) if names else rows.head(1)
    found: list[tuple[str, Any, Share, bool]] = []
    for point in points.to_dict("records"):
        rated = offered(point) is not None
        metric = TIME if rated else RATE
        at = {name: None if pd.isna(point[name]) else point[name] for name in names}
        told = ", ".join(_named(chapter, name, level) for name, level in at.items())
        at |= factors
        for level in here.levels(by, **at):
            share = share_of(here, {**at, by: level}, {**at, by: baseline}, metric)
            if share is not None and level != baseline:
                found.append((told, level, share, rated))
    base = chapter.inline(_named(chapter, by, baseline))
    lines = []
    told_apart = differing([share for *_, share, _ in found])
    for (told, level, share, rated), differs in zip(found, told_apart, strict=True):
        place = ", ".join(filter(None, [told, _named(chapter, by, level)]))
        verdict = ""
        if share.interval.known and not here.withheld:
            which = "faster" if (share.interval.estimate > 1) != rated else "slower"
            verdict = f"{which}, with " if differs else "no difference shown, with "
        what = "mean round-trip time" if rated else "rate"
        share_words = f"{chapter.inline(share.quantity)} of the {what} of {base}"
        lines.append(f"{chapter.inline(place)}: {verdict}{share_words}{share.words(chapter)}.")
    if not lines:
        return None
    family = len(lines) > 1
    told = "\n".join(f"- {line}" for line in lines) if family else lines[0]
    after = [_RATED] * any(rated for *_, rated in found)
    if family and not here.withheld and any(share.interval.known for *_, share, _ in found):
        after.append(ADJUSTED)
    parts = (chapter.inline(here.withheld), told, " ".join(after))
    return Text("\n\n".join(filter(None, parts)))


def _named(chapter: Chapter, factor: str, level: Any) -> str:
    """Name a level; of what is no count or message size, the factor too: consumer window 0 B."""
    named = chapter.level_named(factor, level)
    if factor == "message_bytes" or not named[:1].isdigit():
        return named
    return said_with_level(chapter, factor, level)
