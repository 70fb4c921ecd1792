"""Charts side by side on one scale, so that panels can be compared with each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

from plotly.subplots import make_subplots

from roundtrip.present.chapter import Chapter
from roundtrip.present.theme import INK
from support.shared.charts.canvas import Canvas

_PANEL_HEIGHT = 185
_LEGEND_AND_TITLES = 60
_ONE_LINE = 20  # letters of a title that a narrow panel holds


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
