"""Round-trip time over rate, for runs whose requesters send at a rate of their own."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.comparability import state_differences
from roundtrip.present.figure import Figure
from roundtrip.present.plot.axes import decade_axis
from roundtrip.present.plot.canvas import Canvas, Value
from roundtrip.present.plot.labels import place_point_labels
from roundtrip.present.theme import style_of

TIME = "round_trip_time"


def response_lines(
    chapter: Chapter,
    points: pd.DataFrame,
    *,
    series: str,
    beside: tuple[str, str],
    limit: tuple[float, str],
    varies: Sequence[str],
    title: str,
    caption: str,
) -> Figure:
    """Draw the round-trip time over the rate, the number of requesters beside each point.

    Parameters
    ----------
    points : pandas.DataFrame
        With a rate, ``round_trip_time`` and ``clients``.
    series : str
        Column that makes the lines.
    beside : (factor, value)
        Points that are drawn hollow and not joined, for comparison.
    limit : (time in ms, name)
        Drawn as a line.
    varies : sequence of str
        Factors that the series differ in by their nature.
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure
        The vertical axis is logarithmic; the horizontal one starts at zero.
    """
    caption = state_differences(
        chapter, points, {series, beside[0], "requesters", *varies}, caption
    )
    canvas = Canvas(chapter, title)
    figure, colors = canvas.figure, canvas.colors
    in_legend = [limit[1], f"hollow: {beside[1]}"]
    for position, level in enumerate(dict.fromkeys(points[series])):
        name, style = chapter.level(series, level), style_of(str(level), position)
        part = points[points[series] == level]
        apart = part[beside[0]] == beside[1]
        for hollow, some in ((False, part[~apart]), (True, part[apart])):
            if some.empty:
                continue
            symbol = f"{style.symbol}-open" if hollow else style.symbol
            shown = f"{name}, {beside[1]}" if hollow else name
            some = some.sort_values(RATE)
            counts = [chapter.write(q, unit=False) for q in chapter.quantities(some, "clients")]
            figure.add_trace(
                go.Scatter(
                    x=some[RATE].tolist(), y=some[TIME].tolist(), name=name,
                    mode="markers" if hollow else "lines+markers+text",
                    text=counts, textfont={"size": 11, "color": colors.muted},
                    showlegend=not hollow, cliponaxis=False,
                    hovertemplate="%{x:,.0f} " + chapter.rate_unit
                    + f", %{{y:.4g}} ms, %{{text}} requesters<extra>{shown}</extra>",
                    marker={"color": style.color, "symbol": symbol, "size": 9},
                    line={"color": style.color, "dash": style.dash, "width": 2.25},
                )
            )  # fmt: skip
            canvas.values += [
                Value(shown, f"{count} requesters", time.value, time.unit,
                      (*rate.cells, *time.cells),
                      f"{chapter.write(time)} at {chapter.write(rate)}")
                for count, rate, time in zip(
                    counts, chapter.quantities(some), chapter.quantities(some, TIME), strict=True
                )
            ]  # fmt: skip
            in_legend += [] if hollow else [name]
    line = {"color": colors.ink, "width": 1.4, "dash": "dot"}
    figure.add_hline(y=limit[0], line=line)
    figure.add_trace(go.Scatter(x=[None], y=[None], mode="lines", line=line, name=in_legend[0]))
    figure.add_trace(
        go.Scatter(
            x=[None], y=[None], mode="markers", name=in_legend[1],
            marker={"symbol": "circle-open", "size": 9, "color": colors.ink},
        )
    )  # fmt: skip
    figure.update_xaxes(
        range=[0, float(points[RATE].max()) * 1.08], title_text=chapter.label(RATE),
        tickformat=",.0f",
    )  # fmt: skip
    up = decade_axis([*points[TIME].tolist(), limit[0]], chapter.numbers)
    figure.update_yaxes(**up.layout, title_text=f"{chapter.label(TIME)} (ms, logarithmic)")
    figure.update_layout(showlegend=True)
    canvas.fit_legend(in_legend)
    place_point_labels(figure)
    return canvas.finish("Line chart with a logarithmic axis", caption)
