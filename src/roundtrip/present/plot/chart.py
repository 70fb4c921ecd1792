"""One call draws every chart: rows, what stands where, and a mark."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.comparability import (
    load_words,
    state_differences,
    state_differences_of_cells,
)
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import size_label
from roundtrip.present.plot.axes import (
    Axis,
    decade_axis,
    free_axis,
    level_axis,
    share_axis,
    value_axis,
)
from roundtrip.present.plot.canvas import Canvas, Value, plot_text
from roundtrip.present.plot.labels import lift_labels, place_point_labels, spread
from roundtrip.present.plot.rows import MARKS, Mark, frame_of, marks_of
from roundtrip.present.plot.traces import bars, points
from roundtrip.present.repeats import margin_of_ratios, repeat_margin
from roundtrip.present.suspect_cells import doubted_cells
from roundtrip.present.theme import Style, style_of
from roundtrip.theme import readable

_CHARACTER, _CAPITAL = 6.6, 7.3  # pixels of a letter at size 12, on average
_LABEL_GAP = 16  # pixels between the baselines of names beside lines
_LONG = 12  # points of a curve above which the alt text gives its ends only
_ROW_BAR, _ROW_PLACE, _ROW_AROUND = 18, 14, 140  # pixels
_WHOLES = ("cpu", "machine_cpu")  # metrics that are shares of a whole


def chart(
    chapter: Chapter,
    rows: pd.DataFrame | Sequence[tuple[Any, ...]],
    *,
    title: str,
    caption: str,
    x: str = "x",
    y: str | Sequence[str] = "y",
    mark: str = "bar",
    series: str | None = None,
    panels: str | None = None,
    columns: int = 2,
    horizontal: bool = False,
    one_scale: bool = True,
    log: Collection[str] = (),
    x_title: str | None = None,
    y_title: str | Sequence[str] | None = None,
    labels: str | None = None,
    ends: tuple[str, str] | None = None,
    reference: tuple[float, str] | None = None,
    moments: Sequence[Any] = (),
    names: Mapping[Any, str] | None = None,
    styles: Mapping[str, Style] | None = None,
    key: Mapping[str, str] | None = None,
    varied: Collection[str] | None = (),
) -> Figure:
    """Draw rows as bars, lines or dots, in one panel or several.

    Bars start at zero, and so do lines unless their axis is logarithmic. Each series keeps the
    style of its variant throughout the report. Measured values are hollow and carry their
    intervals, published ones are solid; those that their source disproves or doubts are ringed.
    Names stand beside lines where they fit, otherwise in a legend.

    Parameters
    ----------
    chapter : Chapter
        Gives units, labels, the format of numbers and what the rows come from.
    rows : pandas.DataFrame or sequence of tuple
        Operating points, or a table with columns of quantities or means; or tuples
        ``(series, x, quantity)`` or ``(panel, series, x, quantity)``.
    title : str
        The finding, as a sentence.
    caption : str
        What is drawn. What differs between the rows, beside what is `varied`, is added.
    x : str
        Column along the horizontal axis: a factor, a metric, times or names of places.
    y : str or sequence of str
        Column of values: a metric of the points, quantities or means. Several make a row of
        panels each, one above the other.
    mark : {"bar", "line", "dot", "curve"} or str
        What a row is drawn as; or the column that says so for each row. A curve is a line without
        points, such as one that was read off a drawing.
    series, panels : str, optional
        Columns whose values have a style each; a panel each.
    columns : int
        Panels beside each other.
    horizontal : bool
        Whether bars or dots lie, with the places from top to bottom: for long names.
    one_scale : bool
        Whether the panels of a row share their vertical scale.
    log : collection of str
        Those of `x` and `y` whose axes are logarithmic.
    x_title, y_title : str, optional
        Titles of the axes, with units; the dictionary's by default. One for each of several `y`.
    labels : str, optional
        Column of texts beside the points, or at the ends of bars instead of their values.
    ends : (str, str), optional
        Columns with the ends of an interval around `y`, where the values have none of their own.
    reference : (float, str), optional
        A value that the others are compared with, or a limit: drawn as a line, and its name.
    moments : sequence
        Places along the horizontal axis that are marked by a line through all panels.
    names : mapping, optional
        Names of series and panels, where the dictionary's are not enough.
    styles : mapping, optional
        Styles of series by name, where they are not those of variants.
    key : mapping, optional
        Kind of mark to what it means, for charts with several.
    varied : collection of str or None
        Factors, beside those of `x`, `series` and `panels`, that the chart is about. None where
        the rows are not compared, such as a published and a measured panel.

    Returns
    -------
    Figure

    Raises
    ------
    ChapterError
        If rows are compared that differ in what decides the result, or there are none.
    KeyError, TypeError
        If a column is missing, or holds numbers without origin.
    """
    frame, tuples = frame_of(rows)
    if tuples:
        series = "series"
        panels = "panels" if "panels" in frame and frame["panels"].nunique() > 1 else None
    if labels in chapter.dictionary.factors:  # lines join the points in the order of their labels
        frame = frame.sort_values(labels, kind="stable")
    metrics = [y] if isinstance(y, str) else list(y)
    found, titles = marks_of(
        chapter, frame, x=x, y=metrics, mark=mark, series=series, panels=panels,
        columns=columns, labels=labels, ends=ends, names=names or {},
    )  # fmt: skip
    if not found:
        raise ValueError(f"nothing to draw in '{title}'")
    if unknown := {item.kind for item in found} - set(MARKS):
        raise ValueError(f"no mark is called {', '.join(sorted(unknown))}: {', '.join(MARKS)}")
    if varied is not None:
        about = {*varied, x, *filter(None, (series, panels, labels))}
        caption = _stated(chapter, frame, metrics, found, about, caption)
    drawn = [item.y.quantity for item in found]
    if reference is not None and metrics == [RATE]:
        margin = repeat_margin(chapter, [cell for one in drawn for cell in one.cells])
    else:
        margin = margin_of_ratios(chapter, drawn)
    load = ""
    if "requesters" not in (x, series, panels, labels):
        cells = [cell for one in drawn for cell in one.cells]
        load = load_words(chapter, cells, [caption, x_title or ""])
    caption = " ".join(filter(None, [caption, margin, load]))
    drawing = _Drawing(
        chapter, found, titles, title=title, x=x, metrics=metrics, horizontal=horizontal,
        rows=len(metrics) if len(metrics) > 1 else math.ceil(max(1, len(titles)) / columns),
        columns=max(1, len(titles) if len(metrics) > 1 else min(columns, len(titles))),
        one_scale=one_scale, log=frozenset(log), styles=styles or {}, labelled=labels is not None,
        reference=reference,
    )  # fmt: skip
    heads: list[str | None] = [None] * len(metrics)
    if y_title is not None:
        heads = [y_title] if isinstance(y_title, str) else list(y_title)
    drawing.draw(
        x_title or _axis_title(chapter, x),
        [head or _axis_title(chapter, name) for head, name in zip(heads, metrics, strict=True)],
        key or {},
    )
    for moment in moments:
        ink = drawing.colors.ink
        drawing.figure.add_vline(moment, line={"color": ink, "width": 1, "dash": "dot"})
    return drawing.canvas.finish(drawing.kind, caption)


def _stated(
    chapter: Chapter, frame: pd.DataFrame, metrics: Sequence[str], marks: Sequence[Mark],
    varied: Collection[str], caption: str,
) -> str:  # fmt: skip
    if all(f"{metric}_cell" in frame for metric in metrics):
        return state_differences(chapter, frame, varied, caption)
    quantities = [mark.y.quantity for mark in marks]
    cells = {cell.partition("/")[0] for q in quantities for cell in q.cells}
    if {q.kind for q in quantities} == {"measured"} and len(cells) == 1:
        return caption  # every run of a campaign has the same setting but for what it varies
    return state_differences_of_cells(chapter, quantities, varied, caption)


def _axis_title(chapter: Chapter, name: str) -> str:
    if name in chapter.dictionary.metrics:
        label, unit = chapter.label(name), chapter.unit(name)
        return f"{label} ({unit})" if unit and unit.lower() not in label.lower() else label
    entry = chapter.dictionary.factors.get(name)
    if entry is None:
        return "" if name in ("x", "y") else name.replace("_", " ").capitalize()
    if name == "message_bytes" or not entry.unit:  # sizes are labelled 2 KB, not 2048
        return entry.label
    return f"{entry.label} ({entry.unit})"


class _Drawing:
    """A chart in the making: scales first, then marks, then what has to stand clear of them."""

    def __init__(
        self, chapter: Chapter, marks: list[Mark], titles: list[str], *, title: str, x: str,
        metrics: list[str], horizontal: bool, rows: int, columns: int, one_scale: bool,
        log: frozenset[str], styles: Mapping[str, Style], labelled: bool,
        reference: tuple[float, str] | None,
    ) -> None:  # fmt: skip
        self.chapter, self.marks, self.x, self.metrics = chapter, marks, x, metrics
        self.horizontal, self.rows, self.columns = horizontal, rows, columns
        self.one_scale, self.log, self.labelled = one_scale, log, labelled
        self.reference = reference
        self.bars = any(mark.kind == "bar" for mark in marks)
        self.single = rows * columns == 1
        # Panels of different units above each other: their names stand at their axes.
        self.stacked = columns == 1 and rows > 1 and not one_scale and len(metrics) == 1
        self.places = list(dict.fromkeys(mark.place for mark in marks))
        self.by_name = self.bars or horizontal or isinstance(marks[0].x, str)
        keys = {mark.series: mark.key for mark in marks}
        self.series = list(keys)
        self.styles = {
            name: styles.get(name) or style_of(str(keys[name]), position, chapter.project)
            for position, name in enumerate(keys)
        }
        if self.by_name and x in chapter.dictionary.factors and not horizontal:
            self.places.sort(key=lambda place: [m.place for m in marks].index(place))
            numbers = {m.place: m.x for m in marks if isinstance(m.x, float)}
            if len(numbers) == len(self.places):
                self.places.sort(key=lambda place: numbers[place])
        cells = [cell for mark in marks for cell in mark.y.quantity.cells]
        self.doubted = set(doubted_cells(chapter, cells))
        self.direct = self._names_fit()
        heads = [] if self.stacked else titles
        self.canvas = Canvas(chapter, title, heads, rows, columns, **self._size(titles))
        self.figure = self.canvas.figure
        self.colors = self.canvas.colors

    @property
    def kind(self) -> str:
        """What the chart is, for those who do not see it."""
        name = {"bar": "Bar chart", "dot": "Dot chart"}.get(self.marks[0].kind, "Line chart")
        if any(mark.y.has_interval for mark in self.marks):
            name += " with intervals"
        if self.log:
            name += " with logarithmic axes" if len(self.log) > 1 else " with a logarithmic axis"
        return name if self.single else f"{name}, {self.rows * self.columns} panels"

    def draw(self, x_title: str, y_titles: Sequence[str], key: Mapping[str, str]) -> None:
        """Draw everything."""
        panels: dict[tuple[int, int], list[Mark]] = defaultdict(list)
        for mark in self.marks:
            panels[mark.panel] = [*panels[mark.panel], mark]
        named: set[str] = set()
        line_name = self.reference[1] if self.reference else ""
        axes = {}
        for place, marks in panels.items():
            across, up = self._axes(place, marks)
            axes[place] = (across, up)
            for name in dict.fromkeys(mark.series for mark in marks):
                of_series = [mark for mark in marks if mark.series == name]
                for kind in dict.fromkeys(mark.kind for mark in of_series):
                    in_legend = not self.direct and name not in ("", line_name, *named)
                    alike = [mark for mark in of_series if mark.kind == kind]
                    self._trace(alike, place, in_legend=in_legend)
                    named.add(name)
                self._remember(of_series, key)
            self._lay_out(
                place, panels, across, up, x_title, y_titles[min(place[0], len(y_titles) - 1)]
            )
        self._explain(key, named)
        if self.bars and self.reference and not self.horizontal:
            lift_labels(self.figure, self.reference[0], self.canvas.panel_height)
        elif self.single and not self.horizontal:
            self._clear_labels(*axes[0, 0])

    # --- sizes -------------------------------------------------------------------------------

    def _size(self, titles: Sequence[str]) -> dict[str, Any]:
        """Give the height of a panel and the room on its left."""
        if self.horizontal:
            longest = max(len(place) for place in self.places)
            bars = len({(mark.series, mark.place) for mark in self.marks})
            apart = max(1, round(bars / len(self.places)))
            height = _ROW_PLACE * len(self.places) + _ROW_BAR * (
                bars if self.single and apart > 1 else len(self.places)
            )
            return {
                "height": _ROW_AROUND + height,
                "margin_left": int(min(340, 40 + _CAPITAL * longest)),
            }
        if self.single:
            return {"height": 440 if self.labelled or self.log else 400}
        each = 185 if self.rows > 1 and (self.bars or len(self.metrics) > 1) else 250
        alike = self.by_name or self.stacked or len(self.metrics) > 1
        return {
            "height": each * self.rows + 70,
            "share_y": self.one_scale,
            "share_x": alike and self.rows > 1,
        }

    def _names_fit(self) -> bool:
        """Say whether the names of lines can stand beside their last points."""
        if not self.single or self.bars or self.labelled or len(self.series) < 2:
            return False
        if any(mark.kind != "line" for mark in self.marks) or len(self.series) > 8:
            return False
        lasts = [
            max(self._along(mark) for mark in self.marks if mark.series == name)
            for name in self.series
        ]
        return min(lasts) == max(lasts)

    def _along(self, mark: Mark) -> float:
        if isinstance(mark.x, str):
            return float(self.places.index(mark.place))
        return mark.x.timestamp() if isinstance(mark.x, datetime) else mark.x

    # --- axes --------------------------------------------------------------------------------

    def _axes(self, place: tuple[int, int], marks: Sequence[Mark]) -> tuple[Axis | None, Axis]:
        """Give the axes of a panel: across (None: places or times) and upright."""
        alike = [m for m in self.marks if m.panel[0] == place[0] or len(self.metrics) == 1]
        up = self._value_axis(alike if self.one_scale else marks, place[0])
        if self.by_name or isinstance(marks[0].x, datetime):
            return None, up
        shared = self.marks if self.one_scale or len(self.metrics) == 1 else marks
        if marks[0].across is not None:
            ends = [end for m in shared if m.across for end in (m.across.low, m.across.high)]
            if "x" in self.log or self.x in self.log:
                return decade_axis(ends, self.chapter.numbers), up
            return (share_axis() if self.x in _WHOLES
                    else value_axis(ends, self.chapter.numbers, room=0.08)), up  # fmt: skip
        levels = [mark.x for mark in marks if isinstance(mark.x, float)]
        longest = max(len(name) for name in self.series) if self.direct else 0
        room = (_CHARACTER * longest + 20) / self.canvas.plot_width
        write = size_label if self.x == "message_bytes" else self._write_level
        right = room / (1 - min(room, 0.5))
        return level_axis(
            levels, write, logarithmic=self.x in self.log, right=right,
            width=self.canvas.panel_width,
        ), up  # fmt: skip

    def _write_level(self, level: float) -> str:
        return self.chapter.numbers.write(level, 0 if level.is_integer() else 1)

    def _value_axis(self, marks: Sequence[Mark], row: int) -> Axis:
        name = self.metrics[row] if len(self.metrics) > 1 else self.metrics[0]
        numbers = [mark.y for mark in marks]
        values = [end for number in numbers for end in (number.low, number.high, number.value)]
        if self.reference:
            values.append(self.reference[0])
        if name in self.log:
            return decade_axis(values, self.chapter.numbers)
        if name in _WHOLES:
            return share_axis()
        if self.horizontal and not self.bars:
            return free_axis(values)
        texts = max((len(mark.label or mark.y.shown) for mark in marks), default=0)
        if self.horizontal:
            plain = not any(n.has_interval for n in numbers)
            room = min(0.5, 6.4 * texts / self.canvas.plot_width) if plain else 0.05
        else:
            room = 0.12 if self.single else 0.14 if self.bars else 0.08
        return value_axis(values, self.chapter.numbers, room=room)

    def _lay_out(
        self, place: tuple[int, int], panels: Mapping[tuple[int, int], Sequence[Mark]],
        across: Axis | None, up: Axis, x_title: str, y_title: str,
    ) -> None:  # fmt: skip
        """Give a panel its axes; titles stand at the outermost panels only."""
        at = {"row": place[0] + 1, "col": place[1] + 1}
        lowest = (place[0] + 1, place[1]) not in panels
        y_title += " (logarithmic)" if up.logarithmic else ""
        x_title += " (logarithmic)" if across and across.logarithmic else ""
        named: dict[str, Any] = {"type": "category", "categoryorder": "array",
                                 "categoryarray": [plot_text(p) for p in self.places]}  # fmt: skip
        if not self.bars and self.by_name and not self.horizontal:
            named = {"tickvals": list(range(len(self.places))), "ticktext": named["categoryarray"],
                     "range": [-0.2, len(self.places) - 1 + self._room_for_names()]}  # fmt: skip
        if self.horizontal:
            self.figure.update_yaxes(
                **named, **at, autorange="reversed", showgrid=not self.bars, rangemode="normal",
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
        first = place[1] == 0
        if self.stacked:
            y_title = panels[place][0].panel_name
        self.figure.update_yaxes(**up.layout, **at, title_text=y_title if first else "")

    def _room_for_names(self) -> float:
        if not self.direct:
            return 0.2
        room = (_CHARACTER * max(map(len, self.series)) + 20) / self.canvas.plot_width
        return room / (1 - room) * max(1, len(self.places) - 1)

    # --- marks -------------------------------------------------------------------------------

    def _trace(self, marks: list[Mark], place: tuple[int, int], *, in_legend: bool) -> None:
        style, name = self.styles[marks[0].series], marks[0].series
        if not self.bars and not self.horizontal and marks[0].across is None:
            marks = sorted(marks, key=self._along)
        if marks[0].kind == "bar":
            trace = bars(
                marks, name, style, self.colors, horizontal=self.horizontal,
                size=self._letters(),
            )  # fmt: skip
        else:
            places = None
            if self.by_name and not self.horizontal:
                places = [float(self.places.index(mark.place)) for mark in marks]
            trace = points(
                marks, name, style, self.colors, places=places, horizontal=self.horizontal,
                doubted=self.doubted, labelled=self.labelled, small=not self.single,
            )  # fmt: skip
        trace.update(legendgroup=plot_text(name), showlegend=in_legend)
        if self.horizontal and not self.bars:  # marks of one place stand above each other
            trace.update(offsetgroup=plot_text(name), orientation="h")
        self.figure.add_trace(trace, row=place[0] + 1, col=place[1] + 1)

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

    def _remember(self, marks: Sequence[Mark], key: Mapping[str, str]) -> None:
        """Give the alt text and the download what is drawn."""
        long = len(marks) > _LONG and all(mark.kind == "curve" for mark in marks[:_LONG])
        curve = [mark for mark in marks if mark.kind == "curve"]
        for mark in marks:
            metric = ""
            if len(self.metrics) > 1:
                metric = _axis_title(self.chapter, self.metrics[mark.panel[0]])
            name = ", ".join(filter(None, [mark.panel_name, mark.series, metric]))
            said = not (long and mark.kind == "curve") or mark in (curve[0], curve[-1])
            q, beside = mark.y, mark.across
            cells = q.quantity.cells + (beside.quantity.cells if beside else ())
            labelled = self.labelled and not self.bars
            what = f"{mark.label} at {mark.place}" if labelled else mark.place
            if mark.kind in key:
                what += f" ({key[mark.kind]})"
            self.canvas.values.append(
                Value(name, what, q.value, q.quantity.unit, tuple(dict.fromkeys(cells)),
                      q.shown, q.low if q.has_interval else None,
                      q.high if q.has_interval else None, said)
            )  # fmt: skip

    # --- what stands beside them ---------------------------------------------------------------

    def _explain(self, key: Mapping[str, str], named: Collection[str]) -> None:
        """Draw the reference, and say what its line and the kinds of marks mean."""
        figure = self.figure
        more: list[tuple[str, dict[str, Any]]] = []
        if self.reference is not None:
            value, name = self.reference
            line = {"color": self.colors.ink, "width": 1.4, "dash": "dot"}
            rule = figure.add_vline if self.horizontal else figure.add_hline
            rule(value, line=line, row="all", col="all")
            more.append((name, {"mode": "lines", "line": line}))
        for kind, words in key.items():
            look: dict[str, Any] = {
                "mode": "lines",
                "line": {"color": self.colors.muted, "width": 1.4},
            }
            if kind == "dot":
                look = {"mode": "markers", "marker": {"color": self.colors.muted, "size": 9}}
            more.append((words, look))
        if self.doubted and any(mark.kind in ("line", "dot") for mark in self.marks):
            ring = {"color": self.colors.ink, "symbol": "circle-open-dot", "size": 10}
            kinds = {
                mark.y.quantity.kind
                for mark in self.marks
                if self.doubted & set(mark.y.quantity.cells)
            }
            words = " or ".join(
                ["corrected or doubtful in the source"] * ("published" in kinds)
                + ["from disturbed runs"] * ("measured" in kinds)
            )
            more.append((words, {"mode": "markers", "marker": ring}))
        for words, look in more:
            figure.add_trace(go.Scatter(x=[None], y=[None], name=plot_text(words), **look))
        in_legend = [] if self.direct else [name for name in named if name]
        shown = len(in_legend) > 1 or (bool(in_legend) and bool(more)) or bool(more)
        overlay = self.horizontal and len(self.marks) == len(self.places) * self.columns
        figure.update_layout(
            showlegend=shown, barmode="overlay" if overlay else "group",
            scattermode="overlay" if overlay or self.bars or not self.horizontal else "group",
            bargap=0.28 if self.single else 0.2,
        )  # fmt: skip
        self.canvas.fit_legend([*in_legend, *(words for words, _ in more)] if shown else [])

    def _clear_labels(self, across: Axis | None, up: Axis) -> None:
        """Put names and values where they touch nothing."""
        if self.labelled:
            place_point_labels(self.figure)
        if not self.direct:
            return
        ends = []
        for name in self.series:
            last = max((m for m in self.marks if m.series == name), key=self._along)
            ends.append((name, last))
        height = self.canvas.plot_height
        wanted = [up.share(last.y.value) * height for _, last in ends]
        for (name, last), pixel, placed in zip(
            ends, wanted, spread(wanted, _LABEL_GAP, _LABEL_GAP / 2), strict=True
        ):
            x = self._along(last)
            self.figure.add_annotation(
                x=math.log10(x) if across and across.logarithmic else x,
                y=math.log10(last.y.value) if up.logarithmic else last.y.value,
                text=plot_text(name), showarrow=False, xanchor="left", xshift=10,
                yshift=placed - pixel,
                font={"size": 12, "color": readable(self.styles[name].color, self.colors.page),
                      "weight": 600},
            )  # fmt: skip
