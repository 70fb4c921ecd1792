"""Rates in relation to the rate of the point that differs from them in one factor."""

from __future__ import annotations

from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Quantity, size_label
from roundtrip.present.comparability import state_differences

RatioRow = tuple[str, str, str, Quantity]
"""Panel, series, message size, ratio."""


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
    points : pandas.DataFrame
        One point for each message size, value of `of`, panel and series.
    of : str
        Factor, or column that a chapter made, whose values are compared.
    base : object
        Its value that is the denominator; it gives no rows.
    panel, series : str
        Columns that name the panel and the series; without `series` it is the value of `of`.
    percent : bool
        Give percent instead of a plain ratio.

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
