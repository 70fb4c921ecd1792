"""The page that shows a draft next to pictures of its pages: tables, charts, sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from roundtrip.drafting.contents import Contents
from roundtrip.drafting.figures import Figure, point_texts
from roundtrip.drafting.pages import Box
from roundtrip.drafting.sentences import values_in
from roundtrip.drafting.stubs import places_in
from roundtrip.project import filled

_ABOVE, _BELOW = 70, 40  # points shown around a table or a chart: its header, caption and notes


@dataclass(frozen=True)
class _Strip:
    """The part of a page that is shown beside what was read of it, in points."""

    width: float
    top: float
    bottom: float

    @property
    def shape(self) -> float:
        """Its width over its height."""
        return self.width / (self.bottom - self.top)

    @property
    def down(self) -> float:
        """How far down the page it begins, in per cent of the width."""
        return 100 * self.top / self.width

    def spot(self, left: float, top: float) -> tuple[float, float]:
        """Give a place of the page in per cent of width and height of the strip."""
        return 100 * left / self.width, 100 * (top - self.top) / (self.bottom - self.top)


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
    """Give what is shown of a figure: the points that were read, as texts and on its picture."""
    if figure.chart is None:
        return {"figure": figure, "strip": None}
    strip = _strip(size, [figure.chart.box])
    return {
        "figure": figure, "strip": strip, "points": [point_texts(point) for point in figure.points],
        "spots": [strip.spot(point.left, point.top) for point in figure.points] if strip else [],
    }  # fmt: skip


def _strip(size: tuple[float, float], boxes: Sequence[Box]) -> _Strip | None:
    """Give the part of a page around boxes; None where there are none: all of it is shown."""
    if not boxes:
        return None
    whole = Box.around(boxes)
    width, height = size
    return _Strip(width, max(0.0, whole.top - _ABOVE), min(height, whole.bottom + _BELOW))
