"""What readers of published reports share: a value, read, checked, and as a row of the table."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, NamedTuple

from roundtrip.dictionary import Dictionary, Metric
from roundtrip.errors import DataError, unknown
from roundtrip.sources.declared import SuspectCell
from roundtrip.sources.disclosure import PublishedReport

_NUMBER = re.compile(
    r"(-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?) ?(|%|[A-Za-zµ/][A-Za-zµ/ ]*)"
)
CLIENTS = "clients"
"""The metric that is a factor of its point too."""


def parse_printed(text: str) -> tuple[float, str]:
    """Read a printed number: digits with thousands commas, a point, the unit that follows.

    Parameters
    ----------
    text : str
        For example ``370,602``, ``97.69``, ``34%`` or ``0.002 seconds``.

    Returns
    -------
    value : float
    unit : str
        A percent sign or a unit in letters, as printed; empty where none follows.

    Raises
    ------
    ValueError
        If the text is anything else. Misplaced commas are refused, not ignored.
    """
    digits, unit = _parted(text)
    value = float(digits)
    if Decimal(digits) != Decimal(str(value)):
        raise ValueError(f"'{text}' has more digits than a number keeps")
    return value, unit


def printed_step(text: str, unit: str, metric: Metric) -> float:
    """Give what one unit of the last printed digit is worth, in the unit of the metric.

    Raises
    ------
    ValueError
        If the text is no number.
    KeyError
        If the metric is not printed in that unit.
    """
    digits, _ = _parted(text)
    return metric.converted(10.0 ** -len(digits.partition(".")[2]), unit)


def _parted(text: str) -> tuple[str, str]:
    """Part a printed number from its unit, its digits as Python reads them."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"'{text}' is not a number")
    return match[1].replace(",", ""), match[2]


class Reading(NamedTuple):
    """A printed value as a number, in the unit of its metric, and the unit it was printed in."""

    value: float
    unit: str
    printed_unit: str


def checked_value(
    printed: str,
    metric: str,
    statistic: str,
    dictionary: Dictionary,
    where: str,
    header_unit: str | None = None,
) -> Reading:
    """Read a printed value and hold it against the dictionary.

    Parameters
    ----------
    header_unit : str, optional
        The unit of values that do not carry one themselves; the metric's own without it.

    Raises
    ------
    DataError
        If a name is unknown, the text is no number, the unit is not one that the metric is
        printed in, or the number is outside the metric's range.
    """
    known = dictionary.metric(metric, where)
    if statistic not in dictionary.statistics:
        raise unknown(DataError, "statistic", statistic, dictionary.statistics, where=where)
    try:
        number, unit = parse_printed(printed)
    except ValueError as problem:
        raise DataError(
            str(problem),
            where=where,
            allowed="digits with thousands commas, a decimal point, a percent sign or unit",
            remedy="correct the cell; leave it empty where the source prints nothing",
        ) from problem
    unit = unit or header_unit or known.unit
    try:
        value = known.converted(number, unit)
    except KeyError:
        sign = "a percent sign" if unit == "%" else f"the unit '{unit}'"
        raise DataError(
            f"{metric} '{printed}' has {sign}, but {metric} is in {known.unit}",
            where=where,
            allowed=", ".join(dict.fromkeys((known.unit, *known.printed_units))),
            remedy="correct the cell, or add the unit to printed_units in data/dictionary.yml",
        ) from None
    refusal = known.refusal(value)
    if metric == CLIENTS and not value.is_integer():
        refusal = "is not a whole number"
    if refusal:
        raise DataError(f"{metric} '{printed}' {refusal}", where=where)
    return Reading(value, known.unit, known.spelled(unit))


def doubt_about(
    report: PublishedReport, table: str, row: str, column: str, printed: str
) -> SuspectCell | None:
    """Give what `report.yml` says against a cell, None when it says nothing."""
    for item in report.suspect:
        place = (item.table, item.row, item.column)
        if place == (table, row, column) and item.printed in (None, printed):
            return item
    return None


def cell_row(
    report: PublishedReport, place: tuple[int, int, int], printed: str, dictionary: Dictionary,
    where: str, header_unit: str | None = None, /, **known: Any,
) -> dict[str, Any]:  # fmt: skip
    """Read a value that a report gives, as the row of the tidy table for it.

    Parameters
    ----------
    place : (int, int, int)
        Row and column in the table, and the point within the row, from 1. With the table's id it
        addresses the value, for example ``acme-broker-3/peaks/r1c1``.
    printed, dictionary, where, header_unit
        As for `checked_value`.
    **known
        The other columns, factors included.

    Raises
    ------
    DataError
        As `checked_value`.
    """
    row, column, point = place
    table = known["table_id"]
    reading = checked_value(
        printed, known["metric"], known["statistic"], dictionary, where, header_unit
    )
    doubt = doubt_about(report, table, known["row_label"], known["column_label"], printed)
    corrected = None if doubt is None else doubt.corrected
    status = "as_printed" if doubt is None else "suspect" if corrected is None else "corrected"
    return {
        "observation_id": f"{report.id}/{table}/r{row}c{column}",
        "point_id": f"{report.id}/{table}/r{row}p{point}",
        "source": report.id,
        "value_printed": printed,
        "unit_printed": reading.printed_unit,
        "value": reading.value,
        "unit": reading.unit,
        "status": status,
        "value_corrected": corrected,
        "note": None if doubt is None else doubt.reason,
        **known,
    }
