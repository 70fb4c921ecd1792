"""What the source prints of V6 and V7, and states in its text, ready to be asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from roundtrip.errors import ChapterError
from roundtrip.present import Chapter, Quantity
from support.aix_v7.comparisons import KINDS, Comparison, version_comparisons
from support.aix_v7.text_statements import stated_quantities

_TABLES = (
    "table-01", "sec-2.1.2", "table-02", "table-09", "table-10", "table-15", "table-16",
    "table-21", "table-22",
    "table-03", "sec-2.2.2", "table-04", "table-11", "table-12", "table-17", "table-18",
    "table-23", "table-24",
    "table-06", "sec-2.3.2", "table-07", "table-13", "table-14", "table-19", "table-20",
    "table-25", "table-26",
)  # fmt: skip
"""Those of a local queue manager, of client channels and of distributed queuing."""
_CHANGES = ("V7 against", "V7 with", "V7 clients")
"""How statements on the change from V6 to V7 begin."""


@dataclass(frozen=True)
class Printed:
    """The tests that print V6 beside V7.

    Attributes
    ----------
    everything : list of Comparison
        All tests.
    points : pandas.DataFrame
        Points of the sizes that this edition shows.
    shown : list of Comparison
        Tests of these sizes.
    stated : pandas.DataFrame
        What the text of the source states.
    """

    chapter: Chapter
    everything: list[Comparison]
    points: pd.DataFrame
    shown: list[Comparison]
    stated: pd.DataFrame

    @property
    def complete(self) -> list[Comparison]:
        """Tests shown that print both versions."""
        return [item for item in self.shown if item.complete]

    def test(
        self, workload: str, delivery: str, message_bytes: int = 2048, **factors: Any
    ) -> Comparison:
        """Give the one test with some factors of all that were printed.

        Unless they are named, bindings are as usual, and clients do not share sockets by default.

        Raises
        ------
        ChapterError
            If no test has these factors, or several have.
        """
        wanted = {
            "workload": workload, "delivery": delivery, "message_bytes": message_bytes,
            "application_binding": "normal", **factors,
        }  # fmt: skip
        found = [
            item
            for item in self.everything
            if all(item.factors[name] == value for name, value in wanted.items())
            and ("sharecnv" in wanted or item.factors["sharecnv"] != "default")
        ]
        if len(found) != 1:
            named = ", ".join(f"{name}={value}" for name, value in wanted.items())
            raise ChapterError(
                f"{len(found) or 'no'} tests have {named}",
                remedy="name factors that one printed test has, such as sharecnv",
            )
        return found[0]

    def kept(self, workload: str, message_bytes: int = 2048) -> Quantity:
        """Give V7's persistent rate in percent of the non-persistent one."""
        logged, plain = (
            self.test(workload, delivery, message_bytes).rate
            for delivery in ("persistent", "nonpersistent")
        )
        return logged.percent_of(plain)

    @property
    def changes(self) -> pd.DataFrame:
        """What the text states of the change from V6 to V7."""
        return self.stated[self.stated["row_label"].str.startswith(_CHANGES)]

    @property
    def memory_and_tuning(self) -> pd.DataFrame:
        """What else the text states, losses through SSL aside."""
        others = self.stated.drop(self.changes.index)
        return others[others["host_set"] != "p570-8core"]

    def said(self, row_label: str) -> Quantity:
        """Give a value that the source's text states."""
        rows = self.stated[self.stated["row_label"] == row_label]
        return stated_quantities(self.chapter, rows)[0]


def printed_tests(chapter: Chapter, sized: Chapter) -> Printed:
    """Collect the tests that print V6 beside V7.

    Parameters
    ----------
    chapter, sized : Chapter
        For all message sizes, and for those that this edition shows.
    """
    every, points = (one.points(*_TABLES) for one in (chapter, sized))
    return Printed(
        chapter,
        version_comparisons(chapter, every),
        points,
        version_comparisons(chapter, points),
        chapter.points("text"),
    )


def with_tests(points: pd.DataFrame) -> pd.DataFrame:
    """Add a column ``test``: kind of connection and delivery, for a reader."""
    deliveries = points["delivery"].replace("nonpersistent", "non-persistent")
    return points.assign(test=points["workload"].map(KINDS) + ", " + deliveries)
