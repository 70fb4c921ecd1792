"""Published values as their source prints, states or draws them, each under its anchor."""

from __future__ import annotations

from typing import Any

import pandas as pd

from roundtrip.files import csv_text
from roundtrip.outputs import NOTHING, BodyCell, HeaderCell, table_label
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.chapter import Chapter, inside, with_unit
from roundtrip.present.numbers import decimals_of_step
from roundtrip.present.suspect_cells import DOUBTED, doubt_of
from roundtrip.present.tables import Table, left_heads
from roundtrip.sources.declared import TEXT_TABLE
from roundtrip.sources.declared import Table as PrintedTable

_CSV_COLUMNS = [
    "row_label", "column_label", "value_printed", "value", "unit", "status", "file", "line",
]  # fmt: skip

_READ_OFF_CSV = (
    "row_label", "column_label", "requesters", "value", "unit", "accuracy", "file", "line",
)  # fmt: skip
_MARKS = ("*", "#", "†", "‡", "§")


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
    notes = [note for note in (table.note, _marked_heads(chapter, table)) if note]
    rows: list[tuple[BodyCell, ...]] = []
    lines: dict[int, dict[str, Any]] = {}
    for cell in frame.sort_values("line", kind="stable").to_dict("records"):
        lines.setdefault(cell["line"], {})[cell["column_label"]] = cell
    for by_header in lines.values():
        label = str(next(iter(by_header.values()))["row_label"])
        cells = [BodyCell(label, "left", kind="label")]
        for column in table.columns:
            if column.header not in by_header:
                cells.append(BodyCell(""))
                continue
            cell = by_header[column.header]
            cells.append(_cell(cell, compared))
            notes += [doubt_of(cell)] if _is_doubted(cell) else []
        rows.append(tuple(cells))
    header = (top, bottom) if top else (bottom,)
    return Table(
        f"{chapter.about.short_title}, {table.number}: {table.caption}",
        header,
        tuple(rows),
        tuple(dict.fromkeys(notes)),
        csv=_csv(frame),
        label=table_label(chapter.about.id, table.id),
    )


def stated_values(chapter: Chapter) -> Table | None:
    """Show the values that a report states in its text and captions, None where there are none.

    What each value is, in our words; where it stands; the value as printed; its unit where the
    value is printed without one.
    """
    frame = _cells_of(chapter, TEXT_TABLE)
    if frame.empty:
        return None
    rows = []
    notes: list[str] = []
    for cell in frame.to_dict("records"):
        where, printed = str(cell["table"]), str(cell["value_printed"])
        what = str(cell["row_label"])
        for told in (where, cell["section"]):  # tells rows apart that say the same
            what = what.removesuffix(f" ({told})")
        unit = str(cell["unit"]) if printed[-1].isdigit() else ""
        rows.append(
            (
                BodyCell(what, "left", kind="label"),
                BodyCell(where, "left"),
                _cell(cell, compared=False),
                BodyCell(unit, "left"),
            )
        )
        notes += [doubt_of(cell)] if _is_doubted(cell) else []
    heads = (*left_heads("What is stated", "Where"), HeaderCell("Value"), *left_heads("Unit"))
    width = 4 if any(row[-1].text for row in rows) else 3
    return Table(
        f"{chapter.about.short_title}: values stated in text and captions",
        (heads[:width],),
        tuple(row[:width] for row in rows),
        tuple(dict.fromkeys(notes)),
        csv=_csv(frame),
        label=table_label(chapter.about.id, TEXT_TABLE),
    )


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
    top = [*left_heads("")]
    for parts in heads:
        over = parts[0] if len(parts) > 1 else ""
        if len(top) > 1 and top[-1].text == over:
            top[-1] = HeaderCell(over, top[-1].span + 1, "center")
        else:
            top.append(HeaderCell(over, 1, "center"))
    return tuple(top)


def _cell(printed: Any, compared: bool) -> BodyCell:
    text = str(printed["value_printed"])
    if _is_doubted(printed):
        text += DOUBTED
    if printed["statistic"] == "comparison":
        text = f"({text})"
    return BodyCell(
        text,
        strong=compared and printed["statistic"] == "peak",
        anchor=cell_anchor(str(printed["observation_id"])),
    )


def _is_doubted(printed: Any) -> bool:
    return bool(printed["status"] != "as_printed")


def _csv(frame: pd.DataFrame) -> str:
    header = ["row", "column", *_CSV_COLUMNS[2:]]
    return csv_text(header, frame[_CSV_COLUMNS].itertuples(index=False, name=None))


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
    curves = list(dict.fromkeys(values["row_label"]))
    axes = list(dict.fromkeys(values["metric"]))
    decimals = {
        metric: decimals_of_step(values.loc[values["metric"] == metric, "accuracy"].min())
        for metric in axes
    }
    found = {
        (one["row_label"], one["metric"], one["requesters"]): one
        for one in values.to_dict("records")
    }
    rows = []
    for requesters in sorted(set(values["requesters"])):
        line = [BodyCell(chapter.numbers.write(requesters), "left", kind="label")]
        for curve in curves:
            for metric in axes:
                if one := found.get((curve, metric, requesters)):
                    text = chapter.numbers.write(float(one["value"]), decimals[metric])
                    line.append(BodyCell(text, anchor=cell_anchor(str(one["observation_id"]))))
                else:
                    line.append(BodyCell(NOTHING))
        rows.append(tuple(line))
    units = {metric: dictionary.metrics[metric].unit for metric in axes}
    labels = [with_unit(dictionary.metrics[metric].label, units[metric]) for metric in axes]
    steps = " and ".join(
        f"{values.loc[values['metric'] == metric, 'accuracy'].iloc[0]:g}\u00a0"
        f"{'percentage points' if units[metric] == '%' else units[metric]}"
        for metric in axes
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
        header,
        tuple(rows),
        (f"Accurate to about one step of the chart: {steps}.",),
        csv=csv_text(_READ_OFF_CSV, values[list(_READ_OFF_CSV)].itertuples(index=False, name=None)),
        label=table_label(chapter.about.id, name),
    )
