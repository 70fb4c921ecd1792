"""What is kept of a rate with high availability."""

from __future__ import annotations

from typing import Any

import pandas as pd

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.figure import csv_text
from roundtrip.present.numbers import size_label
from roundtrip.present.tables import Table
from roundtrip.shown import BodyCell, HeaderCell


def kept_table(
    chapter: Chapter, points: pd.DataFrame, *, row: str, across: str, caption: str
) -> Table:
    """Show which share of the rate at the smallest value of a factor is left at its others."""
    levels = sorted({float(value) for value in points[across]})
    rows: list[tuple[BodyCell, ...]] = []
    csv_rows: list[list[Any]] = []
    for size in sorted({float(value) for value in points["message_bytes"]}):
        rows.append((BodyCell(f"Message size {size_label(size)}", "left", kind="group"),))
        of_size = points[points["message_bytes"] == size]
        for kind in dict.fromkeys(of_size[row]):
            part = of_size[of_size[row] == kind]
            base = chapter.quantities(chapter.select(part, **{across: levels[0]}))[0]
            line = [BodyCell(str(kind), "left", kind="label")]
            for level in levels:
                rate = chapter.quantities(chapter.select(part, **{across: level}))[0]
                share = rate.percent_of(base)
                line.append(BodyCell(chapter.write(share, unit=False)))
                csv_rows.append([int(size), kind, level, f"{share.value:.6g}", "%"])
            rows.append(tuple(line))
    header = (
        HeaderCell("", align="left"),
        *[HeaderCell(f"{chapter.level(across, level)} (%)") for level in levels],
    )
    text = csv_text(["message_bytes", row, across, "value", "unit"], csv_rows)
    cells = tuple(str(cell) for cell in points[f"{RATE}_cell"])
    return Table(caption, (header,), tuple(rows), cells=cells, csv=text)
