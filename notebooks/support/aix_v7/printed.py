"""What the source prints of V6 and V7, and states in its text, ready to be asked for."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from roundtrip.present import Chapter, Quantity
from support.aix_v7.capacity import core_times
from support.aix_v7.comparisons import (
    Comparison,
    delivery_name,
    peak_of,
    peak_row,
    version_comparisons,
)
from support.aix_v7.text_statements import stated_quantities

KINDS = {
    "RR-BB": "Local queue manager",
    "RR-CB": "Client channels",
    "RR-DQ-BB": "Distributed queuing",
}
"""Kind of connection, by workload."""

_TABLES = {
    "RR-BB": [
        "table-01", "sec-2.1.2", "table-02", "table-09", "table-10", "table-15", "table-16",
        "table-21", "table-22",
    ],
    "RR-CB": [
        "table-03", "sec-2.2.2", "table-04", "table-11", "table-12", "table-17", "table-18",
        "table-23", "table-24",
    ],
    "RR-DQ-BB": [
        "table-06", "sec-2.3.2", "table-07", "table-13", "table-14", "table-19", "table-20",
        "table-25", "table-26",
    ],
}  # fmt: skip


@dataclass(frozen=True)
class Printed:
    """The tests that print V6 beside V7.

    Attributes
    ----------
    chapter, sized : Chapter
        For all message sizes, and for those that this edition shows.
    everything : list of Comparison
        All tests.
    points : pandas.DataFrame
        Points of the sizes that are shown.
    shown : list of Comparison
        Tests of these sizes.
    stated : pandas.DataFrame
        What the text of the source states.
    """

    chapter: Chapter
    sized: Chapter
    everything: list[Comparison]
    points: pd.DataFrame
    shown: list[Comparison]
    stated: pd.DataFrame

    @property
    def complete(self) -> list[Comparison]:
        """Tests shown that print both versions."""
        return [item for item in self.shown if item.complete]

    def of_kind(self, workload: str) -> list[Comparison]:
        """Give the tests shown of one kind of connection."""
        return [item for item in self.shown if item.group == KINDS[workload]]

    def find(
        self,
        workload: str,
        delivery: str,
        size: int = 2048,
        binding: str = "normal",
        sharing: str | None = None,
    ) -> Comparison:
        """Give one test of all that were printed."""
        return next(
            item
            for item in self.everything
            if (item.factors["workload"], item.factors["delivery"]) == (workload, delivery)
            and item.factors["message_bytes"] == size
            and item.factors["application_binding"] == binding
            and (sharing is None or item.factors["sharecnv"] == sharing)
        )

    def v7(
        self,
        workload: str,
        delivery: str,
        metric: str = "round_trip_rate",
        size: int = 2048,
        binding: str = "normal",
        sharing: str | None = None,
    ) -> Quantity:
        """Give a metric at V7's highest rate of one test."""
        found = self.find(workload, delivery, size, binding, sharing)
        return peak_of(self.chapter, found.other, metric)

    def core_time(
        self, workload: str, delivery: str, binding: str = "normal", sharing: str | None = None
    ) -> Quantity:
        """Give the core time of a round trip at V7's highest rate of one test."""
        found = self.find(workload, delivery, binding=binding, sharing=sharing)
        return core_times(self.chapter, peak_row(found.other))[0]

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
    names = [name for of_kind in _TABLES.values() for name in of_kind]
    points = sized.points(*names)
    return Printed(
        chapter,
        sized,
        version_comparisons(chapter.points(*names), baseline="V6", groups=KINDS),
        points,
        version_comparisons(points, baseline="V6", groups=KINDS),
        chapter.points("text"),
    )


def with_tests(points: pd.DataFrame) -> pd.DataFrame:
    """Add a column ``test``: kind of connection and delivery, for a reader."""
    return points.assign(
        test=[
            f"{KINDS[kind]}, {delivery_name(delivery)}"
            for kind, delivery in zip(points["workload"], points["delivery"], strict=True)
        ]
    )
