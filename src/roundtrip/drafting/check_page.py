"""The page that shows a draft next to pictures of its pages: tables, charts, sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from roundtrip.drafting.contents import Contents
from roundtrip.drafting.figures import Figure, point_texts
from roundtrip.drafting.pages import Box
from roundtrip.drafting.sentences import values_in
from roundtrip.drafting.stubs import places_in
from roundtrip.project import filled

_ABOVE, _BELOW = 70, 40  # points shown around a table or a chart: its header, caption and notes


def check_page(template: Path, name: str, read: Contents) -> str:
    """Write the page on a report; its sentences count from 1."""
    views = [
        {"table": table, "pages": [
            (page, _strip(size, [cell.box for cell in table.cells if cell.page == page]))
            for page, size in read.sizes.items() if page in table.pages
        ]}
        for table in read.tables
    ]  # fmt: skip
    sentences = [
        {"number": number, "said": one, "places": places_in(one, read.cells),
         "values": values_in(one.text)}
        for number, one in enumerate(read.sentences, 1)
    ]  # fmt: skip
    return filled(
        [template.parent], template.name, name=name, views=views,
        charts=[_chart(one, read.sizes[one.page]) for one in read.figures],
        told=[(page, list(said)) for page, said in groupby(read.said, lambda one: one.page)],
        sentences=sentences,
    )  # fmt: skip


def _chart(figure: Figure, size: tuple[float, float]) -> dict[str, object]:
    """Give what is shown of a figure: the points that were read, also as texts."""
    return {
        "figure": figure, "texts": [point_texts(point) for point in figure.points],
        "strip": _strip(size, [figure.chart.box] if figure.chart else []),
    }  # fmt: skip


def _strip(size: tuple[float, float], boxes: Sequence[Box]) -> Box | None:
    """Give the part of a page around boxes; None where there are none: all of it is shown."""
    if not boxes:
        return None
    width, height = size
    whole = Box.around(boxes)
    return Box(0.0, max(0.0, whole.top - _ABOVE), width, min(height, whole.bottom + _BELOW))
