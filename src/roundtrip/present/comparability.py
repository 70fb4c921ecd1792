"""The gate that points must pass before they share a figure, a table or a ratio."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pandas as pd

from roundtrip.errors import ChapterError
from roundtrip.present.chapter import Chapter
from roundtrip.present.levels import inside
from roundtrip.present.machines import TELLING, differing_machines, told
from roundtrip.present.numbers import Quantity, clash_of_spans

MUST_MATCH = ("message_bytes", "delivery", "syncpoint")
"""Factors without which a comparison says nothing: they may differ only where they are what is
compared."""

MEASURED = "measured"
_NOT_EXAMINED = ("requesters", "host_set")
"""Factors that are not looked at: requesters follow from the search for the peak, and of a host
set it is the machines that count, not its name; see `roundtrip.present.machines`."""

_IMPLIED = {
    "tls_cipher": ("tls_protocol",),
    "tls_protocol": ("tls_cipher",),
    "delivery": ("log_storage", "log_type"),  # non-persistent messages use no recovery log
    "workload": (
        "topology", "queue_managers", "queue_pairs", "channel_pairs", "channel_binding", "sharecnv",
    ),
    "ha": ("topology",),
    "replication": ("topology",),
}  # fmt: skip
"""Factors that another one decides."""

_ONLY_WITH = {
    "ha_link_rtt_ms": "ha",
    "consistency": "replication",
    "replication_link_rtt_ms": "replication",
}
"""Factors that mean nothing where another one is `none`."""


def examined(varied: Collection[str], factors: Iterable[str]) -> list[str]:
    """List the factors that the gate looks at: all but what is varied and what follows from it."""
    expected = {*varied, *_NOT_EXAMINED}
    for name in varied:
        expected.update(_IMPLIED.get(name, ()))
    return [name for name in factors if name not in expected]


def differing(
    points: pd.DataFrame, varied: Collection[str], factors: Collection[str]
) -> dict[str, list[object]]:
    """Find the factors, beside those that are `varied`, whose values differ between points.

    Gives the values that occur, None where the source does not state it.
    """
    found: dict[str, list[object]] = {}
    for name in examined(varied, factors):
        if name not in points:
            continue
        values = list(dict.fromkeys(None if pd.isna(v) else v for v in points[name]))
        if _ONLY_WITH.get(name) in varied:
            values = [value for value in values if value is not None]
        if all(isinstance(value, int | float) for value in values if value is not None):
            values.sort(key=lambda value: (value is None, value))
        if len(values) > 1:
            found[name] = values
    return found


def state_differences(
    chapter: Chapter, points: pd.DataFrame, varied: Collection[str], caption: str
) -> str:
    """Add to a caption what else differs between the points it compares.

    Parameters
    ----------
    varied : collection of str
        Factors that the comparison is about.

    Returns
    -------
    str
        The caption, with a sentence that names the factors and the traits of machines that differ,
        with their values, where there are any.

    Raises
    ------
    ChapterError
        If a factor of `MUST_MATCH` differs, or published and measured points are mixed.
    """
    refuse_mixed_kinds(points, caption)
    found = differing(points, varied, chapter.dictionary.factors)
    for name in MUST_MATCH:
        stated = [value for value in found.get(name, ()) if value is not None]
        if len(stated) > 1:
            raise ChapterError(
                f"the compared points differ in {inside(chapter.factor_label(name))}: "
                + ", ".join(chapter.level(name, value) for value in stated),
                where=caption,
                remedy=f"select one, or make {name} what the figure or table varies",
            )
    parts = [
        f"{inside(chapter.factor_label(name))} ("
        + ", ".join(chapter.level(name, v) for v in values)
        + ")"
        for name, values in found.items()
    ]
    machines = differing_machines(chapter, points, {*varied, *(TELLING & found.keys())})
    parts += [told(trait, values) for trait, values in machines.items()]
    if not parts:
        return caption
    stop = "" if not caption or caption.endswith((".", ":")) else "."
    return f"{caption}{stop} Not held constant: {', '.join(parts)}."


def state_differences_of_cells(
    chapter: Chapter, quantities: Iterable[Quantity], varied: Collection[str], caption: str
) -> str:
    """Add to a caption what differs between the points that computed quantities come from.

    As `state_differences`, for the observations that the quantities were computed from.
    """
    cells = {cell for quantity in quantities for cell in quantity.cells}
    points = chapter.observations.rows_of(cells).drop_duplicates("point_id")
    return state_differences(chapter, points, varied, caption)


def requesters_note(chapter: Chapter, cells: Iterable[str], beside: Iterable[str]) -> str:
    """Say how many requesters the runs had that are shown, where nothing else says it.

    Of the `cells` those that were published count for nothing; `beside` is what is written
    there: caption, headers, labels of rows. Empty where there are no runs, their number of
    requesters stands there, or their campaigns have no other: the disclosure says it.
    """
    if any("equester" in text for text in beside):
        return ""
    rows = chapter.observations.rows_of(set(cells))
    runs = rows[rows["source_kind"] == MEASURED]
    counts = sorted(runs["requesters"].dropna().unique())
    if not counts:
        return ""
    if chapter.observations.choose(source=set(runs["source"]))["requesters"].nunique() == 1:
        return ""
    ends = dict.fromkeys((counts[0], counts[-1]))
    told = " to ".join(chapter.numbers.write(count) for count in ends)
    who = "sender" if set(runs["workload"]) == {"send"} else "requester"
    return f"Measured with {told} {who}{'' if counts == [1] else 's'}."


def refuse_mixed(quantities: Iterable[Quantity], where: str) -> None:
    """Refuse several units, or times that span different ways, on one axis or in one column."""
    quantities = list(quantities)
    units = dict.fromkeys(quantity.unit or "no unit" for quantity in quantities)
    if len(units) > 1:
        raise ChapterError(
            f"values of several units share an axis or a column: {', '.join(units)}", where=where,
            allowed="one unit each", remedy="show each in a panel or a column of its own",
        )  # fmt: skip
    if clash := clash_of_spans(quantity.metric for quantity in quantities):
        raise ChapterError(
            f"these times span different ways and are not compared: {clash}", where=where,
            remedy="show each in a panel or a column of its own",
        )  # fmt: skip


def refuse_mixed_kinds(points: pd.DataFrame, caption: str) -> None:
    """Refuse points of which some were published and some were measured here.

    The two are shown side by side, each with its own scale, and never in one ratio: product,
    machine and driver differ all at once.
    """
    kinds = set(points["source_kind"].dropna()) if "source_kind" in points else set()
    if MEASURED in kinds and len(kinds) > 1:
        raise ChapterError(
            "published and measured points are compared directly",
            where=caption,
            remedy="show them side by side with roundtrip.present.Measured",
        )
