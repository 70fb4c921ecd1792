"""Charts of computed quantities, whatever they were computed from.

What the quantities come from has to pass the gate of `roundtrip.present.comparability`: a chart
names the factors that it varies, and its caption says what else differs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import plotly.graph_objects as go

from roundtrip.present.chapter import Chapter
from roundtrip.present.charts.canvas import Canvas, Value, direct_labels, plot_text, reference_rule
from roundtrip.present.charts.marks import (
    add_bars,
    bar_look,
    decades,
    lift_labels,
    log_scale,
    marked,
    ticks_of,
)
from roundtrip.present.comparability import state_differences_of_cells
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity
from roundtrip.present.theme import HEIGHT, INK, RULE, Style

Row = tuple[str, str, Quantity]
"""Series, place on the category axis, quantity."""

_PLOT_TOP_AND_BOTTOM = 72 + 52


def _values(chapter: Chapter, rows: Sequence[Row], series: str) -> list[Value]:
    return [
        Value(name, place, q.value, q.unit, q.cells, chapter.write(q), chapter.write(q, unit=False))
        for name, place, q in rows
        if name == series
    ]


def _stated(chapter: Chapter, rows: Sequence[Row], varied: Collection[str], caption: str) -> str:
    return state_differences_of_cells(chapter, [row[-1] for row in rows], varied, caption)


def computed_bars(
    chapter: Chapter,
    rows: Sequence[Row],
    *,
    axis: str,
    styles: Mapping[str, Style],
    title: str,
    caption: str,
    varied: Collection[str],
    limit: float | None = None,
    limit_name: str = "",
    places: str = "",
) -> Figure:
    """Draw computed quantities by series and place, with the limit they approach.

    Parameters
    ----------
    chapter : Chapter
    rows : sequence of (series, place, quantity)
        What to draw; all quantities have one unit.
    axis : str
        Label of the vertical axis.
    styles : mapping
        Style of each series.
    title, caption : str
        The finding; what is drawn.
    varied : collection of str
        Factors that the comparison is about.
    limit : float, optional
        Drawn as a line, named by `limit_name`.
    places : str
        Label of the horizontal axis.

    Returns
    -------
    Figure
    """
    canvas = Canvas(chapter, title)
    for name in dict.fromkeys(series for series, _, _ in rows):
        values = _values(chapter, rows, name)
        add_bars(canvas, name, styles[name], values)
    figure = canvas.figure
    most = max(quantity.value for _, _, quantity in rows)
    if limit is not None:
        reference_rule(figure, limit_name, y=limit)
        most = max(most, limit)
    figure.update_layout(barmode="group", showlegend=True)
    figure.update_xaxes(title_text=places, type="category")
    figure.update_yaxes(range=[0, most * 1.12], title_text=axis, nticks=7)
    if limit is not None:
        lift_labels(figure, limit)
    return canvas.finish("Bar chart", _stated(chapter, rows, varied, caption))


def computed_rows(
    chapter: Chapter,
    rows: Sequence[Row],
    *,
    axis: str,
    styles: Mapping[str, Style],
    title: str,
    caption: str,
    varied: Collection[str],
) -> Figure:
    """Draw computed quantities as horizontal bars, for places with long names.

    Parameters
    ----------
    chapter : Chapter
    rows : sequence of (series, place, quantity)
        What to draw, places from top to bottom; all quantities have one unit.
    axis : str
        Label of the horizontal axis.
    styles : mapping
        Style of each series.
    title, caption : str
        The finding; what is drawn.
    varied : collection of str
        Factors that the comparison is about.

    Returns
    -------
    Figure
    """
    places = list(dict.fromkeys(place for _, place, _ in rows))
    names = list(dict.fromkeys(series for series, _, _ in rows))
    height = 140 + len(places) * (14 + 18 * len(names))
    canvas = Canvas(chapter, title, height, margin_left=250)
    for name in names:
        values = _values(chapter, rows, name)
        canvas.figure.add_trace(
            go.Bar(
                y=[plot_text(v.place) for v in values],
                x=[v.value for v in values],
                orientation="h",
                name=plot_text(name),
                marker=bar_look(styles[name]),
                text=[v.label or v.shown for v in values],
                textposition="outside",
                textfont={"size": 11, "color": INK},
                cliponaxis=False,
                constraintext="none",
                hovertemplate="%{y}: %{text}<extra>%{fullData.name}</extra>",
            )
        )
        canvas.add_values(values)
    figure = canvas.figure
    figure.update_layout(barmode="group", showlegend=True)
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=[plot_text(place) for place in places[::-1]],
        showgrid=False,
        tickfont={"size": 12, "color": INK},
        ticklabelstandoff=6,
    )
    most = max(quantity.value for _, _, quantity in rows)
    figure.update_xaxes(
        range=[0, most * 1.14], showgrid=True, gridcolor=RULE, title_text=axis, showline=False
    )
    return canvas.finish("Bar chart", _stated(chapter, rows, varied, caption))


def computed_lines(
    chapter: Chapter,
    rows: Sequence[Row],
    *,
    axis: str,
    styles: Mapping[str, Style],
    title: str,
    caption: str,
    varied: Collection[str],
    places: str = "Message size",
) -> Figure:
    """Draw computed quantities that span decades, on a logarithmic axis.

    Parameters
    ----------
    chapter : Chapter
    rows : sequence of (series, place, quantity)
        What to draw; all quantities have one unit.
    axis : str
        Label of the vertical axis.
    styles : mapping
        Style of each series.
    title, caption : str
        The finding; what is drawn.
    varied : collection of str
        Factors that the comparison is about.
    places : str
        Label of the horizontal axis.

    Returns
    -------
    Figure
    """
    canvas = Canvas(chapter, title, HEIGHT + 20)
    figure = canvas.figure
    order = list(dict.fromkeys(place for _, place, _ in rows))
    ends = []
    for name in dict.fromkeys(series for series, _, _ in rows):
        values = _values(chapter, rows, name)
        figure.add_trace(
            go.Scatter(
                x=[order.index(value.place) for value in values],
                y=[value.value for value in values],
                name=plot_text(name),
                mode="lines+markers",
                showlegend=False,
                text=[value.shown for value in values],
                hovertemplate="%{text}<extra>%{fullData.name}</extra>",
                **marked(styles[name]),
            )
        )
        ends.append((name, order.index(values[-1].place), values[-1].value, styles[name]))
        canvas.add_values(values)
    bounds = decades([quantity.value for _, _, quantity in rows])
    ticks = ticks_of(bounds)
    figure.update_xaxes(
        tickvals=list(range(len(order))),
        ticktext=[plot_text(place) for place in order],
        range=[-0.2, len(order) - 1 + 0.35 * max(1, len(order) - 1)],
        title_text=places,
    )
    figure.update_yaxes(
        type="log",
        range=list(bounds),
        tickvals=ticks,
        ticktext=[chapter.numbers.write(tick) for tick in ticks],
        title_text=f"{axis} (logarithmic)",
    )
    direct_labels(figure, ends, log_scale(bounds, canvas.height - _PLOT_TOP_AND_BOTTOM), log_y=True)
    return canvas.finish(
        "Line chart with a logarithmic axis", _stated(chapter, rows, varied, caption)
    )
