"""Points in relation to the point that differs from them in one factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.comparability import state_differences
from roundtrip.present.numbers import Quantity, size_label

RatioRow = tuple[str, str, str, Quantity]
"""Panel, series, message size, ratio."""


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


def ratio_rows(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    of: str,
    base: Any,
    panel: str,
    series: str | None = None,
    percent: bool = False,
) -> list[RatioRow]:
    """Put every rate in relation to the rate of the point that differs from it in one factor.

    Parameters
    ----------
    chapter : Chapter
    points : pandas.DataFrame
        One point for each message size, value of `of`, panel and series.
    of : str
        Factor, or column that a chapter made, whose values are compared.
    base : object
        Its value that is the denominator; it gives no rows.
    panel, series : str
        Columns that name the panel and the series; without `series` it is the value of `of`.
    percent : bool
        Give per cent instead of a plain ratio.

    Returns
    -------
    list of (panel, series, message size, Quantity)
        Sizes rise within a series. Points without counterpart are left out.

    Raises
    ------
    ChapterError
        If the two points of a ratio differ in what must match.
    """
    rows = []
    sides = [panel] if series is None else [panel, series]
    for place in dict.fromkeys(points[panel]):
        of_panel = points[points[panel] == place].sort_values("message_bytes", kind="stable")
        name = of if series is None else series
        for kind in dict.fromkeys(points[name]):
            for _, point in of_panel[of_panel[name] == kind].iterrows():
                if point[of] == base:
                    continue
                same = of_panel[of_panel["message_bytes"] == point["message_bytes"]]
                for side in sides:
                    same = same[same[side] == point[side]]
                over, under = same[same[of] == point[of]], same[same[of] == base]
                if len(over) != 1 or len(under) != 1:
                    continue
                # Refuses what must not be compared; what else differs the chapter states.
                state_differences(chapter, pd.concat([over, under]), {of}, f"ratio of {of}")
                one, other = chapter.quantities(over)[0], chapter.quantities(under)[0]
                ratio = one.percent_of(other) if percent else one.over(other)
                rows.append((str(place), str(kind), size_label(point["message_bytes"]), ratio))
    return rows
