"""From the rows that a claim's SQL gives to the cases that are judged."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict

from roundtrip.claims.declared import Claim, Expect

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
    expect = claim.expect
    several = claim.each is not None or (expect is not None and expect.of_items)
    wanted = COLUMNS if several else COLUMNS[:2]
    if sorted(columns) != sorted(wanted):
        raise CaseError(
            f"the SQL gives the columns {', '.join(columns)}; wanted: {', '.join(wanted)} "
            "('item' where the claim has 'each', 'order', 'largest' or 'smallest', and only there)"
        )
    if not rows:
        raise CaseError("the SQL gives no row")
    if not several and len(rows) > 1:
        raise CaseError(f"the SQL gives {len(rows)} rows where one is meant (several need 'each')")
    cases = tuple(_case(dict(zip(columns, row, strict=True)), known) for row in rows)
    if several:
        _require_items(expect, [str(case.item) for case in cases])
    return cases


def _case(given: Mapping[str, Any], known: Collection[str]) -> Case:
    item, value, cells = given.get("item"), given["value"], given["cells"]
    if "item" in given and not (isinstance(item, str) and item.strip()):
        raise CaseError(f"an item is {item!r}, not text")
    place = f" of item '{item}'" if item else ""
    number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    if not number or not math.isfinite(value):
        raise CaseError(f"the value{place} is {value!r}, not a finite number")
    if not isinstance(cells, list) or not cells:
        raise CaseError(f"'cells'{place} is {cells!r}; it lists the observations used")
    for cell in cells:
        if not isinstance(cell, str) or cell not in known:
            raise CaseError(f"'cells'{place} names {cell!r}, which is no observation")
    return Case(item=item, value=float(value), cells=tuple(dict.fromkeys(cells)))


def _require_items(expect: Expect | None, items: Sequence[str]) -> None:
    """Refuse items that are given twice, or are not those that the expectation compares."""
    given = ", ".join(items)
    if len({*items}) < len(items):
        raise CaseError(f"the SQL gives an item twice: {given}")
    if expect is None or not expect.of_items:
        return
    named = {*(expect.order or ()), expect.largest, expect.smallest} - {None}
    if len(items) < 2 or named - {*items} or (expect.order and {*items} - named):
        meant = (
            f"{', '.join(map(str, expect.order or named))}{'' if expect.order else ' and others'}"
        )
        raise CaseError(f"the SQL gives the items {given}; the expectation compares {meant}")
