"""Published values as their source prints, states or draws them, each under its anchor."""

from __future__ import annotations

from itertools import groupby, product
from typing import Any

import pandas as pd

from roundtrip.csvfile import csv_text
from roundtrip.outputs import NOTHING, BodyCell, HeaderCell, table_label
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.chapter import Chapter, with_unit
from roundtrip.present.levels import inside
from roundtrip.present.numbers import decimals_of_step
from roundtrip.present.suspect_cells import DOUBTED, doubt_of
from roundtrip.present.tables import Table, left_heads
from roundtrip.sources.declared import TEXT_TABLE
from roundtrip.sources.declared import Table as PrintedTable

_PRINTED = ("value_printed", "value", "unit", "status")
_READ_OFF = ("requesters", "value", "unit", "accuracy")
_MARKS = ("*", "#", "†", "‡", "§")


def printed_tables(chapter: Chapter) -> list[Table]:
    """Show every table of a report, and what its text states and its figures draw."""
    stated = stated_values(chapter)
    return [
        *(printed_table(chapter, table) for table in chapter.about.tables),
        *([] if stated is None else [stated]),
        *drawn_values(chapter),
    ]


def printed_table(chapter: Chapter, table: PrintedTable) -> Table:
    """Show a published table as it was printed, each cell under its permanent anchor.

    Suspect cells are marked and explained in its notes. Where the source prints a point for
    comparison beside a peak, the peak is emphasised and the other stands in brackets.
    """
    frame = _cells_of(chapter, table.id)
    heads = [column.header.split(" / ") for column in table.columns]
    bottom = (*left_heads(table.row_header), *(HeaderCell(parts[-1]) for parts in heads))
    top = _spanners(heads)
    compared = "comparison" in set(frame["statistic"])
    rows = []
    for _, line in frame.groupby("line", sort=True):
        cells = {cell["column_label"]: _cell(cell, compared) for cell in line.to_dict("records")}
        label = BodyCell(str(line["row_label"].iloc[0]), "left", kind="label")
        rows.append((label, *(cells.get(one.header, BodyCell("")) for one in table.columns)))
    remarks = [note for note in (table.note, _marked_heads(chapter, table)) if note]
    return Table(
        f"{chapter.about.short_title}, {table.number}: {table.caption}",
        (top, bottom) if top else (bottom,), tuple(rows), (*remarks, *_doubts(chapter, frame)),
        csv=_csv(frame), label=table_label(chapter.about.id, table.id), as_printed=True,
    )  # fmt: skip


def stated_values(chapter: Chapter) -> Table | None:
    """Show the values that a report states in its text and captions, None where there are none.

    What each value is, in our words; where it stands; the value as printed; its unit where the
    value is printed without one.
    """
    frame = _cells_of(chapter, TEXT_TABLE)
    if frame.empty:
        return None
    rows = []
    for cell in frame.to_dict("records"):
        where, printed, what = (str(cell[name]) for name in ("table", "value_printed", "row_label"))
        for told in (where, cell["section"]):  # tells rows apart that say the same
            what = what.removesuffix(f" ({told})")
        unit = str(cell["unit"]) if printed[-1].isdigit() else ""
        words = (BodyCell(what, "left", kind="label"), BodyCell(where, "left"))
        rows.append((*words, _cell(cell, compared=False), BodyCell(unit, "left")))
    heads = (*left_heads("What is stated", "Where"), HeaderCell("Value"), *left_heads("Unit"))
    width = 4 if any(row[-1].text for row in rows) else 3
    return Table(
        f"{chapter.about.short_title}: values stated in text and captions", (heads[:width],),
        tuple(row[:width] for row in rows), _doubts(chapter, frame), csv=_csv(frame),
        label=table_label(chapter.about.id, TEXT_TABLE), as_printed=True,
    )  # fmt: skip


def _marked_heads(chapter: Chapter, table: PrintedTable) -> str:
    """Say what stands below heads with a footnote's mark, as the footnote is not in the data."""
    said = {}
    for column in table.columns:
        head, metric = column.header.split(" / ")[-1], chapter.dictionary.metrics[column.metric]
        if head.endswith(_MARKS):
            one = " of a single requester" if column.factors.get("requesters") == 1 else ""
            said[head] = inside(with_unit(metric.label, column.unit or metric.unit)) + one
    told = "; ".join(f"{head}: {words}" for head, words in said.items())
    return f"{told}." if told else ""


def _cells_of(chapter: Chapter, table: str) -> pd.DataFrame:
    frame = chapter.observations.choose(source=chapter.about.id)
    return frame[frame["table_id"] == table]


def _spanners(heads: list[list[str]]) -> tuple[HeaderCell, ...]:
    """Join the upper headers that columns share; empty where no column has one."""
    if all(len(parts) == 1 for parts in heads):
        return ()
    over = groupby(parts[0] if len(parts) > 1 else "" for parts in heads)
    return (*left_heads(""), *(HeaderCell(text, len([*same]), "center") for text, same in over))


def _cell(printed: Any, compared: bool) -> BodyCell:
    text = str(printed["value_printed"])
    if printed["status"] != "as_printed":
        text += DOUBTED
    if printed["statistic"] == "comparison":
        text = f"({text})"
    return BodyCell(
        text,
        strong=compared and printed["statistic"] == "peak",
        anchor=cell_anchor(str(printed["observation_id"])),
    )


def _doubts(chapter: Chapter, frame: pd.DataFrame) -> tuple[str, ...]:
    """Explain the doubted cells, in printed order, what is said of several once."""
    doubted = frame[frame["status"] != "as_printed"].sort_values("line", kind="stable")
    told = (doubt_of(cell, chapter.numbers) for cell in doubted.to_dict("records"))
    return tuple(dict.fromkeys(told))


def _csv(frame: pd.DataFrame, columns: tuple[str, ...] = _PRINTED) -> str:
    rows = frame[["row_label", "column_label", *columns, "file", "line"]]
    header = ["row", "column", *columns, "file", "line"]
    return csv_text(header, rows.itertuples(index=False, name=None))


def drawn_values(chapter: Chapter) -> list[Table]:
    """List what was read off the figures of a report, a table for each figure.

    A row for each number of requesters, a column for each curve; notes say how exact values
    are.
    """
    frame = chapter.observations.choose(source=chapter.about.id)
    frame = frame[frame["source_kind"] == "figure"]
    return [
        _figure_table(chapter, str(name), frame[frame["table_id"] == name])
        for name in dict.fromkeys(frame["table_id"])
    ]


def _figure_table(chapter: Chapter, name: str, values: pd.DataFrame) -> Table:
    dictionary = chapter.dictionary
    curves, axes = (list(dict.fromkeys(values[column])) for column in ("row_label", "metric"))
    accuracy = {metric: float(of["accuracy"].min()) for metric, of in values.groupby("metric")}
    found = {
        (one["row_label"], one["metric"], one["requesters"]): one
        for one in values.to_dict("records")
    }
    rows = []
    for requesters in sorted(set(values["requesters"])):
        line = [BodyCell(chapter.numbers.write(requesters), "left", kind="label")]
        for curve, metric in product(curves, axes):
            if one := found.get((curve, metric, requesters)):
                decimals = decimals_of_step(accuracy[metric])
                text = chapter.numbers.write(float(one["value"]), decimals)
                line.append(BodyCell(text, anchor=cell_anchor(str(one["observation_id"]))))
            else:
                line.append(BodyCell(NOTHING))
        rows.append(tuple(line))
    units = {metric: dictionary.metrics[metric].unit for metric in axes}
    labels = [with_unit(dictionary.metrics[metric].label, units[metric]) for metric in axes]
    steps = " and ".join(
        f"{accuracy[metric]:g}\u00a0{'percentage points' if unit == '%' else unit}"
        for metric, unit in units.items()
    )
    header: tuple[tuple[HeaderCell, ...], ...]
    if len(axes) > 1:
        spans = (HeaderCell(curve, span=len(axes), align="center") for curve in curves)
        heads = map(HeaderCell, labels * len(curves))
        header = ((*left_heads(""), *spans), (*left_heads("Requesters"), *heads))
    else:
        named = (HeaderCell(f"{curve}, {inside(labels[0])}") for curve in curves)
        header = ((*left_heads("Requesters"), *named),)
    number = str(values["table"].iloc[0])
    drawn = {one.drawing.file: one for one in chapter.about.figures if one.drawing}
    return Table(
        f"{chapter.about.short_title}, {number}: {drawn[name].shows} (values read off the chart)",
        header, tuple(rows), (f"Accurate to about one step of the chart: {steps}.",),
        csv=_csv(values, _READ_OFF), label=table_label(chapter.about.id, name),
    )  # fmt: skip
