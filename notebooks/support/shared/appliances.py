"""Peaks of appliances by protection, number of queue managers, message size and delay."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Quantity
from roundtrip.present.chapter import RATE
from support.shared.arrangements import with_arrangement, with_single_thread


@dataclass(frozen=True)
class Peaks:
    """Peaks with the round-trip time that a single requester saw.

    Attributes
    ----------
    points : pandas.DataFrame
        With the columns of `with_arrangement`.
    delay : str
        The factor that holds the delay of the link between the appliances.
    """

    chapter: Chapter
    points: pd.DataFrame
    delay: str

    @cached_property
    def sizes(self) -> list[float]:
        """The message sizes."""
        return sorted(set(self.points["message_bytes"]))

    @cached_property
    def managers(self) -> list[str]:
        """The numbers of queue managers in words, the smallest first."""
        return list(dict.fromkeys(self.points.sort_values("queue_managers")["managers"]))

    @cached_property
    def delays(self) -> list[float]:
        """The delays, from none on."""
        return sorted(set(self.points[self.delay]))

    def of(self, protection: str, managers: str, size: float, metric: str = RATE) -> Quantity:
        """Give a value of a peak without delay."""
        factors = {"protection": protection, "managers": managers, "message_bytes": size}
        return self.chapter.quantity(self.points, metric, **factors)

    def over(self, size: float, delay: float, metric: str = RATE) -> Quantity:
        """Give a value of a peak over a delay."""
        return self.chapter.quantity(self.points, metric, message_bytes=size, **{self.delay: delay})

    def kept(self, size: float, delay: float, decimals: int = 0) -> Quantity:
        """Give what a delay leaves of the rate without one."""
        return self.over(size, delay).percent_of(self.over(size, self.delays[0]), decimals)


def peaks(chapter: Chapter, *tables: str, delay: str = "ha_link_rtt_ms", **factors: Any) -> Peaks:
    """Give the peaks of some tables of the chapter's report."""
    points = chapter.points(*tables, **factors)
    return Peaks(chapter, with_single_thread(with_arrangement(points)), delay)
