"""Charts side by side on one scale, so that panels can be compared with each other."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from roundtrip.present.chapter import Chapter
from roundtrip.present.charts.canvas import Canvas, Value
from roundtrip.present.charts.marks import bar_look
from roundtrip.present.comparability import state_differences_of_cells
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity
from roundtrip.present.theme import INK, Style

PanelBar = tuple[str, str, str, Quantity]
"""Panel, series, place on the category axis, quantity."""
PanelPoint = tuple[str, str, float, Quantity]
"""Panel, series, position on the horizontal axis, quantity."""

_PANEL_HEIGHT = 185
_LEGEND_AND_TITLES = 60
_ONE_LINE = 20  # letters of a title that a narrow panel holds
_LABEL_SHARE = 0.09  # of a panel's height, what the label above a bar takes


def panel_grid(
    chapter: Chapter,
    title: str,
    panels: Sequence[str],
    columns: int,
    *,
    rows: int | None = None,
    height: int = _PANEL_HEIGHT,
    share_x: bool = True,
    share_y: bool = True,
) -> Canvas:
    """Make a canvas of several charts in the look of the report, legend on top.

    Parameters
    ----------
    chapter : Chapter
    title : str
        The finding.
    panels : sequence of str
        Title of each panel, row by row.
    columns : int
        Panels in a row.
    rows : int, optional
        Rows of panels; as many as the titles need when None.
    height : int
        Pixels for each row.
    share_x, share_y : bool
        Whether panels of a column share their horizontal axis, those of a row their vertical one.
    """
    count = rows or math.ceil(len(panels) / columns)
    # Long titles of narrow panels break after the first comma.
    narrow = columns > 2
    titles = [
        panel.replace(", ", ",<br>", 1) if narrow and len(panel) > _ONE_LINE else panel
        for panel in panels
    ]
    over = _LEGEND_AND_TITLES + (14 if any("<br>" in name for name in titles) else 0)
    canvas = Canvas(chapter, title, height * count + 70 + over)
    look = canvas.figure.layout
    figure = make_subplots(
        rows=count, cols=columns, subplot_titles=titles,
        shared_xaxes=share_x, shared_yaxes=share_y,
        horizontal_spacing=0.16 / columns if share_y else 0.1,
        vertical_spacing=48 / (height * count),
    )  # fmt: skip
    figure.update_layout(look, template="none")
    figure.update_xaxes(**look.xaxis.to_plotly_json())
    figure.update_yaxes(**look.yaxis.to_plotly_json())
    figure.update_annotations(font={"size": 12, "color": INK, "weight": 600})
    top = look.margin.t + over - 18
    plot = canvas.height - top - look.margin.b
    figure.update_layout(margin_t=top, legend_y=1 + (over - 34) / plot)
    canvas.figure = figure
    return canvas


def panel_bars(
    chapter: Chapter,
    rows: Sequence[PanelBar],
    *,
    axis: str,
    styles: Mapping[str, Style],
    title: str,
    caption: str,
    varied: Collection[str],
    columns: int = 2,
    limit: float | None = None,
    limit_name: str = "",
    places: str = "Message size",
) -> Figure:
    """Draw bars in panels that share one vertical axis from zero.

    Parameters
    ----------
    chapter : Chapter
    rows : sequence of (panel, series, place, quantity)
        What to draw; all quantities have one unit.
    axis : str
        Label of the vertical axis.
    styles : mapping
        Style of each series.
    title, caption : str
        The finding; what is drawn.
    varied : collection of str
        Factors that the comparison is about.
    columns : int
        Panels in a row.
    limit : float, optional
        Drawn as a line in every panel, named by `limit_name` in the legend.
    places : str
        Label of the horizontal axis.

    Returns
    -------
    Figure
    """
    panels = list(dict.fromkeys(panel for panel, *_ in rows))
    columns = min(columns, len(panels))
    canvas = panel_grid(chapter, title, panels, columns)
    figure = canvas.figure
    most = max([limit or 0, *(quantity.value for *_, quantity in rows)])
    seen: set[str] = set()
    for position, panel in enumerate(panels):
        row, column = divmod(position, columns)
        of_panel = [item for item in rows if item[0] == panel]
        for name in dict.fromkeys(series for _, series, _, _ in of_panel):
            drawn = [(place, q) for _, series, place, q in of_panel if series == name]
            figure.add_trace(
                go.Bar(
                    x=[place for place, _ in drawn], y=[q.value for _, q in drawn], name=name,
                    legendgroup=name, showlegend=name not in seen, marker=bar_look(styles[name]),
                    text=[chapter.write(q, unit=False) for _, q in drawn],
                    textposition=[_label_place(q.value, limit, most) for _, q in drawn],
                    outsidetextfont={"size": 9, "color": INK},
                    insidetextfont={"size": 9, "color": "#ffffff"}, insidetextanchor="end",
                    textangle=0, cliponaxis=False, constraintext="none",
                    customdata=[chapter.write(q) for _, q in drawn],
                    hovertemplate=f"%{{x}}: %{{customdata}}<extra>{name}</extra>",
                ),
                row=row + 1, col=column + 1,
            )  # fmt: skip
            seen.add(name)
            label = f"{panel}, {name}" if len(panels) > 1 else name
            canvas.add_values(
                [Value(label, place, q.value, q.unit, q.cells, chapter.write(q))
                 for place, q in drawn]
            )  # fmt: skip
        if limit is not None:
            _limit_line(figure, limit, limit_name, row + 1, column + 1, first=position == 0)
    figure.update_layout(barmode="group", showlegend=True, bargap=0.2)
    figure.update_xaxes(type="category")
    for column in range(1, columns + 1):
        figure.update_xaxes(
            title_text=places, row=math.ceil(len(panels) / columns), col=column,
            title_standoff=6,
        )  # fmt: skip
    figure.update_yaxes(range=[0, most * 1.14], nticks=7)
    for row in range(1, math.ceil(len(panels) / columns) + 1):
        figure.update_yaxes(title_text=axis, row=row, col=1)
    stated = state_differences_of_cells(chapter, [row[-1] for row in rows], varied, caption)
    return canvas.finish("Bar charts side by side on one scale", stated)


def panel_lines(
    chapter: Chapter,
    rows: Sequence[PanelPoint],
    *,
    axis: str,
    x_axis: str,
    styles: Mapping[str, Style],
    title: str,
    caption: str,
    varied: Collection[str],
    columns: int = 2,
    limit: float | None = None,
    limit_name: str = "",
    one_scale: bool = True,
) -> Figure:
    """Draw quantities over a number, in panels with vertical axes from zero.

    Parameters
    ----------
    chapter : Chapter
    rows : sequence of (panel, series, position, quantity)
        What to draw; all quantities have one unit.
    axis, x_axis : str
        Labels of the axes.
    styles : mapping
        Style of each series.
    title, caption : str
        The finding; what is drawn.
    varied : collection of str
        Factors that the comparison is about.
    columns : int
        Panels in a row.
    limit : float, optional
        Drawn as a line in every panel, named by `limit_name` in the legend.
    one_scale : bool
        Whether all panels have the same vertical scale.

    Returns
    -------
    Figure
    """
    panels = list(dict.fromkeys(panel for panel, *_ in rows))
    columns = min(columns, len(panels))
    canvas = panel_grid(
        chapter, title, panels, columns, share_x=False, share_y=one_scale, height=235
    )
    figure = canvas.figure
    seen: set[str] = set()
    for position, panel in enumerate(panels):
        row, column = divmod(position, columns)
        of_panel = [item for item in rows if item[0] == panel]
        for name in dict.fromkeys(series for _, series, _, _ in of_panel):
            drawn = [(x, q) for _, series, x, q in of_panel if series == name]
            style = styles[name]
            figure.add_trace(
                go.Scatter(
                    x=[x for x, _ in drawn], y=[q.value for _, q in drawn], name=name,
                    legendgroup=name, showlegend=name not in seen, mode="lines+markers",
                    marker={"color": style.color, "symbol": style.symbol, "size": 8},
                    line={"color": style.color, "dash": style.dash, "width": 2},
                    text=[chapter.write(q) for _, q in drawn], cliponaxis=False,
                    hovertemplate=f"%{{x:g}}: %{{text}}<extra>{name}</extra>",
                ),
                row=row + 1, col=column + 1,
            )  # fmt: skip
            seen.add(name)
            label = f"{panel}, {name}" if len(panels) > 1 else name
            canvas.add_values(
                [Value(label, f"{x:g}", q.value, q.unit, q.cells, chapter.write(q))
                 for x, q in drawn]
            )  # fmt: skip
        if limit is not None:
            _limit_line(figure, limit, limit_name, row + 1, column + 1, first=position == 0)
        ticks = sorted({x for _, _, x, _ in of_panel})
        room = (ticks[-1] - ticks[0]) * 0.05 or 1
        figure.update_xaxes(
            tickvals=_apart(ticks), range=[ticks[0] - room, ticks[-1] + room], title_text=x_axis,
            row=row + 1, col=column + 1,
        )  # fmt: skip
        part = rows if one_scale else of_panel
        most = max([limit or 0, *(quantity.value for *_, quantity in part)])
        figure.update_yaxes(range=[0, most * 1.08], nticks=7, row=row + 1, col=column + 1)
        if column == 0:
            figure.update_yaxes(title_text=axis, row=row + 1, col=1)
    figure.update_layout(showlegend=True)
    stated = state_differences_of_cells(chapter, [row[-1] for row in rows], varied, caption)
    return canvas.finish("Line charts side by side, vertical axes from zero", stated)


def _label_place(value: float, limit: float | None, most: float) -> str:
    """Keep the label of a bar off the line of the limit."""
    struck = limit is not None and 0 <= limit - value < _LABEL_SHARE * most
    return "inside" if struck else "outside"


def _apart(ticks: Sequence[float]) -> list[float]:
    """Leave out ticks whose labels would touch the one before."""
    nearest = (ticks[-1] - ticks[0]) * 0.05
    kept: list[float] = []
    for tick in ticks:
        if not kept or tick - kept[-1] >= nearest:
            kept.append(tick)
    return kept


def _limit_line(
    figure: go.Figure, limit: float, name: str, row: int, column: int, *, first: bool
) -> None:
    line = {"color": INK, "width": 1.4, "dash": "dot"}
    figure.add_hline(y=limit, line=line, row=row, col=column)
    if first:
        figure.add_trace(go.Scatter(x=[None], y=[None], mode="lines", line=line, name=name))
