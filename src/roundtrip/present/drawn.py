"""Values that were read off a report's printed figures, each under its permanent anchor."""

from __future__ import annotations

import pandas as pd

from roundtrip.present.chapter import Chapter
from roundtrip.present.figure import csv_text
from roundtrip.present.markup import cell_anchor
from roundtrip.present.tables import Table
from roundtrip.shown import BodyCell, HeaderCell, table_label

_CSV = ("row_label", "column_label", "requesters", "value", "unit", "accuracy", "file", "line")


def drawn_values(chapter: Chapter) -> list[Table]:
    """List what was read off the figures of a report, a table for each figure.

    Parameters
    ----------
    chapter : Chapter

    Returns
    -------
    list of Table
        A row for each number of requesters, a column for each curve; empty where nothing was
        read off a figure. Its notes say how exact the values are.
    """
    frame = chapter.observations.frame
    frame = frame[(frame["source"] == chapter.about.id) & (frame["source_kind"] == "figure")]
    return [
        _of_figure(chapter, str(name), frame[frame["table_id"] == name])
        for name in dict.fromkeys(frame["table_id"])
    ]


def _of_figure(chapter: Chapter, name: str, values: pd.DataFrame) -> Table:
    dictionary = chapter.dictionary
    curves = list(dict.fromkeys(values["row_label"]))
    axes = list(dict.fromkeys(values["metric"]))
    decimals = {
        metric: _decimals(values[values["metric"] == metric]["accuracy"].min()) for metric in axes
    }
    found = {
        (curve, metric, requesters): (float(value), str(cell))
        for curve, metric, requesters, value, cell in zip(
            *(values[n] for n in ("row_label", "metric", "requesters", "value", "observation_id")),
            strict=True,
        )
    }
    rows = []
    for requesters in sorted(set(values["requesters"])):
        line = [BodyCell(chapter.numbers.write(requesters), "left", kind="label")]
        for curve in curves:
            for metric in axes:
                if (curve, metric, requesters) not in found:
                    line.append(BodyCell("\u2013"))
                    continue
                value, cell = found[curve, metric, requesters]
                text = chapter.numbers.write(value, decimals[metric])
                line.append(BodyCell(text, anchor=cell_anchor(cell)))
        rows.append(tuple(line))
    top = (
        HeaderCell("", align="left"),
        *[HeaderCell(curve, span=len(axes), align="center") for curve in curves],
    )
    units = {metric: dictionary.metrics[metric].unit for metric in axes}
    labels = [f"{dictionary.metrics[metric].label} ({units[metric]})" for metric in axes]
    bottom = (
        HeaderCell("Requesters", align="left"),
        *[HeaderCell(label) for _ in curves for label in labels],
    )
    steps = ", ".join(
        f"{values.loc[values['metric'] == metric, 'accuracy'].iloc[0]:g}\u00a0{units[metric]}"
        for metric in axes
    )
    number = str(values["table"].iloc[0])
    return Table(
        f"{chapter.about.short_title}, {number}: values read off the drawing",
        (top, bottom),
        tuple(rows),
        (f"Good to about one step of the drawing: {steps}.",),
        csv=csv_text(_CSV, values[list(_CSV)].itertuples(index=False, name=None)),
        label=table_label(chapter.about.id, name),
    )


def _decimals(step: float) -> int:
    """Give the digits after the point that a step of the drawing supports."""
    return 0 if step >= 1 else 2
