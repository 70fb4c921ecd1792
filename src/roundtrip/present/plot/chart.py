"""One call draws every chart: rows, what stands where, and a mark."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from roundtrip.errors import ChapterError, unknown
from roundtrip.present.arguments import (
    checked,
    names_of,
    refuse_blank,
    refuse_misspelt,
    refuse_unknown_varied,
)
from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.comparability import (
    refuse_mixed,
    requesters_note,
    state_differences,
    state_differences_of_cells,
)
from roundtrip.present.figure import Figure
from roundtrip.present.left_out import left_out_words
from roundtrip.present.plot.axes import axis_title
from roundtrip.present.plot.panels import Panels
from roundtrip.present.plot.rows import MARKS, frame_of, marks_of
from roundtrip.present.points import HELPERS
from roundtrip.present.repeats import margins_of_ratios, ratio_margins
from roundtrip.present.styles import Style


@checked
def chart(
    chapter: Chapter,
    rows: pd.DataFrame | Sequence[tuple[Any, ...]],
    *,
    title: str,
    caption: str,
    x: str = "x",
    y: str | Sequence[str] = "y",
    mark: str = "bar",
    series: str | None = None,
    panels: str | None = None,
    columns: int = 2,
    horizontal: bool = False,
    one_scale: bool = True,
    log: str | Collection[str] = (),
    x_title: str | None = None,
    y_title: str | Sequence[str] | None = None,
    labels: str | None = None,
    ends: tuple[str, str] | None = None,
    reference: tuple[int | float, str] | Mapping[str, tuple[int | float, str]] | None = None,
    moments: Sequence[Any] = (),
    names: Mapping[Any, str] | None = None,
    styles: Mapping[str, Style] | None = None,
    key: Mapping[str, str] | None = None,
    varied: str | Collection[str] | None = (),
) -> Figure:
    """Draw rows as bars, lines or dots, in one panel or several.

    Bars start at zero, and so do lines unless their axis is logarithmic. Each series keeps the
    style of its variant throughout the report. Measured values are hollow and carry their
    intervals, published ones are solid; those that their source disproves or doubts are ringed.
    Names stand beside lines where they fit, otherwise in a legend.

    Parameters
    ----------
    chapter : Chapter
        Gives units, labels, the format of numbers and what the rows come from.
    rows : pandas.DataFrame or sequence of tuple
        Operating points, or a table with columns of quantities or means; or tuples
        ``(series, x, quantity)`` or ``(panel, series, x, quantity)``.
    title : str
        The finding, as a sentence.
    caption : str
        What is drawn. What differs between the rows, beside what is `varied`, is added.
    x : str
        Column along the horizontal axis: a factor, a metric, times or names of places.
    y : str or sequence of str
        Column of values: a metric of the points, quantities or means. Several make a row of
        panels each, one above the other.
    mark : {"bar", "line", "dot", "curve"} or str
        What a row is drawn as; or the column that says so for each row. A curve is a line without
        points, such as one that was read off a drawing.
    series, panels : str, optional
        Columns whose values have a style each; a panel each.
    columns : int
        Panels beside each other.
    horizontal : bool
        Whether bars or dots lie, with the places from top to bottom: for long names.
    one_scale : bool
        Whether the panels of a row share their vertical scale.
    log : str or collection of str
        Those of `x` and `y` whose axes are logarithmic.
    x_title, y_title : str, optional
        Titles of the axes, with units; the dictionary's by default. One for each of several `y`.
    labels : str, optional
        Column of texts beside the points, or at the ends of bars instead of their values. Dots
        that lie have theirs where no interval is in the way.
    ends : (str, str), optional
        Columns with the ends of an interval around `y`, where the values have none of their own.
    reference : (float, str) or mapping, optional
        A value that the others are compared with, or a limit: drawn as a line, and its name. Of
        several `y`, those that have one.
    moments : sequence
        Places along the horizontal axis that are marked by a line through all panels.
    names : mapping, optional
        Names of series and panels, where the dictionary's are not enough.
    styles : mapping, optional
        Styles of series by name, where they are not those of variants.
    key : mapping, optional
        Kind of mark to what it means, for the alt text and the data of charts with several.
    varied : str, collection of str or None
        Factors, beside those of `x`, `series` and `panels`, that the chart is about. None where
        the rows are not compared, such as a published and a measured panel.

    Returns
    -------
    Figure

    Raises
    ------
    ChapterError
        If rows are compared that differ in what decides the result, a column, axis or mark does
        not exist (the nearest one is given), a bar or line has two values at one place, a column
        holds numbers without origin, values of several units share an axis, or there is nothing to
        draw.
    """
    refuse_blank("chart", title=title, caption=caption)
    frame = rows if isinstance(rows, pd.DataFrame) else frame_of(list(rows))
    if frame is not rows:
        series = "series"
        panels = "panels" if "panels" in frame and frame["panels"].nunique() > 1 else None
    metrics, log = names_of(y), names_of(log)
    for column in filter(None, (x, *metrics, series, panels, labels, *(ends or ()))):
        if column not in frame:
            stated = map(str, frame.dropna(axis="columns", how="all"))
            raise unknown(
                ChapterError, "column", column, map(str, frame), where="chart",
                allowed=", ".join(one for one in stated if not one.endswith(HELPERS)),
            )  # fmt: skip
    if labels in chapter.dictionary.factors:  # lines join the points in the order of their labels
        frame = frame.sort_values(labels, kind="stable")
    for name in log:
        if name not in (x, *metrics):
            raise unknown(ChapterError, "axis", name, (x, *metrics), where="chart: log")
    heads = names_of(y_title or [""] * len(metrics))
    if len(heads) != len(metrics):
        raise ChapterError(
            f"{len(heads)} titles for {len(metrics)} metrics", where="chart: y_title",
            allowed="one for each y",
        )  # fmt: skip
    if columns < 1:
        raise ChapterError(f"cannot be {columns}", where="chart: columns", allowed="1 or more")
    if varied is not None:
        varied = names_of(varied)
        refuse_unknown_varied(frame, varied, chapter.dictionary, "chart")
    marks, titles = marks_of(
        chapter, frame, x=x, y=metrics, mark=mark, series=series, panels=panels,
        columns=columns, labels=labels, ends=ends, names=names or {},
    )  # fmt: skip
    for name in key or {}:
        if name not in MARKS:
            raise unknown(ChapterError, "mark", name, MARKS, where="chart: key")
    named = list(dict.fromkeys(name for name in (series, panels) if name is not None))
    refuse_misspelt(names or {}, frame[named], chapter.observations.levels, "chart: names")
    drawn = pd.DataFrame({"series": [one.series for one in marks]})
    of_series = chapter.observations.levels.get(series or "", ())
    others = {"series": [chapter.level(str(series), level) for level in of_series]}
    refuse_misspelt(styles or {}, drawn, others, "chart: styles")
    if not marks:
        raise ChapterError("there is nothing to draw", where=f"chart: {title}")
    for one in marks:
        metric = metrics[one.panel[0] if len(metrics) > 1 else 0]
        for name, value in ((x, one.x), (metric, one.y.value)):
            if name in log and isinstance(value, (int, float)) and value <= 0:
                raise ChapterError(
                    f"{name} is {value:g} in a row, which has no logarithm", where="chart: log",
                    remedy=f"leave '{name}' out of log, or choose rows above 0",
                )  # fmt: skip
    refuse_mixed((one.across.quantity for one in marks if one.across is not None), title)
    for panel in {one.panel for one in marks}:
        refuse_mixed((one.y.quantity for one in marks if one.panel == panel), title)
    quantities = [one.y.quantity for one in marks]
    cells = [cell for quantity in quantities for cell in quantity.cells]
    if varied is not None:
        about = {*varied, x, *filter(None, (series, panels, labels))}
        sources = {cell.partition("/")[0] for cell in cells}
        if all(f"{metric}_cell" in frame for metric in metrics):
            caption = state_differences(chapter, frame, about, caption)
        # Every run of a campaign has the same setting but for what it varies.
        elif len(sources) > 1 or any(quantity.kind == "published" for quantity in quantities):
            caption = state_differences_of_cells(chapter, quantities, about, caption)
    references: Mapping[str, tuple[float, str]] = {}
    if reference is not None:
        references = (
            reference if isinstance(reference, Mapping) else dict.fromkeys(metrics, reference)
        )
    for name, (value, _) in references.items():
        if name not in metrics:
            raise unknown(ChapterError, "y", name, metrics, where="chart: reference")
        if name in log and value <= 0:
            raise ChapterError(
                f"the reference of {name} is {value:g}, which has no logarithm",
                where="chart: reference", remedy=f"leave '{name}' out of log, or the reference",
            )  # fmt: skip
    if RATE in references and metrics == [RATE]:
        margins = ratio_margins(chapter, cells)
    else:
        margins = margins_of_ratios(chapter, quantities)
    load = ""
    if "requesters" not in (x, series, panels, labels):
        load = requesters_note(chapter, cells, [caption, x_title or ""])
    named_marks = [
        (", ".join(dict.fromkeys(filter(None, (one.series, one.place)))), one.y.quantity)
        for one in marks
    ]
    figure = Panels(
        chapter, marks, titles, title=title, x=x, metrics=metrics, columns=columns,
        horizontal=horizontal, one_scale=one_scale, log=sorted({*log}),
        labelled=labels is not None, references=references, moments=moments, styles=styles or {},
        key=key or {},
    ).draw(
        x_title or axis_title(chapter, x),
        [head or axis_title(chapter, name) for head, name in zip(heads, metrics, strict=True)],
        " ".join(filter(None, [caption, load, *left_out_words(chapter, named_marks)])),
    )  # fmt: skip
    return replace(figure, margins=margins)
