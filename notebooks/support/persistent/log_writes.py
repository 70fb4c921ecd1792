"""Rate against the time of a log write: a mark for each file system."""

from __future__ import annotations

import plotly.graph_objects as go

from roundtrip.present.chapter import RATE
from roundtrip.present.figure import Figure
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.variants import with_unit
from roundtrip.present.numbers import size_label
from roundtrip.present.plot.labels import place_point_labels
from roundtrip.present.theme import style_of
from support.persistent.storage import WRITE, log_write_points
from support.shared.charts.canvas import Canvas, Value, plot_text
from support.shared.charts.marks import decades
from support.shared.charts.with_intervals import error_bar, shown, value_of


def log_writes_figure(here: Measured, *, title: str, caption: str) -> Figure | None:
    """Draw the rate of each file system over the mean time of a log write, with intervals.

    Parameters
    ----------
    here : Measured
        Of one number of requesters; a series for each message size.
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure or None
        None when nothing was measured.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    canvas = Canvas(chapter, title)
    longest: list[float] = []
    highest: list[float] = []
    for position, size in enumerate(here.levels("message_bytes")):
        points = log_write_points(here, size)
        if not points:
            continue
        name = size_label(size)
        style = style_of(str(size), position)
        writes, rates = [p[1] for p in points], [p[2] for p in points]
        canvas.figure.add_trace(
            go.Scatter(
                x=[m.quantity.value for m in writes], y=[m.quantity.value for m in rates],
                mode="markers+text", name=plot_text(name), cliponaxis=False,
                text=[plot_text(p[0]) for p in points],
                textfont={"size": 11, "color": style.color},
                marker={"color": style.color, "symbol": style.symbol, "size": 9},
                error_x=error_bar(writes, style.color), error_y=error_bar(rates, style.color),
                customdata=[[shown(chapter, w), shown(chapter, r)]
                            for w, r in zip(writes, rates, strict=True)],
                hovertemplate="%{text}: %{customdata[0]}, %{customdata[1]}"
                              "<extra>%{fullData.name}</extra>",
            )
        )  # fmt: skip
        for store, write, rate in points:
            drawn = value_of(chapter, name, store, rate)
            q = write.quantity
            canvas.add_values([
                drawn,
                Value(name, f"{store}, log write", q.value, q.unit, q.cells, shown(chapter, write)),
            ])  # fmt: skip
        longest += [end for m in writes for end in m.ends if end > 0]
        highest += [m.ends[1] for m in rates]
    if not highest:
        return None
    label = with_unit(chapter, WRITE, chapter.dictionary.metrics[WRITE].label)
    canvas.figure.update_xaxes(
        type="log", range=list(decades(longest)), title_text=f"{label}, mean", dtick=1,
        showgrid=True,
    )  # fmt: skip
    canvas.figure.update_yaxes(range=[0, max(highest) * 1.12], title_text=chapter.label(RATE))
    canvas.figure.update_layout(showlegend=True)
    place_point_labels(canvas.figure)
    return canvas.finish("Scatter chart with intervals", caption)
