"""What the detectors look at: one report's observations, as they are printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from roundtrip.checks.precision import Cell, settled_cells
from roundtrip.checks.reference import Reference
from roundtrip.checks.selection import records, stated_factors, to_frame
from roundtrip.claims import Judged, load_words
from roundtrip.detectors.text import Printed, ReportText
from roundtrip.dictionary import Dictionary
from roundtrip.drafting.contents import load_draft
from roundtrip.drafting.sentences import Mark, Sentence
from roundtrip.observations import Observations
from roundtrip.project import Project
from roundtrip.sources.declared import section_named
from roundtrip.sources.disclosure import PublishedReport

POINT_STATISTICS = ("peak", "comparison", "rated", "single")
"""Statistics of one operating point: with its number of requesters they name the same value."""

_BOUND = re.compile(
    r"\b(above|below|over|under|up to|nearly|almost|just|least|most|lowest|highest)\b",
    re.IGNORECASE,
)

OFF = "none"
"""Level of a factor that is switched off."""


@dataclass(frozen=True, eq=False)
class Subject:
    """One report's observations and what it discloses.

    What earlier readers marked as wrong is not used: values are as printed, and the number of
    requesters is the printed one, where a table prints it.

    Parameters
    ----------
    report : str
        Its id.
    cells : pandas.DataFrame
        Its observations with ``settled``, the printed value, ``slack``, half a unit of its last
        digit or the accuracy of its drawing, and ``position``, which is also the index.
    dictionary : Dictionary
        Factors and metrics.
    disclosure : PublishedReport or None
        What the report says of its machines; None where there is none.
    limits : sequence of Judged
        Claims that the processors are the limit.
    text : ReportText or None
        Its sentences; None where they are not at hand.
    """

    report: str
    cells: pd.DataFrame
    dictionary: Dictionary
    disclosure: PublishedReport | None = None
    limits: Sequence[Judged] = ()
    text: ReportText | None = None

    @classmethod
    def of(
        cls,
        observations: Observations,
        report: str,
        limits: Sequence[Judged] = (),
        *,
        sentences: bool = True,
    ) -> Subject:
        """Take a published report out of the observations, with the sentences of its draft.

        Raises
        ------
        DataError
            If there is no such report.
        """
        disclosure = observations.report(report)
        frame = to_frame(observations.table)
        frame = frame[frame["source"] == report]
        project, dictionary = observations.project, observations.dictionary
        draft = load_draft(project.drafts / report) if sentences else None
        text = None
        if draft:
            said, marks = draft.read.sentences, draft.read.marks
            text = text_beside(project, report, frame, said, marks)
        cells = printed_cells(frame, Reference(dictionary, {report: disclosure}))
        return cls(report, cells, dictionary, disclosure, limits, text)

    @cached_property
    def stated(self) -> list[str]:
        """Factors that some cell of the report states, but for the number of requesters."""
        return stated_factors(self.cells, self.dictionary, "requesters")

    @cached_property
    def settings(self) -> pd.Series:
        """A number for each cell: the same where all stated factors are the same."""
        return self.settings_but()

    def settings_but(self, *names: str) -> pd.Series:
        """Give a number for each cell: the same where all stated factors but some are the same."""
        held = [name for name in self.stated if name not in names]
        if not held:
            return pd.Series(0, index=self.cells.index)
        return self.cells.groupby(held, dropna=False, sort=False).ngroup()

    @cached_property
    def _records(self) -> list[dict[str, Any]]:
        return records(self.cells)

    def rows(self, frame: pd.DataFrame) -> list[dict[str, Any]]:
        """Give cells of the report one by one, as mappings from column to value."""
        return [self._records[position] for position in frame["position"]]

    @cached_property
    def tables(self) -> pd.DataFrame:
        """Cells of printed tables."""
        return self.cells[self.cells["source_kind"] == "table"]


def text_beside(
    project: Project,
    report: str,
    frame: pd.DataFrame,
    sentences: Sequence[Sentence],
    marks: Sequence[Mark],
) -> ReportText:
    """Lay the sentences of a report beside its cells."""
    tables = frame[frame["source_kind"] == "table"]
    columns = ("observation_id", "table", "section", "row_label", "column_label", "value_printed")
    cells = tuple(
        Printed(*("" if pd.isna(row[name]) else str(row[name]) for name in columns))
        for row in records(tables[list(columns)])
    )
    return ReportText(report, tuple(sentences), tuple(marks), cells, load_words(project))


def printed_cells(frame: pd.DataFrame, reference: Reference) -> pd.DataFrame:
    """Give observations as they are printed, with what `settled_cells` adds for rules about values.

    Corrections and doubts are taken off; ``requesters`` is what the point's own ``clients`` say.
    """
    bare = frame.assign(
        value_corrected=pd.Series(np.nan, index=frame.index, dtype=float),
        status="as_printed",
        note=None,
    )
    cells = settled_cells(bare, reference)
    clients = cells[cells["metric"] == "clients"]
    seen = clients.drop_duplicates("point_id").set_index("point_id")["settled"]
    printed = cells["point_id"].map(seen)
    return cells.assign(
        requesters=printed.astype("Float64").fillna(cells["requesters"].astype("Float64"))
    )


def unstated(level: Any) -> bool:
    """Say whether the source does not state a level."""
    return bool(pd.isna(level))


def is_bound(cell: Cell) -> bool:
    """Say whether a text calls its value a bound, which the value it speaks of need not equal."""
    return cell["source_kind"] == "text" and bool(_BOUND.search(str(cell["row_label"])))


def place(cell: Cell) -> str:
    """Name the place of a cell for a reader: its table, or the section of a text."""
    section = cell["section"]
    if cell["source_kind"] == "text" and not section:
        return "the text"
    if cell["source_kind"] == "text" and cell["table"] == section_named(section, "sec"):
        return f"the text of {section_named(section)}"
    return str(cell["table"])


def printed(cell: Cell) -> str:
    """Give what a cell prints, with its unit; the value read off where it is a drawing."""
    drawn = pd.isna(cell["value_printed"])
    text: str = f"{cell['settled']:g}" if drawn else str(cell["value_printed"])
    said = re.sub(r"^\d{4,}", lambda found: f"{int(found[0]):,}", text)  # as other numbers are
    unit = cell["unit" if drawn else "unit_printed"]
    return f"{said} {unit}" if said[-1].isdigit() and unit != "ratio" else said
