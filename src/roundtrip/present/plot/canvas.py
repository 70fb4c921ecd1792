"""What every chart stands on: title, panels, legend, alt text and data for download."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from roundtrip.csvfile import csv_text
from roundtrip.present.chapter import Chapter
from roundtrip.present.figure import WIDTH, Figure
from roundtrip.present.plot.rows import Number
from roundtrip.theme import Theme, load_theme
from roundtrip.typography import printed_text, with_apostrophes

_TITLE_LETTERS = 96
_LINE = 20  # pixels of a line of the title
_LEGEND_ROW = 19
_LEGEND_SAMPLE = 46  # pixels of a sample in the legend and the gap around it
_LETTER = 5.7
_PANEL_TITLE = 24
_PANEL_LINE = 15  # pixels of a further line of a panel's title
_ONE_LINE = 20  # letters of a title that a narrow panel holds


@dataclass(frozen=True)
class Value:
    """One drawn value, for the alt text and the download; `said`: whether the alt text names it."""

    series: str
    place: str
    number: Number
    cells: tuple[str, ...]
    said: bool = True


class Canvas:
    """A chart in the making.

    Parameters
    ----------
    title : str
        The finding; broken into lines where it is long.
    titles : sequence of str
        Title of each panel, row by row.
    rows, columns : int
        Panels above and beside each other.
    height : int
        Pixels at the common width, without legend and titles of panels.
    margin_left : int
        Room for the labels of the vertical axis, in pixels.
    share_x, share_y : bool
        Whether the panels of a column share their horizontal axis, those of a row their vertical
        one.
    """

    def __init__(
        self, chapter: Chapter, title: str, titles: Sequence[str] = (), rows: int = 1,
        columns: int = 1, *, height: int = 400, margin_left: int = 84, share_x: bool = False,
        share_y: bool = True,
    ) -> None:  # fmt: skip
        self.title = printed_text(title)
        self.values: list[Value] = []
        theme = load_theme(chapter.project)
        self.colors = theme.light
        self._lines = _title_lines(self.title)
        heads = [_narrow(name, columns) for name in titles]
        further = max((head.count("<br>") for head in heads), default=0)
        self._over = _PANEL_TITLE + _PANEL_LINE * further if any(titles) else 0
        self._height = height + self._over
        look = base_layout(
            "<br>".join(plot_text(line) for line in self._lines), height,
            chapter.numbers.plotly_separators, margin_left, theme,
        )  # fmt: skip
        self.figure = go.Figure(layout={"template": "none"})  # not Plotly's own look
        self.figure.set_subplots(
            rows=rows, cols=columns, subplot_titles=heads,
            shared_xaxes=share_x, shared_yaxes=share_y and columns > 1,
            horizontal_spacing=(0.05 if share_y else 0.09) if columns > 1 else 0,
            vertical_spacing=(40 if share_x else 64) / height if rows > 1 else 0,
        )  # fmt: skip
        across, upright = look.pop("xaxis"), look.pop("yaxis")
        self.figure.update_layout(look, template="none")
        self.figure.update_xaxes(across)
        self.figure.update_yaxes(upright)
        self.figure.update_annotations(font={"size": 12, "color": self.colors.ink, "weight": 600})
        self.fit_legend([])

    @property
    def plot_width(self) -> float:
        """Pixels between the left and the right margin."""
        margin = self.figure.layout.margin
        return float(WIDTH - margin.l - margin.r)

    @property
    def panel_width(self) -> float:
        """Pixels of one panel, without what is between them."""
        left, right = self.figure.layout.xaxis.domain or (0, 1)
        return self.plot_width * float(right - left)

    @property
    def plot_height(self) -> float:
        """Pixels between the upper and the lower margin."""
        layout = self.figure.layout
        return float(layout.height - layout.margin.t - layout.margin.b)

    def fit_legend(self, names: Sequence[str]) -> None:
        """Make room for the title, a legend of some names, and titles of panels."""
        wide = [_LEGEND_SAMPLE + _LETTER * len(name) for name in names]
        rows = 1 if names else 0
        if sum(wide) > self.plot_width:
            # Plotly lines them up in columns as wide as the widest.
            rows = math.ceil(len(wide) / max(1, int(self.plot_width / max(wide))))
        more = _LEGEND_ROW * (rows - 1)
        height = self._height + max(0, more)
        self.figure.update_layout(
            height=height, margin_t=48 + _LINE * len(self._lines) + more + self._over,
            # Plotly anchors a title of several lines by its middle.
            title_y=1 - (10 + 9 * (len(self._lines) - 1)) / height,
        )  # fmt: skip
        self.figure.update_layout(legend_y=1 + (self._over + 6) / self.plot_height)

    def finish(self, kind: str, caption: str) -> Figure:
        """Complete the figure: axes that write numbers as the text does, alt text, data.

        Parameters
        ----------
        kind : str
            What kind of chart it is, first words of the alt text.
        caption : str
            What is drawn and how to read it, in plain text.

        Returns
        -------
        Figure
            Its alt text states the finding and the values, its data file every value.
        """
        # As in the text: 10,000, neither 10000 nor 10k.
        self.figure.update_xaxes(separatethousands=True, exponentformat="none")
        self.figure.update_yaxes(separatethousands=True, exponentformat="none")
        by_series: dict[str, list[Value]] = {}
        for value in self.values:
            if value.said:
                by_series.setdefault(value.series, []).append(value)
        parts = [
            f"{name + ': ' if name else ''}"
            + ", ".join(f"{value.place} {value.number.shown}" for value in values)
            for name, values in by_series.items()
        ]
        alt = f"{kind}. {self.title.rstrip('.')}. {'; '.join(parts)}."
        intervals = any(value.number.has_interval for value in self.values)
        rows = []
        for drawn in self.values:
            number = drawn.number
            ends = (number.low, number.high) if number.has_interval else ()
            texts = [f"{end:.10g}" for end in ends] or ["", ""] * intervals
            row = [drawn.series, drawn.place, f"{number.value:.10g}", number.quantity.unit]
            rows.append([*row, *texts, " ".join(drawn.cells)])
        head = ["series", "at", "value", "unit", *["low", "high"] * intervals, "cells"]
        return Figure(
            title=self.title,
            caption=caption,
            alt=" ".join(alt.replace("\u00a0", " ").split()),
            cells=tuple(dict.fromkeys(cell for value in self.values for cell in value.cells)),
            chart=self.figure,
            csv=csv_text(head, rows).replace("\u00a0", " "),
        )


def base_layout(
    title: str, height: int, separators: str, margin_left: int, theme: Theme
) -> dict[str, Any]:
    """Give the layout that all figures share; lengths are pixels at the common width."""
    colors = theme.light
    axis = {
        "gridcolor": colors.rule, "gridwidth": 1, "linecolor": colors.ink, "zeroline": False,
        "ticks": "",
        "tickfont": {"size": 12, "color": colors.muted},
        "title": {"font": {"size": 12, "color": colors.muted}, "standoff": 12},
        "automargin": False,
    }  # fmt: skip
    return {
        "title": {
            "text": title, "x": 0, "xref": "container", "xanchor": "left", "pad": {"l": 4},
            "y": 1 - 10 / height, "yref": "container", "yanchor": "top",
            "font": {"size": 15, "color": colors.ink, "weight": 600}, "automargin": False,
        },
        "font": {"family": theme.families, "size": 12, "color": colors.ink},
        "width": WIDTH, "height": height,
        "margin": {"l": margin_left, "r": 24, "t": 64, "b": 52},
        # JupyterLab's dark theme would show through a clear one; pictures and pages have their own.
        "paper_bgcolor": colors.page, "plot_bgcolor": "rgba(0,0,0,0)",
        "separators": separators,
        "xaxis": {**axis, "showgrid": False}, "yaxis": {**axis, "rangemode": "tozero"},
        "legend": {
            "orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom",
            "font": {"size": 12}, "title": {"text": ""}, "traceorder": "normal",
        },
        "hoverlabel": {"font": {"family": theme.families}},
        "bargap": 0.28, "bargroupgap": 0.06,
    }  # fmt: skip


def _narrow(title: str, columns: int) -> str:
    """Break a long title of a narrow panel after its first comma."""
    text = plot_text(title[:1].upper() + title[1:])
    return text.replace(", ", ",<br>", 1) if columns > 2 and len(title) > _ONE_LINE else text


def _title_lines(title: str) -> list[str]:
    """Break a title into as few lines as fit, and these as equally long as words allow."""
    lines = textwrap.wrap(title, _TITLE_LETTERS)
    if len(lines) < 2:
        return lines
    narrower = (
        textwrap.wrap(title, each, break_long_words=False)
        for each in range(len(title) // len(lines), _TITLE_LETTERS)
    )
    return next((found for found in narrower if len(found) == len(lines)), lines)


def plot_text(text: str) -> str:
    """Give a text as a chart prints it: Plotly takes ``<b>`` and the like in it for markup."""
    return with_apostrophes(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
