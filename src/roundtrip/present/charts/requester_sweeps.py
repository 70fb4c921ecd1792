"""Whole sweeps over the number of requesters: curves read from drawings, peaks from tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.charts.canvas import Value, series_of
from roundtrip.present.charts.panels import panel_grid
from roundtrip.present.figure import Figure, csv_text
from roundtrip.present.flows import rate_in_edition, time_in_round_trip
from roundtrip.present.numbers import Quantity
from roundtrip.present.theme import INK, MUTED, Style

_ROW_HEIGHT = 172
_COLUMNS = ("series", "requesters", "metric", "value", "unit", "source", "cell")
CURVE_WIDTH = 1.4


@dataclass(frozen=True)
class _Drawn:
    """One value of a chart, for its data file."""

    series: str
    requesters: float
    metric: str
    quantity: Quantity
    source: str

    def record(self) -> tuple[Any, ...]:
        q = self.quantity
        return (
            self.series, f"{self.requesters:g}", self.metric, f"{q.value:.10g}", q.unit,
            self.source, " ".join(q.cells),
        )  # fmt: skip


def sweep_panels(
    chapter: Chapter,
    curves: pd.DataFrame,
    peaks: pd.DataFrame,
    *,
    panel: str,
    series: str,
    title: str,
    caption: str,
    names: Mapping[Any, str] | None = None,
) -> Figure:
    """Draw rate and CPU over requesters: a column of two charts for each panel.

    Curves are thin lines without markers, since they were read from a drawing; the peak that a
    table prints is the only marked point.

    Parameters
    ----------
    chapter : Chapter
    curves : pandas.DataFrame
        Points read from figures: ``requesters``, a rate and ``cpu``.
    peaks : pandas.DataFrame
        The printed peaks of the same series: ``clients``, a rate and ``cpu``.
    panel, series : str
        Columns of both whose values make the columns of charts, and the curves in them.
    title, caption : str
        The finding; what is drawn, and how exact the curves are.
    names : mapping, optional
        Names of the series.

    Returns
    -------
    Figure
        Its alt text gives the peaks and the ends of the curves, its data file every point.
    """
    panels = list(dict.fromkeys(curves[panel]))
    canvas = panel_grid(chapter, title, panels, len(panels), rows=2, height=_ROW_HEIGHT)
    figure = canvas.figure
    drawn: list[_Drawn] = []
    seen: set[str] = set()
    styles = {name: style for name, _, style in series_of(chapter, curves, series, names)}
    for column, place in enumerate(panels, start=1):
        of_panel = curves[curves[panel] == place]
        for name, part, _ in series_of(chapter, of_panel, series, names):
            part = part.sort_values("requesters")
            marked = peaks[(peaks[panel] == place) & (peaks[series] == part[series].iloc[0])]
            label = f"{place}, {name}" if len(panels) > 1 else name
            for row, metric in enumerate((RATE, "cpu"), start=1):
                _curve(figure, chapter, name, styles[name], part, metric, row, column)
                _peak(figure, chapter, name, styles[name], marked, metric, row, column, seen)
                drawn += [
                    _Drawn(label, float(x), metric, q, "figure")
                    for x, q in zip(part["requesters"], chapter.quantities(part, metric),
                                    strict=True)
                ]  # fmt: skip
                drawn += [
                    _Drawn(label, float(x), metric, q, "table")
                    for x, q in zip(marked["clients"], chapter.quantities(marked, metric),
                                    strict=True)
                ]  # fmt: skip
            canvas.add_values(_summary(chapter, label, part, marked))
    _legend_for_marks(figure)
    figure.update_yaxes(range=[0, _most(curves, peaks, RATE) * 1.08], tickformat=",.0f", row=1)
    figure.update_yaxes(range=[0, 104], dtick=25, row=2)
    figure.update_yaxes(title_text=chapter.label(RATE), row=1, col=1)
    figure.update_yaxes(title_text=chapter.label("cpu"), row=2, col=1)
    figure.update_xaxes(
        range=[0, float(max(curves["requesters"].max(), peaks["clients"].max())) * 1.04], dtick=100
    )
    for column in range(1, len(panels) + 1):
        figure.update_xaxes(title_text="Requesters", title_standoff=6, row=2, col=column)
    finished = canvas.finish("Line charts of sweeps, rate above CPU", caption)
    return replace(finished, csv=_csv(drawn))


def response_curves(
    chapter: Chapter,
    curves: pd.DataFrame,
    peaks: pd.DataFrame,
    *,
    panel: str,
    series: str,
    title: str,
    caption: str,
    names: Mapping[Any, str] | None = None,
) -> Figure:
    """Draw the mean time of a round trip over the rate, computed from whole sweeps.

    Parameters
    ----------
    chapter : Chapter
    curves, peaks : pandas.DataFrame
        As for `sweep_panels`.
    panel, series : str
        Columns whose values make the charts side by side, and the curves in them.
    title, caption : str
        The finding; what is drawn, and how exact the curves are.
    names : mapping, optional
        Names of the series.

    Returns
    -------
    Figure
    """
    panels = list(dict.fromkeys(curves[panel]))
    canvas = panel_grid(chapter, title, panels, len(panels), height=250)
    figure = canvas.figure
    drawn: list[_Drawn] = []
    seen: set[str] = set()
    slowest = 0.0
    styles = {name: style for name, _, style in series_of(chapter, curves, series, names)}
    for column, place in enumerate(panels, start=1):
        of_panel = curves[curves[panel] == place]
        for name, part, _ in series_of(chapter, of_panel, series, names):
            part = part.sort_values("requesters")
            style = styles[name]
            label = f"{place}, {name}" if len(panels) > 1 else name
            marked = peaks[(peaks[panel] == place) & (peaks[series] == part[series].iloc[0])]
            times = _times(chapter, part, part["requesters"])
            at_peak = _times(chapter, marked, marked["clients"])
            slowest = max([slowest, *(time.value for time in times + at_peak)])
            figure.add_trace(
                go.Scatter(
                    x=part[RATE].tolist(), y=[time.value for time in times], name=name,
                    legendgroup=name, showlegend=False, mode="lines",
                    line={"color": style.color, "dash": style.dash, "width": CURVE_WIDTH},
                    customdata=part["requesters"].tolist(),
                    hovertemplate="%{customdata} requesters: %{x:,.0f} " + chapter.rate_unit
                    + f", %{{y:.2f}} ms<extra>{name}</extra>",
                ),
                row=1, col=column,
            )  # fmt: skip
            figure.add_trace(
                go.Scatter(
                    x=marked[RATE].tolist(), y=[time.value for time in at_peak], name=name,
                    legendgroup=name, showlegend=name not in seen, mode="markers",
                    marker={"color": style.color, "symbol": style.symbol, "size": 10},
                    cliponaxis=False,
                    hovertemplate="peak: %{x:,.0f} " + chapter.rate_unit
                    + f", %{{y:.2f}} ms<extra>{name}</extra>",
                ),
                row=1, col=column,
            )  # fmt: skip
            seen.add(name)
            for source, rows, found, count in (
                ("figure", part, times, part["requesters"]),
                ("table", marked, at_peak, marked["clients"]),
            ):
                drawn += [
                    _Drawn(label, float(x), RATE, q, source)
                    for x, q in zip(count, chapter.quantities(rows), strict=True)
                ]
                drawn += [
                    _Drawn(label, float(x), "time in round trip", q, source)
                    for x, q in zip(count, found, strict=True)
                ]
            canvas.add_values(
                [Value(label, f"at the peak of {chapter.write(rate)}", time.value, time.unit,
                       time.cells, chapter.write(time))
                 for rate, time in zip(chapter.quantities(marked), at_peak, strict=True)]
            )  # fmt: skip
        figure.update_xaxes(
            range=[0, _most(curves, peaks, RATE) * 1.08], tickformat=",.0f", nticks=5,
            title_text=chapter.label(RATE), title_standoff=6, row=1, col=column,
        )  # fmt: skip
    _legend_for_marks(figure)
    figure.update_yaxes(range=[0, slowest * 1.08], nticks=7)
    figure.update_yaxes(title_text="Mean time of a round trip (ms)", row=1, col=1)
    finished = canvas.finish("Line charts of response time over rate", caption)
    return replace(finished, csv=_csv(drawn))


def reading_accuracy(chapter: Chapter, curves: pd.DataFrame) -> str:
    """Say how exact curves are that were read off drawings, for a caption.

    Parameters
    ----------
    chapter : Chapter
    curves : pandas.DataFrame
        Points of one or more figures.

    Returns
    -------
    str
        Such as ``good to about 53 to 68 round trips/s and 0.04 percentage points of CPU``.
    """
    steps: dict[str, list[float]] = {}
    for name in dict.fromkeys(curves["table_id"]):
        for axis in chapter.about.drawings[str(name)].axes.values():
            steps.setdefault(axis.metric, []).append(axis.step)
    rates = [rate_in_edition(chapter, step) for step in (min(steps[RATE]), max(steps[RATE]))]
    spread = " to ".join(dict.fromkeys(chapter.write(rate, unit=False) for rate in rates))
    cpu = chapter.numbers.write(max(steps["cpu"]), 2)
    return (
        f"good to about {spread}\u00a0{chapter.rate_unit} and {cpu} percentage points of CPU, "
        "one step of the drawing"
    )


def requesters_for(curve: pd.DataFrame, share: float) -> pd.Series:
    """Find the first point of a sweep that reaches a share of its highest rate.

    Parameters
    ----------
    curve : pandas.DataFrame
        One series of a sweep.
    share : float
        Between 0 and 1.

    Returns
    -------
    pandas.Series
        That operating point.
    """
    ordered = curve.sort_values("requesters")
    reached: pd.DataFrame = ordered[ordered[RATE] >= share * ordered[RATE].max()]
    return reached.iloc[0]


def _times(chapter: Chapter, points: pd.DataFrame, requesters: pd.Series) -> list[Quantity]:
    return [
        time_in_round_trip(chapter, rate, Quantity(float(count), "", ()))
        for rate, count in zip(chapter.quantities(points), requesters, strict=True)
    ]


def _curve(
    figure: go.Figure, chapter: Chapter, name: str, style: Style, part: pd.DataFrame,
    metric: str, row: int, column: int,
) -> None:  # fmt: skip
    shown = f"%{{y:,.0f}} {chapter.rate_unit}" if metric == RATE else "%{y:.1f} % CPU"
    figure.add_trace(
        go.Scatter(
            x=part["requesters"].tolist(), y=part[metric].tolist(), name=name, mode="lines",
            legendgroup=name, showlegend=False,
            line={"color": style.color, "dash": style.dash, "width": CURVE_WIDTH},
            hovertemplate=f"%{{x}} requesters: {shown}, read from the drawing"
            f"<extra>{name}</extra>",
        ),
        row=row, col=column,
    )  # fmt: skip


def _peak(
    figure: go.Figure, chapter: Chapter, name: str, style: Style, marked: pd.DataFrame,
    metric: str, row: int, column: int, seen: set[str],
) -> None:  # fmt: skip
    shown = f"%{{y:,.0f}} {chapter.rate_unit}" if metric == RATE else "%{y:.2f} % CPU"
    figure.add_trace(
        go.Scatter(
            x=marked["clients"].tolist(), y=marked[metric].tolist(), name=name, mode="markers",
            legendgroup=name, showlegend=name not in seen, cliponaxis=False,
            marker={"color": style.color, "symbol": style.symbol, "size": 10},
            hovertemplate=f"%{{x}} requesters: {shown}, printed peak<extra>{name}</extra>",
        ),
        row=row, col=column,
    )  # fmt: skip
    seen.add(name)


def _legend_for_marks(figure: go.Figure) -> None:
    """Say once what a line is and what a mark is."""
    line = {"color": MUTED, "width": CURVE_WIDTH}
    figure.add_trace(
        go.Scatter(x=[None], y=[None], mode="lines", line=line, name="line: read from the drawing")
    )
    marker = {"color": "rgba(0,0,0,0)", "size": 10, "line": {"color": INK, "width": 1}}
    figure.add_trace(
        go.Scatter(x=[None], y=[None], mode="markers", marker=marker, name="mark: printed peak")
    )
    figure.update_layout(showlegend=True)


def _summary(
    chapter: Chapter, label: str, curve: pd.DataFrame, marked: pd.DataFrame
) -> list[Value]:
    """Give what the alt text says of one sweep: where it begins and where it peaks."""
    values = []
    for point, count, what in (
        (curve.iloc[[0]], curve["requesters"].iloc[0], "requesters"),
        (marked, marked["clients"].iloc[0] if len(marked) else 0, "requesters (printed peak)"),
    ):
        for rate, cpu in zip(
            chapter.quantities(point), chapter.quantities(point, "cpu"), strict=True
        ):
            shown = f"{chapter.write(rate)}, {chapter.write(cpu)} CPU"
            values.append(
                Value(label, f"{count:g} {what}", rate.value, rate.unit, rate.cells, shown)
            )
    return values


def _most(curves: pd.DataFrame, peaks: pd.DataFrame, metric: str) -> float:
    return float(max(curves[metric].max(), peaks[metric].max()))


def _csv(drawn: list[_Drawn]) -> str:
    return csv_text(_COLUMNS, [item.record() for item in drawn])
