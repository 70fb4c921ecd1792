"""From the rows that a claim's SQL gives to the cases that are judged."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict

from roundtrip.claims.declared import Claim
from roundtrip.errors import nearest

COLUMNS = ("value", "cells", "item")


class Case(BaseModel):
    """One number that a claim is judged by.

    Attributes
    ----------
    item : str or None
        Which case it is, where the claim ranges over several.
    cells : tuple of str
        Observations it was computed from.
    """

    model_config = ConfigDict(frozen=True)

    item: str | None
    value: float
    cells: tuple[str, ...]


class CaseError(Exception):
    """The rows are not what a claim needs; the text says why."""


def cases_of(
    claim: Claim, columns: Sequence[str], rows: Sequence[Sequence[Any]], known: Collection[str]
) -> tuple[Case, ...]:
    """Make cases of the rows that a claim's SQL gives.

    Raises
    ------
    CaseError
        If a column is missing or unknown; there is no row, or more than one where the claim
        speaks of one; a value is no finite number; cells are missing or unknown; items are
        missing, given twice, or not those of the expectation.
    """
    several = claim.each is not None or (claim.expect is not None and claim.expect.of_items)
    wanted = COLUMNS if several else COLUMNS[:2]
    for name in columns:
        if name not in wanted:
            hint = nearest(name, wanted)
            if name == "item":
                hint = ": it belongs to a claim with 'each', 'order', 'largest' or 'smallest'"
            raise CaseError(f"the SQL gives a column '{name}'{hint}; wanted: {', '.join(wanted)}")
    for name in wanted:
        if columns.count(name) != 1:
            number = columns.count(name) or "no"
            raise CaseError(f"the SQL gives {number} column '{name}'; wanted: {', '.join(wanted)}")
    if not rows:
        raise CaseError("the SQL gives no row")
    if not several and len(rows) > 1:
        raise CaseError(f"the SQL gives {len(rows)} rows where one is meant (several need 'each')")
    cases = []
    for row in rows:
        given = dict(zip(columns, row, strict=True))
        item = _item(given["item"]) if several else None
        place = "" if item is None else f" of item '{item}'"
        cases.append(
            Case(
                item=item,
                value=_value(given["value"], place),
                cells=_cells(given["cells"], place, known),
            )
        )
    _require_items(claim, [case.item for case in cases if case.item is not None])
    return tuple(cases)


def _item(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise CaseError(f"an item is {value!r}, not text")
    return value


def _value(value: Any, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise CaseError(f"the value{place} is {value!r}, not a number")
    number = float(value)
    if not math.isfinite(number):
        raise CaseError(f"the value{place} is {number}, not a finite number")
    return number


def _cells(value: Any, place: str, known: Collection[str]) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        shown = "empty" if value == [] else f"{value!r}, not a list"
        raise CaseError(f"'cells'{place} is {shown}; it lists the observations used")
    for cell in value:
        if not isinstance(cell, str) or cell not in known:
            raise CaseError(f"'cells'{place} names {cell!r}, which is no observation")
    return tuple(dict.fromkeys(value))


def _require_items(claim: Claim, items: list[str]) -> None:
    """Refuse items that are given twice, or that the expectation does not know."""
    for item in items:
        if items.count(item) > 1:
            raise CaseError(f"the SQL gives item '{item}' twice")
    expect = claim.expect
    if expect is None or not expect.of_items:
        return
    if len(items) < 2:
        raise CaseError("the SQL gives one item, and one cannot be compared")
    named = expect.order or tuple(filter(None, (expect.largest, expect.smallest)))
    for name in named:
        if name not in items:
            listed = ", ".join(items)
            raise CaseError(
                f"the SQL gives no item '{name}'{nearest(name, items)}; it has {listed}"
            )
    if expect.order is not None:
        for item in items:
            if item not in named:
                raise CaseError(f"the SQL gives item '{item}', which 'order' does not name")
