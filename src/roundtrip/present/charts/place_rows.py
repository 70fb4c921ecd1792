"""Horizontal bars as high as they need to be, one or several to a place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from roundtrip.present.chapter import Chapter
from roundtrip.present.charts.computed import computed_rows
from roundtrip.present.figure import Figure
from roundtrip.present.numbers import Quantity
from roundtrip.present.theme import Style

_AROUND, _PLACE, _BAR = 140, 14, 18  # pixels


def place_rows(
    chapter: Chapter,
    rows: Sequence[tuple[str, str, Quantity]],
    *,
    axis: str,
    styles: Mapping[str, Style],
    title: str,
    caption: str,
    varied: Collection[str],
) -> Figure:
    """Draw computed quantities as horizontal bars, without room for bars that are not there.

    Where each place belongs to one series, the series only colours its bar.

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
    figure = computed_rows(
        chapter, rows, axis=axis, styles=styles, title=title, caption=caption, varied=varied
    )
    places = {place for _, place, _ in rows}
    if figure.chart is not None:
        layout = figure.chart.layout
        height = _AROUND + _PLACE * len(places) + _BAR * len(rows)
        figure.chart.update_layout(
            height=height,
            title_y=1 - (1 - layout.title.y) * layout.height / height,
            barmode="overlay" if len(rows) == len(places) else "group",
        )
        figure.chart.update_xaxes(tickformat=",.0f", nticks=7)
    return figure
