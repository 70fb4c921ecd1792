"""Points in relation to the point that differs from them in one factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from roundtrip.present.chapter import RATE, Chapter


def relative(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    of: str,
    baseline: Any,
    metric: str = RATE,
    same: Sequence[str] = ("message_bytes",),
) -> pd.DataFrame:
    """Put every point in relation to the baseline's point, in percent.

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
        One point for each value of `of` and of the factors in `same`.
    of : str
        Factor, or column that a chapter made, whose values are compared.
    baseline : object
        Its value that is 100 %; it gives no rows.
    metric : str
        What is compared.
    same : sequence of str
        Factors in which a point and its baseline are alike.

    Returns
    -------
    pandas.DataFrame
        The other points, those of one value of `of` together, with a column ``share`` of
        quantities in percent that lead to both cells. Points without counterpart are left out.
    """
    base = points[points[of] == baseline]
    found = []
    for value in dict.fromkeys(points[of]):
        part = points[points[of] == value].sort_values(list(same), kind="stable")
        for at in part.index if value != baseline else ():
            alike = chapter.select(base, **{name: part.at[at, name] for name in same})
            if len(alike) == 1:
                whole = chapter.quantities(alike, metric)[0]
                found.append((at, chapter.quantities(part.loc[[at]], metric)[0].percent_of(whole)))
    rows = points.loc[[at for at, _ in found]].copy()
    rows["share"] = pd.Series([share for _, share in found], index=rows.index, dtype=object)
    return rows
