"""A Plotly figure of a chapter's own making, with what makes it a figure of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from roundtrip.csvfile import csv_text
from roundtrip.errors import ChapterError
from roundtrip.present.arguments import checked, refuse_blank
from roundtrip.present.chapter import Chapter
from roundtrip.present.figure import Figure
from roundtrip.present.measured.means import Mean
from roundtrip.present.numbers import Quantity
from roundtrip.present.plot.canvas import Canvas
from roundtrip.theme import load_theme

_LOADED = ("choropleth", "densitymap", "image", "scattergeo", "scattermap")
_HELPERS = ("_cell", "_decimals")


@checked
def plotly_figure(
    chapter: Chapter,
    figure: go.Figure,
    data: pd.DataFrame | Sequence[Quantity | Mean],
    *,
    title: str,
    caption: str,
    alt: str,
) -> Figure:
    """Make a figure of the report from a Plotly figure, for what `chart` does not draw.

    Its traces stay as they are; title, type, colours of text and lines, and width become those of
    all figures.

    Parameters
    ----------
    chapter : Chapter
    figure : plotly Figure
        It is not changed.
    data : pandas.DataFrame or sequence
        What it draws, so that a reader finds where it comes from: operating points, observations, a
        table with columns of quantities or means, or a list of these. It is offered for download.
    title : str
        The finding, as a sentence.
    caption : str
        What is drawn, in plain text.
    alt : str
        What a reader who cannot see it must know, in plain text.

    Returns
    -------
    Figure

    Raises
    ------
    ChapterError
        If title, caption or alt text is empty, the data does not say where it comes from, or the
        figure would load something from another host.
    """
    refuse_blank("plotly_figure", title=title, caption=caption, alt=alt)
    own = go.Figure(figure)
    if own.layout.images or any(trace.type.startswith(_LOADED) for trace in own.data):
        raise ChapterError(
            "a figure loads maps or pictures from elsewhere, and a report asks no other host",
            allowed="traces that draw numbers",
        )
    frame = data if isinstance(data, pd.DataFrame) else pd.DataFrame({"value": list(data)})
    origins = [tuple(_cells(row)) for row in frame.to_dict("records")]
    if not any(origins):
        raise ChapterError(
            "nothing says where the values of a figure come from",
            allowed="operating points, observations, quantities and means",
            remedy="plotly_figure(chapter, figure, points, …), with the points that it draws",
        )
    canvas = Canvas(chapter, title, height=int(own.layout.height or 400))
    named = [str(trace.name) for trace in own.data if trace.name and trace.showlegend is not False]
    canvas.fit_legend(named if len(named) > 1 else [])
    look = canvas.figure.layout.to_plotly_json()
    for axis, update in (("xaxis", own.update_xaxes), ("yaxis", own.update_yaxes)):
        shared = look.pop(axis)
        keys = ("linecolor", "gridcolor", "tickfont", "title")
        update({key: shared[key] for key in keys}, automargin=True)
        update(separatethousands=True, exponentformat="none")
    look.pop("template", None)
    own.layout.template = "none"
    own.update_layout(look, colorway=load_theme(chapter.project).series)
    return Figure(
        title=title,
        caption=caption,
        alt=" ".join(alt.split()),
        cells=tuple(dict.fromkeys(cell for row in origins for cell in row)),
        chart=own,
        csv=_download(frame, origins),
    )


def _cells(row: dict[Any, Any]) -> Iterator[str]:
    """Give the observations that a row of data comes from."""
    for name, value in row.items():
        quantity = value.quantity if isinstance(value, Mean) else value
        if isinstance(quantity, Quantity):
            yield from quantity.cells
        elif isinstance(value, str) and (name == "observation_id" or str(name).endswith("_cell")):
            yield from value.split()


def _download(frame: pd.DataFrame, origins: Sequence[Sequence[str]]) -> str:
    stated = frame.dropna(axis="columns", how="all")
    names = [name for name in stated if not str(name).endswith(_HELPERS)]
    rows = [
        [*map(_plain, row), " ".join(dict.fromkeys(cells))]
        for row, cells in zip(stated[names].to_numpy(dtype=object), origins, strict=True)
    ]
    return csv_text([*map(str, names), "cells"], rows)


def _plain(value: Any) -> Any:
    quantity = value.quantity if isinstance(value, Mean) else value
    if isinstance(quantity, Quantity):
        return f"{quantity.value:.10g}"
    return "" if pd.isna(quantity) else quantity
