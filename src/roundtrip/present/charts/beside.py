"""Published and measured side by side: each in its own panel, on its own scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.charts.canvas import Canvas, Value
from roundtrip.present.charts.panels import panel_grid
from roundtrip.present.charts.with_intervals import interval_trace, value_of
from roundtrip.present.comparability import refuse_mixed_kinds
from roundtrip.present.figure import Figure
from roundtrip.present.measured.means import PERCENTILES, Measured
from roundtrip.present.numbers import size_label
from roundtrip.present.runs import TIME
from roundtrip.present.theme import Style, style_of

_ROW = 200
_ROUND = (1, 2, 5)


def sweeps_beside_published(
    here: Measured,
    peaks: pd.DataFrame,
    curves: pd.DataFrame | None,
    *,
    title: str,
    caption: str,
) -> Figure | None:
    """Draw rate and CPU over requesters: published on the left, measured here on the right.

    Parameters
    ----------
    here : Measured
        One delivery mode of a campaign.
    peaks : pandas.DataFrame
        Published peaks by message size: ``clients``, a rate and ``cpu``. Drawn as marks.
    curves : pandas.DataFrame or None
        Published sweep of one message size, read from a drawing. Drawn as a line.
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure or None
        None when nothing was measured. Means over repetitions carry their confidence interval.
    """
    if not here.exists:
        return None
    for points in (peaks, curves):
        if points is not None:
            refuse_mixed_kinds(points, caption)
    chapter = here.chapter
    sizes = sorted({*here.levels("message_bytes"), *(int(s) for s in peaks["message_bytes"])})
    panels = ["Published, rate", "Measured here, rate", "Published, CPU", "Measured here, CPU"]
    canvas = panel_grid(
        chapter, title, panels, 2, rows=2, height=_ROW, share_x=False, share_y=False
    )
    rates: tuple[list[float], list[float]] = ([], [])
    counts: tuple[list[float], list[float]] = ([], [])
    for position, size in enumerate(sizes):
        style, name = style_of(str(size), position), size_label(size)
        _legend(canvas, name, style)
        if curves is not None and size in set(curves["message_bytes"]):
            part = curves[curves["message_bytes"] == size].sort_values("requesters")
            _published(canvas, chapter, name, style, part, "requesters", "lines")
            rates[0].extend(part[RATE])
            counts[0].extend(part["requesters"])
        part = peaks[peaks["message_bytes"] == size]
        if not part.empty:
            _published(canvas, chapter, name, style, part, "clients", "markers")
            rates[0].extend(part[RATE])
            counts[0].extend(part["clients"])
        if size in here.levels("message_bytes"):
            found = _measured(canvas, here, name, style, size)
            rates[1].extend(found)
            counts[1].extend(here.levels("requesters", message_bytes=size))
    for column in (1, 2):
        _axes(canvas, chapter, rates[column - 1], counts[column - 1], column)
    canvas.figure.update_layout(showlegend=True)
    return canvas.finish("Charts side by side, rate above CPU, logarithmic axes", caption)


def _published(
    canvas: Canvas, chapter: Chapter, name: str, style: Style, part: pd.DataFrame, across: str,
    mode: str,
) -> None:  # fmt: skip
    origin = "published, " + ("read from a drawing" if mode == "lines" else "printed peak")
    for row, metric in enumerate((RATE, "cpu"), start=1):
        if metric not in part or part[metric].isna().all():
            continue
        rows = part[part[metric].notna()]
        values = chapter.quantities(rows, metric)
        canvas.figure.add_trace(
            go.Scatter(
                x=rows[across].tolist(), y=[q.value for q in values], mode=mode, name=name,
                legendgroup=name, showlegend=False, cliponaxis=False,
                marker={"color": style.color, "symbol": style.symbol, "size": 10},
                line={"color": style.color, "width": 1.4},
                text=[chapter.write(q) for q in values],
                hovertemplate=f"%{{x}} requesters: %{{text}}, {origin}<extra>{name}</extra>",
            ),
            row=row, col=1,
        )  # fmt: skip
        shown = [values[0], values[-1]] if len(values) > 2 else values
        at = rows[across].tolist()
        where = [at[0], at[-1]] if len(values) > 2 else at
        canvas.add_values(
            [Value(f"{name}, {origin}", f"{x:g} requesters", q.value, q.unit, q.cells,
                   chapter.write(q) + (" CPU" if row == 2 else ""))
             for x, q in zip(where, shown, strict=True)]
        )  # fmt: skip


def _measured(canvas: Canvas, here: Measured, name: str, style: Style, size: int) -> list[float]:
    levels = here.levels("requesters", message_bytes=size)
    drawn: list[float] = []
    for row, metric in enumerate((RATE, "machine_cpu"), start=1):
        pairs = [
            (level, mean)
            for level in levels
            if (mean := here.mean(metric, message_bytes=size, requesters=level)) is not None
        ]
        if not pairs:
            continue
        canvas.figure.add_trace(interval_trace(here.chapter, name, style, pairs), row=row, col=2)
        canvas.add_values(
            [value_of(here.chapter, f"{name}, measured here", f"{level} requesters", mean,
                    " CPU" if row == 2 else "")
             for level, mean in pairs]
        )  # fmt: skip
        if row == 1:
            drawn = [mean.quantity.value for _, mean in pairs]
            drawn += [mean.interval.high for _, mean in pairs if mean.interval.known]
    return drawn


def latency_panels(here: Measured, *, title: str, caption: str) -> Figure | None:
    """Draw percentiles of the time of a round trip over requesters, a panel for each size.

    Parameters
    ----------
    here : Measured
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure or None
        None when nothing was measured.
    """
    if not here.exists:
        return None
    chapter, sizes = here.chapter, here.levels("message_bytes")
    columns = min(2, len(sizes))
    canvas = panel_grid(
        chapter, title, [size_label(size) for size in sizes], columns, height=_ROW, share_x=False
    )
    seen: list[float] = []
    for position, (statistic, label) in enumerate(PERCENTILES.items()):
        style = style_of(statistic, position)
        _legend(canvas, label, style)
        for place, size in enumerate(sizes):
            pairs = [
                (level, mean)
                for level in here.levels("requesters", message_bytes=size)
                if (mean := here.mean(TIME, statistic, message_bytes=size, requesters=level))
            ]
            if not pairs:
                continue
            row, column = place // columns + 1, place % columns + 1
            trace = interval_trace(chapter, label, style, pairs)
            canvas.figure.add_trace(trace, row=row, col=column)
            canvas.add_values(
                [value_of(chapter, f"{size_label(size)}, {label}", f"{level} requesters", mean)
                 for level, mean in pairs]
            )  # fmt: skip
            seen += [mean.quantity.value for _, mean in pairs]
            seen += [m.interval.high for _, m in pairs if m.interval.known]
            seen += [m.interval.low for _, m in pairs if m.interval.known and m.interval.low > 0]
    if not seen:
        return None
    bounds = _bounds(seen, floor=min(m for m in seen if m > 0))
    ticks = _ticks(bounds)
    canvas.figure.update_yaxes(
        type="log", range=list(bounds), tickvals=ticks,
        ticktext=[chapter.numbers.write(t, 0 if t >= 1 else 2) for t in ticks], title_text="ms",
    )  # fmt: skip
    _across(canvas, here.levels("requesters"), len(sizes), columns)
    canvas.figure.update_layout(showlegend=True)
    return canvas.finish("Line charts with logarithmic axes, a panel for each size", caption)


def _legend(canvas: Canvas, name: str, style: Style) -> None:
    canvas.figure.add_trace(
        go.Scatter(
            x=[None], y=[None], mode="lines+markers", name=name, legendgroup=name,
            marker={"color": style.color, "symbol": style.symbol, "size": 8},
            line={"color": style.color, "dash": style.dash, "width": 2},
        )
    )  # fmt: skip


def _axes(
    canvas: Canvas, chapter: Chapter, rates: list[float], counts: list[float], column: int
) -> None:
    figure = canvas.figure
    if not rates:
        return
    bounds = _bounds(rates)
    ticks = _ticks(bounds)
    figure.update_yaxes(
        type="log", range=list(bounds), tickvals=ticks,
        ticktext=[chapter.numbers.write(tick) for tick in ticks], row=1, col=column,
    )  # fmt: skip
    figure.update_yaxes(range=[0, 104], dtick=25, row=2, col=column)
    if column == 1:
        figure.update_yaxes(title_text=chapter.label(RATE), row=1, col=1)
        figure.update_yaxes(title_text=chapter.label("cpu"), row=2, col=1)
    for row in (1, 2):
        figure.update_xaxes(**_log_axis(counts), row=row, col=column)
    figure.update_xaxes(title_text="Requesters", title_standoff=6, row=2, col=column)


def _across(canvas: Canvas, levels: Sequence[float], panels: int, columns: int) -> None:
    """Give every panel its axis, and those without a panel below them its title."""
    canvas.figure.update_xaxes(**_log_axis(levels))
    for place in range(max(0, panels - columns), panels):
        canvas.figure.update_xaxes(
            title_text="Requesters", title_standoff=4,
            row=place // columns + 1, col=place % columns + 1,
        )  # fmt: skip


def _log_axis(levels: Sequence[float]) -> dict[str, Any]:
    low, high = math.log10(min(levels)), math.log10(max(levels))
    room = max(0.08, (high - low) * 0.06)
    ticks = [t for t in _ticks((low - 0.01, high + 0.01)) if high - low < 1.2 or _decade(t)]
    if len(set(levels)) <= 8:
        ticks = sorted({float(level) for level in levels})
    return {
        "type": "log", "range": [low - room, high + room], "tickvals": ticks,
        "ticktext": [f"{tick:g}" for tick in ticks],
    }  # fmt: skip


def _decade(tick: float) -> bool:
    return math.isclose(math.log10(tick) % 1, 0, abs_tol=1e-9)


def _bounds(values: Sequence[float], floor: float | None = None) -> tuple[float, float]:
    least = floor if floor is not None else min(value for value in values if value > 0)
    return math.log10(least) - 0.15, math.log10(max(values)) + 0.12


def _ticks(bounds: tuple[float, float]) -> list[float]:
    low, high = bounds
    steps = _ROUND if high - low < 2.2 else (1,)
    return [
        step * 10.0**exponent
        for exponent in range(math.floor(low), math.ceil(high) + 1)
        for step in steps
        if low <= math.log10(step * 10.0**exponent) <= high
    ]
