"""A chart in its panels: scales first, then marks, then what has to stand clear of them."""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from numbers import Real
from typing import Any

import plotly.graph_objects as go

from roundtrip.present.chapter import Chapter
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import size_label
from roundtrip.present.plot.axes import (
    Axis,
    axis_title,
    decade_axis,
    free_axis,
    level_axis,
    logarithmic,
    share_axis,
    value_axis,
    widened,
)
from roundtrip.present.plot.canvas import Canvas, Value, plot_text
from roundtrip.present.plot.labels import place_point_labels, share_along, spread
from roundtrip.present.plot.rows import Mark, drawn_in_several_ways
from roundtrip.present.plot.traces import RING, bars, points, rings
from roundtrip.present.styles import Style, style_of
from roundtrip.present.suspect_cells import doubted_cells
from roundtrip.theme import readable

_CHARACTER, _CAPITAL = 6.6, 7.3  # pixels of a letter at size 12, on average
_LABEL_GAP = 16  # pixels between the baselines of names beside lines
_MOST_NAMES = 8  # that stand beside lines
_LONG = 12  # points of a curve above which the alt text gives its ends only
_LETTERS = 40  # of a line of a row's name
_GROUP = 0.6  # of a row: dots that lie above each other
_ROW_BAR, _ROW_PLACE, _ROW_AROUND = 18, 14, 140  # pixels
_WHOLES = ("cpu", "machine_cpu")  # metrics that are shares of a whole


@dataclass
class Panels:
    """A chart in the making, of one mark at least; what is not explained here is as for `chart`.

    `titles` are those of the panels, row by row; `labelled` says whether texts stand beside
    points.
    """

    chapter: Chapter
    marks: list[Mark]
    titles: list[str]
    title: str
    x: str
    metrics: list[str]
    columns: int
    horizontal: bool
    one_scale: bool
    log: Sequence[str]
    labelled: bool
    references: Mapping[str, tuple[float, str]]
    moments: Sequence[Any]
    styles: Mapping[str, Style]
    key: Mapping[str, str]

    def __post_init__(self) -> None:
        """Decide what all panels share."""
        chapter, marks = self.chapter, self.marks
        self.several = len(self.metrics) > 1
        count = max(1, len(self.titles))
        self.rows = len(self.metrics) if self.several else math.ceil(count / self.columns)
        self.columns = count if self.several else min(self.columns, count)
        self.single = self.rows * self.columns == 1
        self.bars = any(mark.kind == "bar" for mark in marks)
        self.by_name = self.bars or self.horizontal or isinstance(marks[0].x, str)
        self.places = list(dict.fromkeys(mark.place for mark in marks))
        if self.by_name and self.x in chapter.dictionary.factors and not self.horizontal:
            levels = {mark.place: mark.x for mark in marks if isinstance(mark.x, float)}
            if len(levels) == len(self.places):
                self.places.sort(key=lambda place: levels[place])
        keys = {mark.series: mark.key for mark in marks}
        self.series = list(keys)
        if all(isinstance(key, Real) for key in keys.values()):  # such as sizes
            self.series.sort(key=lambda name: keys[name])
        self.styles = {
            name: self.styles.get(name) or style_of(str(keys[name]), position, chapter.project)
            for position, name in enumerate(keys)
        }
        self.together: dict[tuple[Any, str], set[str]] = defaultdict(set)
        for mark in marks:
            self.together[mark.panel, mark.place].add(mark.series)
        self.most_together = max(map(len, self.together.values()))
        cells = [cell for mark in marks for cell in mark.y.quantity.cells]
        self.doubted = set(doubted_cells(chapter, cells))
        self.direct = self._names_fit()
        lying = self.horizontal and not any(mark.y.has_interval for mark in marks)
        self.texts = self.labelled or (lying and self.single)
        self.canvas = Canvas(
            chapter, self.title, self.titles, self.rows, self.columns, **self._size()
        )
        self.figure = self.canvas.figure
        self.colors = self.canvas.colors

    def draw(self, x_title: str, y_titles: Sequence[str], caption: str) -> Figure:
        """Draw everything; `y_titles` has one for each metric."""
        panels: dict[tuple[int, int], list[Mark]] = defaultdict(list)
        for mark in self.marks:
            panels[mark.panel].append(mark)
        in_several_ways = [] if self.direct else drawn_in_several_ways(self.marks, self.series)
        named = {"", *(name for _, name in self.references.values()), *in_several_ways}
        reaches_zero = off_zero = False
        for (row, column), marks in panels.items():
            up = self._value_axis(marks)
            floor = 10**up.low if up.logarithmic else -math.inf
            reaches_zero |= up.logarithmic and any(mark.y.low <= 0 for mark in marks)
            off_zero |= not up.logarithmic and up.low > 0
            for name in dict.fromkeys(mark.series for mark in marks):
                of_series = [mark for mark in marks if mark.series == name]
                for look in dict.fromkeys(mark.look for mark in of_series):
                    alike = [
                        replace(mark, y=replace(mark.y, low=max(mark.y.low, floor)))
                        for mark in of_series
                        if mark.look == look
                    ]
                    self._trace(alike, in_legend=not self.direct and name not in named)
                    named.add(name)
                self._remember(of_series)
            self._lay_out(
                marks, x_title, y_titles[row if self.several else 0],
                lowest=(row + 1, column) not in panels,
            )  # fmt: skip
        for name in in_several_ways:  # a line, points: the legend shows all that tells it apart
            style = self.styles[name]
            trace = go.Scatter(
                x=[None], y=[None], name=plot_text(name), mode="lines+markers",
                line={"color": style.color, "dash": style.dash, "width": 2},
                marker={"color": style.color, "symbol": style.symbol, "size": 8},
            )  # fmt: skip
            first = next(mark for mark in self.marks if mark.series == name)
            self._add(trace, first, in_legend=True)
        self._explain()
        if self.single and self.labelled and not (self.bars or self.horizontal):
            place_point_labels(self.figure)
        if self.direct:
            self._name_lines()
        if reaches_zero:
            caption = f"{caption.removesuffix('.')}. An interval that reaches 0 ends at the axis."
        if off_zero:
            caption = f"{caption.removesuffix('.')}. The axis does not start at zero."
        marked = [
            ", ".join(filter(None, (mark.panel_name, mark.place, mark.series)))
            for mark in self.marks
            if mark.kind == "bar" and mark.y.quantity.kind == "measured"
            and self.doubted.intersection(mark.y.quantity.cells)
        ]  # fmt: skip
        if marked:  # a ring would hide the interval
            caption = f"{caption.removesuffix('.')}. From marked runs: {'; '.join(marked)}."
        kind = {"bar": "Bar chart", "dot": "Dot chart"}.get(self.marks[0].kind, "Line chart")
        kind += " with intervals" * any(mark.y.has_interval for mark in self.marks)
        if self.log:
            kind += " with logarithmic axes" if self.log[1:] else " with a logarithmic axis"
        kind += f", {self.rows * self.columns} panels" * (not self.single)
        for at, words in dict.fromkeys(self.references.values()):
            kind += f", a line at {self.chapter.numbers.exact(float(f'{at:g}'))} ({words})"
        return self.canvas.finish(kind, caption)

    # --- sizes -------------------------------------------------------------------------------

    def _size(self) -> dict[str, Any]:
        """Give the height of a panel and the room on its left."""
        if self.horizontal:
            lines = [line for place in self.places for line in self._broken(place).split("\n")]
            longest = max(map(len, lines))
            rows = len({(mark.series, mark.place) for mark in self.marks})
            if not self.single or round(rows / len(self.places)) <= 1:
                rows = len(self.places)
            elif not self.bars:
                rows = len(self.places) * self.most_together
            return {
                "height": _ROW_AROUND + _ROW_PLACE * len(self.places) + _ROW_BAR * rows,
                "margin_left": int(min(340, 40 + _CAPITAL * longest)),
            }
        if self.single:
            return {"height": 440 if self.labelled or self.log else 400}
        each = 185 if self.rows > 1 and (self.bars or self.several) else 250
        return {
            "height": each * self.rows + 70,
            "share_y": self.one_scale,
            "share_x": self.rows > 1 and (self.by_name or self.several),
        }

    def _broken(self, place: str) -> str:
        """Break the name of a row that is too long for the room on its left."""
        lying = self.horizontal and not self.bars
        return textwrap.fill(place, _LETTERS, break_on_hyphens=False) if lying else place

    def _names_fit(self) -> bool:
        """Say whether the names of lines can stand beside their last points."""
        if self.horizontal or not self.single or self.labelled:
            return False
        if not 2 <= len(self.series) <= _MOST_NAMES or {m.kind for m in self.marks} != {"line"}:
            return False
        return len({self._along(mark) for mark in self._last_marks()}) == 1

    def _last_marks(self) -> list[Mark]:
        """Give the mark at the end of each line."""
        return [
            max((mark for mark in self.marks if mark.series == name), key=self._along)
            for name in self.series
        ]

    def _along(self, mark: Mark) -> float:
        if isinstance(mark.x, str):
            return float(self.places.index(mark.place))
        return mark.x.timestamp() if isinstance(mark.x, datetime) else mark.x

    # --- axes --------------------------------------------------------------------------------

    def _across_axis(self, marks: Sequence[Mark]) -> Axis | None:
        """Give the axis across a panel, None where places or times stand along it."""
        if self.by_name or isinstance(marks[0].x, datetime):
            return None
        if marks[0].across is not None:
            shared = marks if self.several and not self.one_scale else self.marks
            ends = [end for m in shared if m.across for end in (m.across.low, m.across.high)]
            if self.x in self.log:
                return decade_axis(ends, self.chapter.numbers)
            return share_axis() if self.x in _WHOLES else value_axis(ends, room=0.08)
        levels = [mark.x for mark in marks if isinstance(mark.x, float)]

        write = size_label if self.x == "message_bytes" else self.chapter.numbers.exact
        return level_axis(
            levels, write, logarithmic=self.x in self.log, right=self._room_for_names(),
            width=self.canvas.panel_width,
        )  # fmt: skip

    def _value_axis(self, marks: Sequence[Mark]) -> Axis:
        """Give the axis of the values in a panel."""
        row = marks[0].panel[0]
        if self.one_scale:
            marks = [m for m in self.marks if m.panel[0] == row or not self.several]
        name = self.metrics[row if self.several else 0]
        values = [end for mark in marks for end in (mark.y.low, mark.y.high, mark.y.value)]
        if name in self.references:
            values.append(self.references[name][0])
        if self.horizontal and not self.bars:
            longest = max(1 + len(mark.text) for mark in marks) if self.texts else 0
            log = name in self.log
            whole = share_axis() if name in _WHOLES else free_axis(values)
            axis = decade_axis(values, self.chapter.numbers) if log else whole
            return widened(axis, _CHARACTER * longest / self.canvas.panel_width)
        if name in self.log:
            return decade_axis(values, self.chapter.numbers)
        if name in _WHOLES:
            return share_axis()
        room = 0.12 if self.single else 0.14 if self.bars else 0.08
        if self.horizontal:
            room = 0.05
            if not any(mark.y.has_interval for mark in marks):
                longest = max(len(mark.label or mark.y.shown) for mark in marks)
                room = min(0.5, 6.4 * longest / self.canvas.plot_width)
        return value_axis(values, room=room)

    def _lay_out(self, marks: Sequence[Mark], x_title: str, y_title: str, *, lowest: bool) -> None:
        """Give a panel its axes; titles stand at the outermost panels only."""
        row, column = marks[0].panel
        at = {"row": row + 1, "col": column + 1}
        across, up = self._across_axis(marks), self._value_axis(marks)
        y_title = plot_text(logarithmic(y_title) if up.logarithmic else y_title)
        x_title = plot_text(logarithmic(x_title) if across and across.logarithmic else x_title)
        named: dict[str, Any] = {"type": "category", "categoryorder": "array",
                                 "categoryarray": [plot_text(p) for p in self.places]}  # fmt: skip
        if self.bars:
            named["autorange"] = "reversed" if self.horizontal else None
        elif self.by_name:
            last, broken = len(self.places) - 1, map(self._broken, self.places)
            right = self._room_for_names() * max(1, last) if self.direct else 0.2
            named = {
                "tickvals": list(range(last + 1)),
                "ticktext": [plot_text(place).replace("\n", "<br>") for place in broken],
                "range": [last + 0.5, -0.5] if self.horizontal else [-0.2, last + right],
            }
        if self.horizontal:
            self.figure.update_yaxes(
                **named, **at, showgrid=not self.bars, rangemode="normal",
                tickfont={"size": 12, "color": self.colors.ink}, ticklabelstandoff=6,
            )  # fmt: skip
            self.figure.update_xaxes(
                **up.layout, **at, title_text=y_title if lowest else "", showgrid=True,
                gridcolor=self.colors.rule, showline=False,
            )  # fmt: skip
            return
        layout = across.layout if across else named if self.by_name else {}
        metric_across = self.marks[0].across is not None
        self.figure.update_xaxes(
            **layout, **at, showgrid=metric_across, gridcolor=self.colors.rule, title_standoff=8,
            title_text=x_title if lowest else "",
        )  # fmt: skip
        self.figure.update_yaxes(**up.layout, **at, title_text=y_title if column == 0 else "")

    def _room_for_names(self) -> float:
        """Give the room beside the last points, as a multiple of what lies before them."""
        longest = max(map(len, self.series)) if self.direct else 0
        room = (_CHARACTER * longest + 20) / self.canvas.plot_width
        return room / (1 - min(room, 0.5))

    # --- marks -------------------------------------------------------------------------------

    def _trace(self, marks: list[Mark], *, in_legend: bool) -> None:
        """Draw the marks of one kind that a series has in a panel."""
        name = marks[0].series
        style = self.styles[name]
        if not self.bars and not self.horizontal and marks[0].across is None:
            marks = sorted(marks, key=self._along)
        if marks[0].kind == "bar":
            trace = bars(
                marks, name, style, self.colors, horizontal=self.horizontal,
                size=self._letters(),
            )  # fmt: skip
        else:
            places = None
            if self.by_name:
                places = [self.places.index(mark.place) + self._beside(mark) for mark in marks]
            trace = points(
                marks, name, style, self.colors, places=places, horizontal=self.horizontal,
                labelled=self.texts, small=not self.single,
            )  # fmt: skip
            at = [i for i, mark in enumerate(marks) if mark.is_point]
            ringed = rings(
                [trace.x[i] for i in at], [trace.y[i] for i in at],
                [marks[i].y.quantity for i in at], self.doubted, self.colors,
            )  # fmt: skip
            if ringed:
                self._add(ringed, marks[0], in_legend=False)
        self._add(trace, marks[0], in_legend=in_legend)

    def _add(self, trace: Any, mark: Mark, *, in_legend: bool) -> None:
        """Add a trace of the mark's series to the mark's panel."""
        rank = 1 + self.series.index(mark.series)
        trace.update(legendgroup=plot_text(mark.series), showlegend=in_legend, legendrank=rank)
        row, column = mark.panel
        self.figure.add_trace(trace, row=row + 1, col=column + 1)

    def _beside(self, mark: Mark) -> float:
        """Say how far below the middle of its place a dot stands that lies among others."""
        if self.bars or not self.horizontal:
            return 0.0
        here = self.together[mark.panel, mark.place]
        before = sum(self.series.index(name) < self.series.index(mark.series) for name in here)
        return (before - (len(here) - 1) / 2) * _GROUP / self.most_together

    def _letters(self) -> float | None:
        """Give the size at which values stand above their bars without touching, or None."""
        if any(mark.y.has_interval for mark in self.marks):
            return None
        if self.horizontal:
            return 12
        wide = self.canvas.plot_width / self.columns / (len(self.places) * len(self.series))
        longest = max(len(self.chapter.write(m.y.quantity, unit=False)) for m in self.marks)
        size = wide * 0.94 / (0.6 * longest)
        most = 11.0 if self.single else 9.0
        return min(most, math.floor(size * 2) / 2) if size >= 7 else None

    def _remember(self, marks: Sequence[Mark]) -> None:
        """Give the alt text and the download what a series has in a panel."""
        curve = [mark for mark in marks if mark.kind == "curve"]
        unsaid = curve[1:-1] if len(curve) > _LONG else []
        for mark in marks:
            metric = axis_title(self.chapter, self.metrics[mark.panel[0]]) if self.several else ""
            y, across = mark.y, mark.across
            cells = y.quantity.cells + (across.quantity.cells if across else ())
            labelled = self.labelled and not self.bars
            place = f"{mark.label} at {mark.place}" if labelled else mark.place
            if mark.kind in self.key:
                place += f" ({self.key[mark.kind]})"
            series = ", ".join(filter(None, [mark.panel_name, mark.series, metric]))
            said = mark not in unsaid
            self.canvas.values.append(Value(series, place, y, tuple(dict.fromkeys(cells)), said))

    # --- what stands beside them ---------------------------------------------------------------

    def _explain(self) -> None:
        """Draw the references, and say what their lines and rings mean."""
        ink = self.colors.ink
        more: list[tuple[str, dict[str, Any]]] = []
        line = {"color": ink, "width": 1.4, "dash": "dot"}
        for metric, (value, _) in self.references.items():
            row = self.metrics.index(metric) + 1 if self.several else "all"
            if self.bars:  # over the grid and behind them: their values are read through it
                along, up = ("y", "x") if self.horizontal else ("x", "y")
                ends = {f"{along}0": -0.5, f"{along}1": len(self.places) - 0.5}
                self.figure.add_shape(
                    type="line", **ends, **{f"{up}0": value, f"{up}1": value}, line=line,
                    layer="between", row=row, col="all", exclude_empty_subplots=True,
                )  # fmt: skip
            else:
                rule = self.figure.add_vline if self.horizontal else self.figure.add_hline
                rule(value, line=line, row=row, col="all")
        for name in dict.fromkeys(name for _, name in self.references.values()):
            more.append((name, {"mode": "lines", "line": line}))
        for moment in self.moments:
            self.figure.add_vline(moment, line={"color": ink, "width": 1, "dash": "dot"})
        points = [mark.y.quantity for mark in self.marks if mark.is_point]
        if kinds := {one.kind for one in points if self.doubted.intersection(one.cells)}:
            words = " or ".join(
                ["corrected or doubtful in the source"] * ("published" in kinds)
                + ["from marked runs"] * ("measured" in kinds)
            )
            more.append((words, {"mode": "markers", "marker": {**RING, "color": ink}}))
        for words, look in more:
            self.figure.add_trace(go.Scatter(x=[None], y=[None], name=plot_text(words), **look))
        in_legend = [] if self.direct else [name for name in self.series if name]
        in_legend = list(dict.fromkeys([*in_legend, *(words for words, _ in more)]))
        shown = len(in_legend) > 1 or bool(more)
        overlay = self.horizontal and len(self.marks) == len(self.places) * self.columns
        self.figure.update_layout(
            showlegend=shown, barmode="overlay" if overlay else "group",
            bargap=0.28 if self.single else 0.2,
        )  # fmt: skip
        self.canvas.fit_legend(in_legend if shown else [])

    def _name_lines(self) -> None:
        """Put the names of lines beside their ends, where they touch nothing."""
        across, up = self.figure.layout.xaxis, self.figure.layout.yaxis
        lasts = self._last_marks()
        wanted = [share_along(up, last.y.value) * self.canvas.plot_height for last in lasts]
        placed = spread(wanted, _LABEL_GAP, 0.75 * _LABEL_GAP)
        for last, at, pixel in zip(lasts, wanted, placed, strict=True):
            x = self._along(last)
            color = readable(self.styles[last.series].color, self.colors.page)
            self.figure.add_annotation(
                x=math.log10(x) if across.type == "log" else x,
                y=math.log10(last.y.value) if up.type == "log" else last.y.value,
                text=plot_text(last.series), showarrow=False, xanchor="left", xshift=10,
                yshift=pixel - at, font={"size": 12, "color": color, "weight": 600},
            )  # fmt: skip
