"""What all charts share: series in a fixed style, direct labels, alt text and data."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from roundtrip.present.chapter import Chapter
from roundtrip.present.figure import Figure, csv_text
from roundtrip.present.theme import HEIGHT, INK, Style, base_layout, blank_figure, style_of

TITLE_WIDTH = 96
SERIES = "<extra>%{fullData.name}</extra>"  # beside the value that the pointer shows
LABEL_GAP = 16  # pixels between the baselines of direct labels


@dataclass(frozen=True)
class Value:
    """One drawn value: series, place on the category axis, number, cells.

    `shown` is the value with its unit, for the alt text; `label` is what stands in the chart.
    """

    series: str
    place: str
    value: float
    unit: str
    cells: tuple[str, ...]
    shown: str
    label: str = ""


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
        lines = _balanced(self.title, TITLE_WIDTH)
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
        """Complete the figure.

        Parameters
        ----------
        kind : str
            What kind of chart it is, first words of the alt text.
        caption : str
            What is drawn and how to read it, in plain text.

        Returns
        -------
        Figure
            Its alt text states the finding and every value.
        """
        # As in the text: 10,000, neither 10000 nor 10k.
        self.figure.update_xaxes(separatethousands=True, exponentformat="none")
        self.figure.update_yaxes(separatethousands=True, exponentformat="none")
        by_series: dict[str, list[Value]] = {}
        for value in self.values:
            by_series.setdefault(value.series, []).append(value)
        parts = [
            f"{name + ': ' if name else ''}"
            + ", ".join(f"{value.place} {value.shown}" for value in values)
            for name, values in by_series.items()
        ]
        alt = f"{kind}. {self.title.rstrip('.')}. {'; '.join(parts)}."
        rows = [
            (v.series, v.place, f"{v.value:.10g}", v.unit, " ".join(v.cells)) for v in self.values
        ]
        return Figure(
            title=self.title,
            caption=caption,
            alt=" ".join(alt.replace("\u00a0", " ").split()),
            cells=tuple(dict.fromkeys(cell for value in self.values for cell in value.cells)),
            chart=self.figure,
            csv=csv_text(["series", "at", "value", "unit", "cells"], rows).replace("\u00a0", " "),
        )


def _balanced(text: str, width: int) -> list[str]:
    """Break a text into as few lines as fit, and these as equally long as words allow."""
    lines = textwrap.wrap(text, width)
    if len(lines) < 2:
        return lines
    narrower = (
        textwrap.wrap(text, each, break_long_words=False)
        for each in range(len(text) // len(lines), width)
    )
    return next((found for found in narrower if len(found) == len(lines)), lines)


def plot_text(text: str) -> str:
    """Escape a text from the data: Plotly takes ``<b>`` and the like for markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


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


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Move positions apart until neighbours keep a gap, as little as possible.

    Parameters
    ----------
    wanted : sequence of float
        Where labels would best stand, in pixels.
    gap : float
        Least distance between neighbours.

    Returns
    -------
    list of float
        Positions in the order given; their order by size is kept.
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    # Groups of touching labels, each centred on the mean of what its members wanted.
    groups: list[tuple[list[int], float]] = []
    for index in order:
        groups.append(([index], wanted[index]))
        while len(groups) > 1 and _overlap(groups[-2], groups[-1], gap):
            members = groups[-2][0] + groups[-1][0]
            centre = sum(wanted[member] for member in members) / len(members)
            groups[-2:] = [(members, centre)]
    placed = [0.0] * len(wanted)
    for members, centre in groups:
        for rank, member in enumerate(members):
            placed[member] = centre + (rank - (len(members) - 1) / 2) * gap
    return placed


def _overlap(low: tuple[list[int], float], high: tuple[list[int], float], gap: float) -> bool:
    return high[1] - low[1] < gap * (len(low[0]) + len(high[0])) / 2


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
    figure : plotly Figure
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
        ends, wanted, spread(wanted, LABEL_GAP), strict=True
    ):
        figure.add_annotation(
            x=math.log10(x) if log_x else x, y=math.log10(y) if log_y else y, xref=xref, yref=yref,
            text=plot_text(name), showarrow=False, xanchor="left", xshift=10, yshift=placed - pixel,
            font={"size": 12, "color": style.color, "weight": 600},
        )  # fmt: skip


def reference_rule(
    figure: go.Figure, name: str, *, x: float | None = None, y: float | None = None
) -> None:
    """Draw the line that ratios refer to, or a limit, and name it in the legend."""
    line = {"color": INK, "width": 1.4, "dash": "dot"}
    if x is not None:
        figure.add_vline(x=x, line=line)
    if y is not None:
        figure.add_hline(y=y, line=line)
    figure.add_trace(
        go.Scatter(
            x=[None], y=[None], mode="lines", line=line, name=plot_text(name), showlegend=True
        )
    )
    figure.update_layout(showlegend=True)
