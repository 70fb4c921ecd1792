"""What rules compare the observations with, and what they report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roundtrip.dictionary import Dictionary
from roundtrip.sources.disclosure import PublishedReport


@dataclass(frozen=True)
class Reference:
    """The definitions that the observations are held against.

    Attributes
    ----------
    dictionary : Dictionary
        Factors, metrics and words.
    reports : mapping
        Published reports by id.
    """

    dictionary: Dictionary
    reports: Mapping[str, PublishedReport]


@dataclass
class Finding:
    """What a rule found.

    Attributes
    ----------
    checked : int
        Rows that the rule looked at. A rule that finds nothing to check fails: it would pass
        whatever the data were.
    rows : dict
        Position of a failing row to what is wrong with it.
    general : list of str
        Faults that belong to no single row.
    excluded : dict
        Position of a row that would fail to the reason why it may, such as that its source is known
        to contradict itself: listed, and no failure.
    corrected : bool
        Whether values as printed break the rule where their corrections keep it.
    """

    checked: int
    rows: dict[int, str] = field(default_factory=dict)
    general: list[str] = field(default_factory=list)
    excluded: dict[int, str] = field(default_factory=dict)
    corrected: bool = False

    def add_row(self, position: int, problem: str) -> None:
        """Add one row that fails."""
        _append(self.rows, position, problem)

    def add_contradiction(self, cells: Sequence[Mapping[str, Any]], problem: str) -> None:
        """Add a cell that does not fit others, unless one of them is marked as suspect.

        Parameters
        ----------
        cells : sequence of mapping
            The one that the problem is told of, then those that it rests on.
        """
        position = int(cells[0]["position"])
        for cell in cells:
            if cell["status"] == "suspect":
                self.exclude(position, str(cell["note"]))
                return
        self.add_row(position, problem)

    def exclude(self, position: int, reason: str) -> None:
        """Add a row that would fail, but for a reason that is known."""
        _append(self.excluded, position, reason)

    @property
    def success(self) -> bool:
        """Whether something was checked and nothing was wrong."""
        return self.checked > 0 and not self.rows and not self.general


def _append(rows: dict[int, str], position: int, problem: str) -> None:
    known = rows[position].split("; ") if position in rows else []
    rows[position] = "; ".join(known if problem in known else [*known, problem])
