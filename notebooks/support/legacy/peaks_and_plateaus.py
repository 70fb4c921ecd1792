"""The peak of every sweep above the mean of its plateau, a panel for each variant."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.comparability import state_differences
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity
from roundtrip.present.plot.axes import decade_axis
from roundtrip.present.plot.canvas import Canvas, Value
from roundtrip.present.plot.traces import rings
from roundtrip.present.suspect_cells import doubted_cells
from roundtrip.present.theme import Style, style_of
from support.legacy.swept import DOUBTFUL, explain_rings

_ACROSS = "client_machines"
_VARIED = {"variant", _ACROSS, "product", "product_version", "syncpoint", "channel_binding"}
_SHAPES = {"peak": "triangle-up", "plateau": "square"}
_SIZES = {"peak": 11, "plateau": 9}
_LEGENDS = {"peak": "peak of the sweep", "plateau": "mean of its plateau"}


def peaks_and_plateaus(
    chapter: Chapter, points: pd.DataFrame, *, title: str, caption: str
) -> Figure:
    """Draw the peaks and plateaus of all variants over client machines, on one logarithmic axis.

    Parameters
    ----------
    points : pandas.DataFrame
        With a rate, a ``variant`` and a ``statistic`` that is ``peak`` or ``plateau``.
    title, caption : str
        The finding; what is drawn.
    """
    caption = state_differences(chapter, points, _VARIED, caption)
    names = list(dict.fromkeys(points["variant"]))
    canvas = Canvas(chapter, title, names, columns=len(names), height=416)
    panels = canvas.figure
    quantities = chapter.quantities(points)
    doubted = doubted_cells(chapter, [cell for q in quantities for cell in q.cells])
    for column, name in enumerate(names, start=1):
        part = points[points["variant"] == name]
        style = style_of(part["product"].iloc[0], column - 1)
        panels.add_trace(_stems(part, style), row=1, col=column)
        for kind in ("plateau", "peak"):  # the peak in front, where the two coincide
            chosen = part[part["statistic"] == kind]
            found = list(zip(chosen[_ACROSS], chapter.quantities(chosen), strict=True))
            dots = _dots(canvas, kind, found, style, chapter)
            panels.add_trace(dots, row=1, col=column)
            if ringed := rings(dots.x, dots.y, [q for _, q in found], set(doubted), canvas.colors):
                panels.add_trace(ringed, row=1, col=column)
            canvas.values += [
                Value(f"{name}, {kind}", f"{x:g}", q.value, q.unit, q.cells, chapter.write(q))
                for x, q in found
            ]
    levels = sorted({float(level) for level in points[_ACROSS]})
    panels.update_yaxes(decade_axis([q.value for q in quantities], chapter.numbers).layout)
    panels.update_yaxes(title_text=f"{chapter.label(RATE)} (logarithmic)", row=1, col=1)
    panels.update_xaxes(
        tickvals=levels, ticktext=[f"{level:g}" for level in levels],
        range=[levels[0] - 0.6, levels[-1] + 0.6], title_text=chapter.factor_label(_ACROSS),
    )  # fmt: skip
    for kind, name in _LEGENDS.items():  # in no panel's colour
        marker = {"symbol": _SHAPES[kind], "size": _SIZES[kind], "color": canvas.colors.ink}
        panels.add_trace(
            go.Scatter(
                x=[None], y=[None], mode="markers", name=name, legendgroup=kind, marker=marker
            )
        )
    panels.update_layout(showlegend=True, legend_itemsizing="constant")
    if doubted:
        explain_rings(canvas)
    canvas.fit_legend([*_LEGENDS.values(), *([DOUBTFUL] if doubted else [])])
    return canvas.finish("Charts side by side with one logarithmic axis", caption)


def _dots(
    canvas: Canvas,
    kind: str,
    found: Sequence[tuple[float, Quantity]],
    style: Style,
    chapter: Chapter,
) -> go.Scatter:
    return go.Scatter(
        x=[x for x, _ in found], y=[q.value for _, q in found], mode="markers",
        name=_LEGENDS[kind], legendgroup=kind, showlegend=False,
        marker={
            "color": style.color, "size": _SIZES[kind], "symbol": _SHAPES[kind],
            "line": {"color": canvas.colors.page, "width": 0.8},
        },
        text=[chapter.write(q) for _, q in found],
        hovertemplate=f"%{{x}}: %{{text}}<extra>{_LEGENDS[kind]}</extra>",
    )  # fmt: skip


def _stems(points: pd.DataFrame, style: Style) -> go.Scatter:
    """Join the two points of every sweep by a line."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for level in dict.fromkeys(points[_ACROSS]):
        rates = points.loc[points[_ACROSS] == level, RATE]
        xs += [level, level, None]
        ys += [rates.min(), rates.max(), None]
    return go.Scatter(
        x=xs, y=ys, mode="lines", line={"color": style.color, "width": 1.2}, showlegend=False,
        hoverinfo="skip",
    )  # fmt: skip
