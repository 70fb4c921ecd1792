"""What the source prints on compression, and what it allows on a narrow link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pandas as pd

from roundtrip.files import csv_text
from roundtrip.outputs import BodyCell, HeaderCell
from roundtrip.present import Chapter, Quantity, Table, Text, largest, size_label, smallest
from roundtrip.present.anchors import cell_anchor
from support.shared.flows import rate_in_edition

Ceiling = tuple[str, str, Quantity]
"""Method, message size, and the round trips that fit through the link."""

PLAIN = "no compression"
_MESSAGES_EACH_WAY = 2
"""Messages into the busier host, and as many out of it, for each round trip of RR-CC."""
_PAIRS = (("ZLIBFAST", "ZLIBHIGH"), ("LZ4FAST", "LZ4HIGH"))


def compression_table(chapter: Chapter, points: pd.DataFrame, *, caption: str) -> Table:
    """Lay out compression rates: a row for each message size, a column for each method."""
    methods = list(dict.fromkeys(points["compression"]))
    rows = []
    csv_rows: list[list[Any]] = []
    for size in sorted(set(points["message_bytes"])):
        line = [BodyCell(size_label(float(size)), "left", kind="label")]
        for method in methods:
            if not chapter.has(points, compression=method, message_bytes=size):
                line.append(BodyCell("\u2013"))
                continue
            q = chapter.quantity(points, "compression_rate", compression=method, message_bytes=size)
            line.append(BodyCell(chapter.write(q, unit=False), link=cell_anchor(q.cells[0])))
            csv_rows.append([int(size), method, f"{q.value:g}", q.unit, q.cells[0]])
        rows.append(tuple(line))
    heads = (HeaderCell(f"{method} (%)") for method in methods)
    header = (HeaderCell("Message size", align="left"), *heads)
    cells = tuple(str(cell) for cell in points["compression_rate_cell"])
    text = csv_text(["message_bytes", "compression", "value", "unit", "cell"], csv_rows)
    return Table(caption, (header,), tuple(rows), cells=cells, csv=text)


def rates_title(chapter: Chapter, points: pd.DataFrame) -> str:
    """Name the methods that remove most and least."""
    rates = chapter.quantities(points, "compression_rate")
    method = {rate.cells: name for rate, name in zip(rates, points["compression"], strict=True)}
    best, worst = largest(rates), smallest(rates)
    return (
        f"{method[best.cells]} removes up to {chapter.write(best)} of a JSON message, "
        f"{method[worst.cells]} as little as {chapter.write(worst)} of a small one"
    )


def high_beyond_fast(chapter: Chapter, points: pd.DataFrame) -> Text:
    """Say how much more the HIGH settings remove than the FAST ones, over all sizes."""

    def removed(method: str, size: int) -> Quantity:
        return chapter.quantity(points, "compression_rate", compression=method, message_bytes=size)

    gains = [
        removed(high, size).minus(removed(fast, size))
        for fast, high in _PAIRS
        for size in sorted(set(points["message_bytes"]))
        if chapter.has(points, compression=fast, message_bytes=size)
        and chapter.has(points, compression=high, message_bytes=size)
    ]
    if not gains:
        return Text("This edition has no pair of FAST and HIGH settings to compare.")
    return chapter.text(
        "The HIGH setting of an algorithm removes between {least:n} and {most:n} percentage points "
        "more than its FAST setting.",
        least=smallest(gains),
        most=largest(gains),
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
    columns = (points["compression"], points["message_bytes"])
    rows += [
        (str(method), size_label(size), ceiling(size, removed.value, removed.cells))
        for method, size, removed in zip(
            *columns, chapter.quantities(points, "compression_rate"), strict=True
        )
    ]
    return rows


def highest_rise(ceilings: Sequence[Ceiling]) -> SimpleNamespace:
    """Give the method and the size at which compression raises the ceiling most.

    Parameters
    ----------
    ceilings : sequence of Ceiling
        From `link_ceilings`.

    Returns
    -------
    namespace
        The ``method`` and the ``size``, the ceiling without it, ``plain``, and with it, ``top``,
        and their ratio, ``factor``.
    """
    plain = {size: ceiling for method, size, ceiling in ceilings if method == PLAIN}
    method, size, top = max(ceilings, key=lambda row: row[-1].over(plain[row[1]]).value)
    # Compression rates are printed with two digits, and so is what follows from them.
    rounded = replace(top, value=float(f"{top.value:.2g}"))
    factor = top.over(plain[size], 1)
    return SimpleNamespace(method=method, size=size, plain=plain[size], top=rounded, factor=factor)
