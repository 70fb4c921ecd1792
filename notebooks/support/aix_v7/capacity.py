"""What a connection takes: memory from free pages, core time from CPU shares."""

from __future__ import annotations

import pandas as pd

from roundtrip.present.chapter import Chapter
from roundtrip.present.derived import cpu_cost
from roundtrip.present.numbers import Quantity

PAGE_KB = 4


def join_derived_memory(points: pd.DataFrame) -> pd.DataFrame:
    """Move a memory per client that was printed on a line of its own to the point above it.

    Parameters
    ----------
    points : pandas.DataFrame
        With ``free_pages`` and ``memory_per_client``, in printed order.

    Returns
    -------
    pandas.DataFrame
        Without the lines that held nothing else.
    """
    points = points.reset_index(drop=True)
    names = [name for name in points.columns if name.startswith("memory_per_client")]
    alone = points["clients"].isna() & points["memory_per_client"].notna()
    for index in points.index[alone]:
        above = points[
            (points["row_label"] == points.at[index, "row_label"]) & points["free_pages"].notna()
        ]
        points.loc[above.index[-1], names] = points.loc[index, names]
    return points[~alone].reset_index(drop=True)


def memory_from_pages(chapter: Chapter, points: pd.DataFrame) -> list[Quantity | None]:
    """Compute the memory per client from free pages at the fewest and the most clients.

    Parameters
    ----------
    points : pandas.DataFrame
        With ``clients``, ``free_pages`` and ``memory_per_client``.

    Returns
    -------
    list of Quantity or None
        In KB, at the points where the source states it too.
    """
    found: list[Quantity | None] = []
    for _, point in points.iterrows():
        if point["memory_per_client"] != point["memory_per_client"]:
            found.append(None)
            continue
        same = points[(points["row_label"] == point["row_label"]) & points["free_pages"].notna()]
        first, last = same.iloc[0], same.iloc[-1]
        pages = float(first["free_pages"]) - float(last["free_pages"])
        clients = float(last["clients"]) - float(first["clients"])
        cells = tuple(
            str(end[f"{metric}_cell"])
            for metric in ("free_pages", "clients")
            for end in (first, last)
        )
        found.append(Quantity(pages * PAGE_KB / clients, chapter.unit("memory_per_client"), cells))
    return found


def core_times(chapter: Chapter, points: pd.DataFrame) -> list[Quantity]:
    """Compute the core time of a round trip for each point, in microseconds.

    Points may belong to several host sets; see `roundtrip.present.derived.cpu_cost`.
    """
    return [
        cpu_cost(chapter, points.iloc[[position]], str(host_set), "table_id", by="table_id")[0][2]
        for position, host_set in enumerate(points["host_set"])
    ]
