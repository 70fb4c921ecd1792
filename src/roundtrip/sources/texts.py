"""Values that a report states outside its tables: in running text, in captions, in notes."""

from __future__ import annotations

from pathlib import Path

from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError
from roundtrip.sources.cells import Cell, checked_value, doubt_about
from roundtrip.sources.csvfile import csv_records
from roundtrip.sources.declared import TEXT_TABLE, TextValues, section_named
from roundtrip.sources.disclosure import PublishedReport

TEXT_FILE = f"{TEXT_TABLE}.csv"
_COLUMNS = ("row", "section", "metric", "statistic", "value")
_PLACE = "place"


def read_text_values(
    folder: Path, report: PublishedReport, text: TextValues, dictionary: Dictionary, base: Path
) -> list[Cell]:
    """Read ``text.csv`` of a published report.

    Its columns: ``row`` says in our words what the value is, ``section`` where it stands, then
    ``metric``, ``statistic``, ``value`` as printed, and factors; if captions state values too,
    ``place`` names them (``Figure A``, empty for running text). Each value is a point of its own.
    A value is told by its row alone, so that no two rows say the same. Files are named relative to
    `base`.

    Raises
    ------
    DataError
        On the first thing that is wrong, with file and line.
    """
    path = folder / TEXT_FILE
    cells: list[Cell] = []
    beside_row = frozenset({*_COLUMNS[1:], _PLACE, *dictionary.factors})
    for index, line, record in csv_records(path, _COLUMNS, (_PLACE,), beside_row, dictionary):
        where = f"{path}:{line}"
        printed = record["value"].strip()
        reading = checked_value(printed, record["metric"], record["statistic"], dictionary, where)
        own = {key: said for key, said in record.items() if key in dictionary.factors and said}
        cells.append(
            Cell(
                report=report.id,
                table=TEXT_TABLE,
                number=record.get(_PLACE) or section_named(record["section"], "sec"),
                section=record["section"],
                row=record["row"],
                column="value",
                row_index=index,
                column_index=1,
                point_index=1,
                metric=record["metric"],
                statistic=record["statistic"],
                printed=printed,
                printed_unit=reading.printed_unit,
                value=reading.value,
                unit=reading.unit,
                file=path.relative_to(base).as_posix(),
                line=line,
                factors=dictionary.factor_values({**report.factors, **text.factors, **own}, where),
                suspect=doubt_about(report, TEXT_TABLE, record["row"], "value", printed),
                kind="text",
            )
        )
    if len(cells) != text.values:
        raise DataError(
            f"the text states {len(cells)} values, report.yml declares {text.values}",
            where=path,
            remedy="compare the file with the source, then correct the file or the count",
        )
    return cells
