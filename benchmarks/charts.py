"""How well points are read from charts that are drawn in lines: made charts, read again.

Curves with known points are drawn by Typst with axes, ticks, legend and caption in several ways,
and read as ``roundtrip import`` reads them. A point is right if it lies within the stated accuracy
of its own, wrong if it does not or is of no curve, and open if its chart is left to be read by
hand.
Of charts that must be left open, every point that is read is wrong.

    python benchmarks/charts.py [--show]
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import typst

from roundtrip.drafting.charts import Chart, charts_on

WIDE, TALL, LEFT = 260.0, 150.0, 60.0
COLOURS = ("#0f62fe", "#8a3800", "#198038")
LINEAR = (0, 50, 100, 150, 200)
POWERS = (1, 10, 100, 1000)
Curves = Mapping[str, list[tuple[float, float]]]


@dataclass(frozen=True)
class Look:
    """How a chart is drawn.

    Attributes
    ----------
    across : tuple of float
        Labels of the lower axis; logarithmic if they are powers of ten.
    log : bool
        Whether the other axis is logarithmic.
    top : float
        Its greatest label.
    grid : bool
        Lines across the plot instead of ticks.
    write : str
        How labels are written: ``,`` with commas, ``k`` in thousands, ``^`` as powers of ten.
    legend, marks, right, smooth, pieces, dashes, bent, flat : bool
        A legend; markers at the points; a second axis on the right; curves rounded, in pieces, or
        all of one colour; labels that lie on no scale; a last curve without a slope.
    open : bool
        Whether the chart has to be left open.
    """

    across: tuple[float, ...] = LINEAR
    log: bool = False
    top: float = 200_000
    grid: bool = False
    write: str = ","
    legend: bool = True
    marks: bool = False
    right: bool = False
    smooth: bool = False
    pieces: bool = False
    dashes: bool = False
    bent: bool = False
    flat: bool = False
    open: bool = False


LOOKS = {
    "ticks": Look(),
    "grid, markers": Look(grid=True, marks=True),
    "thousands": Look(write="k", grid=True),
    "small values": Look(top=8, marks=True),
    "logarithmic rates": Look(log=True, top=100_000),
    "a flat curve": Look(grid=True, flat=True),
    "both logarithmic": Look(across=POWERS, log=True, top=100_000, grid=True),
    "logarithmic below": Look(across=POWERS, marks=True),
    "powers of ten": Look(log=True, top=100_000, write="^", open=True),
    "no legend": Look(legend=False, open=True),
    "one colour": Look(dashes=True, open=True),
    "two axes": Look(right=True, open=True),
    "rounded": Look(smooth=True, open=True),
    "in pieces": Look(pieces=True, open=True),
    "broken axis": Look(bent=True, open=True),
}


def made_curves(look: Look, seed: int) -> dict[str, list[tuple[float, float]]]:
    """Make curves that rise to a peak."""
    chance = random.Random(seed)
    curves = {}
    for name in ("M2003A", "M2003B with HA", "M2002")[: 2 + seed % 2]:
        places = [1, 3, 10, 40, 150, 700] if look.across == POWERS else [1, *range(20, 200, 20)]
        peak, half = look.top * chance.uniform(0.4, 0.95), places[-1] * chance.uniform(0.1, 0.4)
        curves[name] = [(float(x), max(peak * x / (x + half), 2.0 if look.log else 0.0))
                        for x in places]  # fmt: skip
    if look.flat:
        curves[name] = [(x, peak / 2) for x, _ in curves[name]]
    return curves


def chart(look: Look, curves: Curves) -> str:
    """Draw a chart as text of Typst."""
    parts: list[str] = []

    def line(x1: float, y1: float, x2: float, y2: float, stroke: str = "0.6pt + black") -> None:
        parts.append(f"#place(line(start: ({x1}pt, {y1}pt), end: ({x2}pt, {y2}pt), "
                     f"stroke: {stroke}))")  # fmt: skip

    def text(x: float, y: float, said: str, align: str) -> None:
        parts.append(f"#place(dx: {x - 30}pt, dy: {y - 5}pt, box(width: 60pt, height: 10pt, "
                     f"align({align} + horizon, [#text(size: 8pt)[{said}]])))")  # fmt: skip

    def share(value: float, labels: tuple[float, ...], log: bool) -> float:
        if log:
            return (math.log10(value) - math.log10(labels[0])) / math.log10(labels[-1] / labels[0])
        return (value - labels[0]) / (labels[-1] - labels[0])

    labels = ((1, 10, 100, 1000, 10_000, 100_000) if look.log
              else tuple(look.top * part / 4 for part in range(5)))  # fmt: skip

    def across(value: float) -> float:
        return LEFT + WIDE * share(value, look.across, look.across == POWERS)

    def up(value: float) -> float:
        return TALL * (1 - share(value, labels, look.log))

    line(LEFT, 0, LEFT, TALL)
    line(LEFT, TALL, LEFT + WIDE, TALL)
    for value in look.across:
        line(across(value), TALL + 4, across(value), 0 if look.grid else TALL, "0.4pt + gray")
        text(across(value), TALL + 11, f"{value:g}", "center")
    for place, value in enumerate(labels):
        line(LEFT - 4, up(value), LEFT + (WIDE if look.grid else 0), up(value), "0.4pt + gray")
        shown = value * 3 if look.bent and place == len(labels) - 1 else value
        said = {"k": f"{shown / 1000:g}k", "^": f"10#super[{place}]"}.get(look.write, f"{shown:,g}")
        text(LEFT - 36, up(value), said, "right")
        if look.right:
            line(LEFT + WIDE, up(value), LEFT + WIDE + 4, up(value))
            text(LEFT + WIDE + 36, up(value), f"{place * 25}", "left")
    for at, (name, points) in enumerate(curves.items()):
        colour = f'rgb("{COLOURS[0 if look.dashes else at]}")'
        stroke = f"1pt + {colour}"
        places = [(across(x), up(y)) for x, y in points]
        if look.pieces:
            for (x1, y1), (x2, y2) in pairwise(places):
                line(x1, y1, x2, y2, stroke)
        else:
            move = [f"curve.move(({places[0][0]}pt, {places[0][1]}pt))"]
            for x, y in places[1:]:
                to = f"({x}pt, {y}pt)"
                move.append(f"curve.quad(({x - 4}pt, {y}pt), {to})" if look.smooth
                            else f"curve.line({to})")  # fmt: skip
            parts.append(f"#place(curve(stroke: {stroke}, {', '.join(move)}))")
        if look.marks:
            parts += [f"#place(dx: {x - 2}pt, dy: {y - 2}pt, circle(radius: 2pt, fill: {colour}))"
                      for x, y in places]  # fmt: skip
        if look.legend:
            line(LEFT + WIDE + 44, 10 + 14 * at, LEFT + WIDE + 60, 10 + 14 * at, stroke)
            text(LEFT + WIDE + 94, 10 + 14 * at, name, "left")
    return f"#block(width: 100%, height: {TALL + 30}pt)[{' '.join(parts)}]"


def printed(charts: list[str]) -> bytes:
    """Print a page for each chart."""
    pages = [f"#lorem(40)\n\n{one}\n\nFigure {number}: Rate over requesters\n\n#lorem(60)"
             for number, one in enumerate(charts, 1)]  # fmt: skip
    return typst.compile("\n#pagebreak()\n".join(pages).encode())


def counted(look: Look, curves: Curves, found: list[Chart], show: str = "") -> tuple[int, int, int]:
    """Count points that are right, wrong and open."""
    total = sum(map(len, curves.values()))
    read = [point for one in found for point in one.points]
    left = {(name, x): y for name, points in curves.items() for x, y in points}
    right = 0
    for point in read:
        near = [(name, x) for (name, x), y in left.items() if name == point.series
                and abs(point.x - x) <= point.x_off
                and abs(point.value - y) <= point.value_off]  # fmt: skip
        if len(near) == 1 and not look.open:
            del left[near[0]]
            right += 1
        elif show:
            print(f"  {show}: {point}")
    if show:
        print(f"  {show}: {'; '.join(one.trouble for one in found) or len(found)}")
    return right, len(read) - right, max(total - len(read), 0)


def main() -> None:
    """Print the figures of each look, and of all."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--show", action="store_true", help="name what is wrong or left open")
    options = parser.parse_args()
    print(f"{'look':24} {'right':>6} {'wrong':>6} {'open':>6}")
    sums = [0, 0, 0]
    with tempfile.TemporaryDirectory() as place:
        for name, look in LOOKS.items():
            path = Path(place) / "charts.pdf"
            curves = [made_curves(look, seed) for seed in range(8)]
            path.write_bytes(printed([chart(look, one) for one in curves]))
            counts = [0, 0, 0]
            for number, one in enumerate(curves, 1):
                new = counted(look, one, charts_on(path, number), name if options.show else "")
                counts = [sum(pair) for pair in zip(counts, new, strict=True)]
            must = "  (must be open)" if look.open else ""
            print(f"{name:24} {counts[0]:6} {counts[1]:6} {counts[2]:6}{must}", flush=True)
            sums = [sum(pair) for pair in zip(sums, counts, strict=True)]
    print(f"{'all':24} {sums[0]:6} {sums[1]:6} {sums[2]:6}")


if __name__ == "__main__":
    main()
