"""Memory that connections take, as published: from the server's free pages."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table, chart, style_of
from support.aix_v7.compared import points_table
from support.aix_v7.comparisons import KINDS, sharing_name
from support.shared.ends import ends
from support.shared.values import in_unit

PAGE_KB = 4
_PER_CLIENT = "memory_per_client"


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
    columns = points.filter(like=_PER_CLIENT).columns
    alone = points["clients"].isna() & points[_PER_CLIENT].notna()
    for at in points.index[alone]:
        same = points["row_label"] == points.at[at, "row_label"]
        above = points[same & points["free_pages"].notna()]
        points.loc[above.index[-1], columns] = points.loc[at, columns]
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
    for label, is_stated in zip(points["row_label"], points[_PER_CLIENT].notna(), strict=True):
        if not is_stated:
            found.append(None)
            continue
        same = points[(points["row_label"] == label) & points["free_pages"].notna()].iloc[[0, -1]]
        free, left = chapter.quantities(same, "free_pages")
        few, many = chapter.quantities(same, "clients")
        taken, clients = free.minus(left), many.minus(few)
        cells = (*taken.cells, *few.cells, *many.cells)
        each = taken.value * PAGE_KB / clients.value
        found.append(Quantity(each, chapter.unit(_PER_CLIENT), cells))
    return found


def memory(chapter: Chapter) -> SimpleNamespace:
    """Give the tests of memory, and what the text says of them.

    Returns
    -------
    namespace
        All ``points``; ``from_pages``, the memory per requester of each, where it is known, and its
        ends for a ``client`` and for a ``pair`` of channels. The most ``clients`` for which free
        memory is printed, and what was ``free``, of ``most``, the test with SHARECNV(0); of
        ``shared``, that with SHARECNV(1); of ``own_queues``, persistent clients, each with its own
        reply queue.
    """
    points = join_derived_memory(chapter.points("table-35", "table-37"))
    points["kind"] = points["workload"].map(KINDS)
    from_pages = memory_from_pages(chapter, points)
    known = [(kind, q) for kind, q in zip(points["workload"], from_pages, strict=True) if q]
    clients, pairs = ([q for of, q in known if of == kind] for kind in ("RR-CB", "RR-DQ-BB"))

    def held(test: str) -> SimpleNamespace:
        rows = points[points["row_label"] == test].dropna(subset="free_pages").iloc[[-1]]
        (count,), (pages,) = (chapter.quantities(rows, name) for name in ("clients", "free_pages"))
        return SimpleNamespace(clients=count, free=in_unit(pages, "GB", PAGE_KB * 1024 / 1e9, 1))

    return SimpleNamespace(
        points=points,
        from_pages=from_pages,
        client=ends(clients),
        pair=ends(pairs),
        most=held("clnp_cmax (SC0)"),
        shared=held("clnp_cmax (SC1)"),
        own_queues=held("cl_persist_cmax_no_correllid (SC1)"),
    )


def memory_figure(chapter: Chapter, found: SimpleNamespace, *, caption: str) -> Figure:
    """Draw the memory per requester, clients and pairs of channels."""
    write = chapter.write
    bars = [
        (point["kind"], _memory_name(chapter, point), quantity)
        for (_, point), quantity in zip(found.points.iterrows(), found.from_pages, strict=True)
        if quantity is not None
    ]
    return chart(
        chapter,
        bars,
        horizontal=True,
        y_title="Memory per requester (KB)",
        styles={KINDS[kind]: style_of(kind) for kind in ("RR-CB", "RR-DQ-BB")},
        title=(
            f"A client takes {write(found.client.low, unit=False)} to {write(found.client.high)} "
            f"of the server's memory, a channel pair {write(found.pair.low, unit=False)} to "
            f"{write(found.pair.high)}"
        ),
        varied=None,  # what differs is in the names of the bars and in the caption
        caption=caption,
    )


def _memory_name(chapter: Chapter, point: pd.Series) -> str:
    delivery = chapter.level("delivery", point["delivery"])
    if point["workload"] == "RR-DQ-BB":
        binding = "trusted" if point["channel_binding"] == "fastpath" else "standard"
        return f"Pair of {binding} channels, {delivery}"
    ending = ", persistent" if delivery == "persistent" else ""
    return f"{sharing_name(point)}, {point['reply_queue']} reply queue{ending}"


def memory_table(chapter: Chapter, found: SimpleNamespace, *, caption: str) -> Table:
    """List all points as printed, with the memory per requester recomputed from free pages."""
    return points_table(
        chapter,
        found.points,
        caption=caption,
        group="kind",
        row=("Test", "row_label"),
        metrics=["clients", "swap_reserved", "free_pages", _PER_CLIENT],
        computed={"Recomputed from free pages (KB)": found.from_pages},
        notes=[
            "nt: standard channels instead of trusted ones, measured on a system with less "
            "memory. The persistent clients' swap space is printed once for both points."
        ],
    )
