"""Charts of a document under the numbers of its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roundtrip.csvfile import without_formula
from roundtrip.drafting.blocks import IN_LIST
from roundtrip.drafting.charts import Chart, Point
from roundtrip.drafting.pages import FIGURE, Line, Page, lines_of

POINT_COLUMNS = ("series", "x", "x_accuracy", "value", "value_accuracy")
_FAR = 120.0  # points from a chart to its caption, with the title of its axis between
_UNSEEN = "no curve between two axes of numbers: a picture, bars, or a drawing that is none"


@dataclass(frozen=True)
class Figure:
    """A figure of a document."""

    number: str  # as printed; empty where a chart has no caption
    caption: str  # the same
    page: int
    chart: Chart | None = None  # None where nothing was found that can be read

    @property
    def points(self) -> tuple[Point, ...]:
        """The points that were read."""
        return self.chart.points if self.chart else ()

    @property
    def trouble(self) -> str:
        """Why it has to be read by hand; empty where its points were read."""
        return _UNSEEN if self.chart is None else self.chart.trouble


def find_figures(pages: Sequence[Page], charts: Sequence[Chart]) -> list[Figure]:
    """Join charts and captions of figures, in the order of the document.

    Captions stand below their charts or above them: the side on which more charts have one, and
    then the nearer one, is taken for the whole document. Several charts may have one caption.
    """
    lines = [line for page in pages for line in lines_of(page)
             if FIGURE.match(line.text) and not IN_LIST.search(line.text)]  # fmt: skip
    below = [_nearest(chart, lines, 1) for chart in charts]
    above = [_nearest(chart, lines, -1) for chart in charts]
    side = min(
        below, above, key=lambda one: (one.count(None), sum(found[0] for found in one if found))
    )
    placed, seen = [], set()
    for chart, found in zip(charts, side, strict=True):
        line = found[1] if found else None
        seen.add(id(line))
        placed.append((chart.page, chart.box.top, _figure(line, chart.page, chart)))
    placed += [(line.page, line.box.top, _figure(line, line.page, None))
               for line in lines if id(line) not in seen]  # fmt: skip
    return [figure for _, _, figure in sorted(placed, key=lambda one: one[:2])]


def _nearest(chart: Chart, lines: Sequence[Line], side: int) -> tuple[float, Line] | None:
    """Give the nearest caption on one side of a chart, 1 for below it, with its distance."""
    box = chart.box
    edge = box.bottom if side > 0 else box.top
    found = [
        (away, line) for line in lines
        if line.page == chart.page and 0 < (away := side * (line.box.middle - edge)) < _FAR
        and line.box.left < box.right + _FAR and box.left - _FAR < line.box.right
    ]  # fmt: skip
    return min(found, key=lambda one: one[0], default=None)


def _figure(line: Line | None, page: int, chart: Chart | None) -> Figure:
    if line is None:
        return Figure("", "", page, chart)
    [said] = FIGURE.findall(line.text)
    caption = line.text.removeprefix(said).strip().lstrip(":.-–— ")
    return Figure(said.rstrip(" .:-–—"), caption, page, chart)


def point_texts(point: Point) -> tuple[str, ...]:
    """Give a point as files and pages show it, in the order of `POINT_COLUMNS`."""
    told = (point.x, 6), (point.x_off, 2), (point.value, 6), (point.value_off, 2)
    return (str(without_formula(point.series)),
            *(f"{float(f'{number:.{digits}g}'):.15g}" for number, digits in told))  # fmt: skip
