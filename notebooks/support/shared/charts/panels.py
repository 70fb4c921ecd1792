"""Charts side by side on one scale, so that panels can be compared with each other."""

from __future__ import annotations

from collections.abc import Sequence

from plotly.subplots import make_subplots

from roundtrip.present.chapter import Chapter
from roundtrip.present.theme import INK
from support.shared.charts.canvas import Canvas

_LEGEND_AND_TITLES = 60


def panel_row(chapter: Chapter, title: str, panels: Sequence[str], height: int) -> Canvas:
    """Make a canvas of several charts in the look of the report, legend on top.

    Parameters
    ----------
    title : str
        The finding.
    panels : sequence of str
        Title of each panel.
    height : int
        Of the panels, in pixels.
    """
    canvas = Canvas(chapter, title, height + 70 + _LEGEND_AND_TITLES)
    look = canvas.figure.layout
    figure = make_subplots(
        rows=1, cols=len(panels), subplot_titles=panels, shared_yaxes=True,
        horizontal_spacing=0.16 / len(panels),
    )  # fmt: skip
    figure.update_layout(look, template="none")
    figure.update_xaxes(**look.xaxis.to_plotly_json())
    figure.update_yaxes(**look.yaxis.to_plotly_json())
    figure.update_annotations(font={"size": 12, "color": INK, "weight": 600})
    top = look.margin.t + _LEGEND_AND_TITLES - 18
    plot = canvas.height - top - look.margin.b
    figure.update_layout(margin_t=top, legend_y=1 + (_LEGEND_AND_TITLES - 34) / plot)
    canvas.figure = figure
    return canvas
