"""Cells that are suspect or corrected, and what is the matter with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from roundtrip.present.chapter import Chapter
from roundtrip.present.numbers import NumberFormat
from roundtrip.sections import RUNS

DOUBTED = "\u00a0†"
"""What stands behind a value that its source disproves or that is doubted."""
_MARKED = "† Includes marked runs, such as runs not in steady state or disturbed"
_LISTED = "; the list of every run names them and the reason"


def doubted_cells(chapter: Chapter, cells: Sequence[str]) -> dict[str, str]:
    """Say of each suspect or corrected cell among some cells what is the matter with it.

    Returns
    -------
    dict
        Observation id to a note: as printed, the reason, and what the rest of the source gives.
    """
    frame = chapter.observations.rows_of(cells)
    doubted = frame[frame["status"] != "as_printed"]
    listed = "measured" in set(doubted["source_kind"]) and RUNS in chapter.sections
    return {
        str(cell["observation_id"]): doubt_of(cell, chapter.numbers, listed=listed)
        for cell in doubted.to_dict(orient="records")
    }


def doubt_of(cell: Any, numbers: NumberFormat, *, listed: bool = True) -> str:
    """Explain a suspect or corrected cell: why it is doubted, what the source gives instead.

    `listed` says whether the edition has a list of every run.
    """
    if cell["source_kind"] == "measured":
        return f"{_MARKED}{_LISTED * listed}."
    if cell["source_kind"] == "ingested":
        return f"† {cell['note']}"
    printed = "" if pd.isna(cell["value_corrected"]) else "Printed as "
    return f"† {printed}{cell['value_printed']}: {cell['note']}{cross_check(cell, numbers)}"


def cross_check(cell: Any, numbers: NumberFormat) -> str:
    """Say what the rest of the source gives for a corrected cell; nothing for another."""
    corrected = cell["value_corrected"]
    if pd.isna(corrected):
        return ""
    unit = "" if cell["unit"] == "ratio" else f"\u00a0{cell['unit']}"
    return f" Cross-checks within the source give {numbers.exact(corrected)}{unit}."
