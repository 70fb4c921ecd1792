"""What all charts share: series in a fixed style, direct labels, alt text and data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from roundtrip.present.chapter import Chapter
from roundtrip.present.figure import Figure
from roundtrip.present.plot.canvas import Value, finish, plot_text, title_lines
from roundtrip.present.plot.labels import spread
from roundtrip.present.theme import HEIGHT, Style, base_layout, blank_figure, style_of

_LABEL_GAP = 16  # pixels between the baselines of direct labels


@dataclass
class Canvas:
    """A chart in the making.

    Parameters
    ----------
    chapter : Chapter
        Gives units, labels and the number format.
    title : str
        The finding; broken into lines where it is long.
    height : int
        Pixels at the common width.
    """

    chapter: Chapter
    title: str
    height: int = HEIGHT
    margin_left: int = 84
    figure: go.Figure = field(default_factory=blank_figure)
    values: list[Value] = field(default_factory=list)

    def __post_init__(self) -> None:
        lines = title_lines(self.title)
        self.figure.update_layout(
            base_layout(
                "<br>".join(plot_text(line) for line in lines),
                self.height,
                self.chapter.numbers.plotly_separators,
                self.margin_left,
            )
        )
        # Plotly anchors a title of several lines by its middle.
        offset = 10 + 9 * (len(lines) - 1)
        self.figure.update_layout(margin_t=46 + 20 * len(lines), title_y=1 - offset / self.height)

    def add_values(self, values: Sequence[Value]) -> None:
        """Remember what is drawn, for the alt text and the download."""
        self.values.extend(values)

    def finish(self, kind: str, caption: str) -> Figure:
        """Complete the figure; see `roundtrip.present.plot.canvas.finish`."""
        return finish(self.figure, self.title, self.values, kind, caption)


def series_of(
    chapter: Chapter,
    points: pd.DataFrame,
    factor: str,
    names: Mapping[Any, str] | None = None,
) -> list[tuple[str, pd.DataFrame, Style]]:
    """Split points into series: name, points, style; in the order of their first appearance."""
    series = []
    for position, value in enumerate(dict.fromkeys(points[factor])):
        name = (names or {}).get(value) or chapter.level(factor, value)
        series.append((name, points[points[factor] == value], style_of(str(value), position)))
    return series


def direct_labels(
    figure: go.Figure,
    ends: Sequence[tuple[str, Any, float, Style]],
    to_pixels: Callable[[float], float],
    *,
    xref: str = "x",
    yref: str = "y",
    log_x: bool = False,
    log_y: bool = False,
) -> None:
    """Write each series' name beside its last point, without two names touching.

    Parameters
    ----------
    ends : sequence of (name, x, y, style)
        Last point of each series.
    to_pixels : callable
        Height of a value above the axis, in pixels.
    xref, yref : str
        Axes that the points refer to.
    log_x, log_y : bool
        Whether the axes are logarithmic: Plotly wants annotations there as logarithms.
    """
    wanted = [to_pixels(y) for _, _, y, _ in ends]
    for (name, x, y, style), pixel, placed in zip(
        ends, wanted, spread(wanted, _LABEL_GAP), strict=True
    ):
        figure.add_annotation(
            x=math.log10(x) if log_x else x, y=math.log10(y) if log_y else y, xref=xref, yref=yref,
            text=plot_text(name), showarrow=False, xanchor="left", xshift=10, yshift=placed - pixel,
            font={"size": 12, "color": style.color, "weight": 600},
        )  # fmt: skip
