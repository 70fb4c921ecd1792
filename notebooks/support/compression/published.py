"""What the source prints on compression, and what it allows on a narrow link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd

from roundtrip.present import Chapter, Quantity, Table, largest, size_label, smallest
from roundtrip.present.chapter import RATE
from roundtrip.present.quantities import Row, quantity_table
from support.shared.ends import Ends, ends
from support.shared.flows import rate_in_edition

Ceiling = tuple[str, str, Quantity]
"""Method, message size, and the round trips that fit through the link."""

RATE_OF = "compression_rate"
PLAIN = "no compression"
_MESSAGES_EACH_WAY = 2
"""Messages into the busier host, and as many out of it, for each round trip of RR-CC."""


def _rates(chapter: Chapter, points: pd.DataFrame) -> dict[tuple[str, float], Quantity]:
    """Give what each method removes, by method and message size."""
    columns = (points["compression"], points["message_bytes"])
    return dict(
        zip(zip(*columns, strict=True), chapter.quantities(points, RATE_OF), strict=True)
    )  # fmt: skip


def rates_title(chapter: Chapter, points: pd.DataFrame) -> str:
    """Name the methods that remove most and least."""
    rates = {rate: method for (method, _), rate in _rates(chapter, points).items()}
    best, worst = largest(rates), smallest(rates)
    return (
        f"{rates[best]} removes up to {chapter.write(best)} of a JSON message, "
        f"{rates[worst]} as little as {chapter.write(worst)} of a small one"
    )


def link_ceilings(chapter: Chapter, points: pd.DataFrame, gbps: float) -> list[Ceiling]:
    """Compute how many RR-CC round trips fit through a link, by compression method.

    Bandwidth divided by the compressed payload that a round trip sends each way. Headers and
    processor time are not counted: no real rate can be higher.

    Parameters
    ----------
    points : pandas.DataFrame
        With ``compression``, ``message_bytes`` and ``compression_rate``.
    gbps : float
        Bandwidth of the link in Gb/s, each way.

    Returns
    -------
    list of (method, message size, Quantity)
        No compression first.
    """
    sizes = sorted({float(size) for size in points["message_bytes"]})

    def ceiling(size: float, removed: float, cells: tuple[str, ...]) -> Quantity:
        bits = _MESSAGES_EACH_WAY * size * 8 * (1 - removed / 100)
        return replace(rate_in_edition(chapter, gbps * 1e9 / bits), cells=cells)

    rows: list[Ceiling] = [(PLAIN, size_label(size), ceiling(size, 0, ())) for size in sizes]
    rows += [
        (method, size_label(size), ceiling(size, removed.value, removed.cells))
        for (method, size), removed in _rates(chapter, points).items()
    ]
    return rows


def highest_rise(ceilings: Sequence[Ceiling]) -> SimpleNamespace:
    """Give the method that raises the ceiling most.

    Parameters
    ----------
    ceilings : sequence of Ceiling
        From `link_ceilings`.

    Returns
    -------
    namespace
        The ``method``, and the ``factor`` by which it raises the ceiling.
    """
    method, _, factor = max(_factors(ceilings), key=lambda row: row[-1].value)
    return SimpleNamespace(method=method, factor=factor)


def rises(ceilings: Sequence[Ceiling], method: str) -> Ends:
    """Give the least and the most by which a method raises the ceiling, and at which sizes."""
    return ends((size, factor) for name, size, factor in _factors(ceilings) if name == method)


def ceilings_table(chapter: Chapter, ceilings: Sequence[Ceiling], *, caption: str) -> Table:
    """Lay out the ceiling without compression, and the factor by which each method raises it."""
    factors = _factors(ceilings)
    rows = [
        Row(f"{chapter.label(RATE)} that fit through the link"),
        Row(PLAIN, tuple(ceiling for name, _, ceiling in ceilings if name == PLAIN)),
        Row("Raised by a factor of"),
    ]
    sizes = dict.fromkeys(size for _, size, _ in ceilings)
    for method in dict.fromkeys(name for name, *_ in factors):
        found = {size: factor for name, size, factor in factors if name == method}
        rows.append(Row(method, tuple(map(found.get, sizes))))
    return quantity_table(
        chapter, rows, caption=caption, header=["Method", *sizes], by_row=True,
        notes=(
            "Computed: bandwidth divided by two compressed payloads per round trip and direction. "
            "No headers, no processor time: a bound, not a measurement.",
        ),
    )  # fmt: skip


def _factors(ceilings: Sequence[Ceiling]) -> list[Ceiling]:
    """Give the factor by which each method raises the ceiling, to the two digits of its rate."""
    plain = {size: ceiling for name, size, ceiling in ceilings if name == PLAIN}
    return [(name, size, top.over(plain[size], 1)) for name, size, top in ceilings if name != PLAIN]
