"""Peaks of M2003A with ten queue managers, by delay of the link between appliances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from roundtrip.present import Chapter, Quantity
from roundtrip.present.chapter import RATE
from support.shared.arrangements import Peaks, arranged_peaks
from support.shared.flows import payload, payload_in_transit, time_in_round_trip

_TABLES = {
    "HA": ("table-09", "table-10", "table-11-a", "table-11-b", "table-11-c"),
    "DR": ("table-13", "table-14-a", "table-14-b", "table-14-c", "table-14-d"),
}
_DELAYS = {"HA": "ha_link_rtt_ms", "DR": "replication_link_rtt_ms"}
_FACTORS = {"HA": "ha", "DR": "replication"}


@dataclass(frozen=True)
class Distance(Peaks):
    """Peaks with HA or DR over a distance; sizes are in bytes, delays in ms.

    Attributes
    ----------
    protection : str
        HA or DR.
    """

    protection: str

    @property
    def factor(self) -> str:
        """The factor that holds the delay."""
        return _DELAYS[self.protection]

    @cached_property
    def delays(self) -> list[float]:
        """The added delays, ascending; the first is none."""
        return sorted(set(self.points[self.factor]))

    @property
    def near(self) -> Quantity:
        """The shortest added delay."""
        return Quantity(self.delays[1], "ms", ())

    @property
    def far(self) -> Quantity:
        """The longest added delay."""
        return Quantity(self.delays[-1], "ms", ())

    def over(self, size: float, delay: float, metric: str = RATE) -> Quantity:
        """Give a value of a peak over a delay."""
        return self.chapter.quantity(
            self.points, metric, message_bytes=size, **{self.factor: delay}
        )

    def kept(self, size: float, delay: float, decimals: int = 0) -> Quantity:
        """Give what a delay leaves of the rate without one."""
        return self.over(size, delay).percent_of(self.over(size, self.delays[0]), decimals)

    def alone(self, size: float, delay: float) -> Quantity:
        """Give the printed time of a round trip of a single requester."""
        return self.over(size, delay, "round_trip_time")

    def loaded(self, size: float, delay: float) -> Quantity:
        """Give the time of a round trip at the peak, from requesters and rate."""
        rate, requesters = (self.over(size, delay, metric) for metric in (RATE, "clients"))
        return time_in_round_trip(self.chapter, rate, requesters)

    def payload(self, size: float, delay: float) -> Quantity:
        """Give the payload put in a second."""
        return payload(self.chapter, self.over(size, delay), size)

    def in_transit(self, size: float, delay: float) -> Quantity:
        """Give the payload put within one delay."""
        return payload_in_transit(self.chapter, self.over(size, delay), size, delay)


def over_distance(chapter: Chapter, protection: str) -> Distance:
    """Give the peaks of HA or DR over a distance, by message size."""
    copy = {_FACTORS[protection]: f"appliance {protection}"}
    points = arranged_peaks(chapter, *_TABLES[protection], **copy)
    return Distance(chapter, points.sort_values("message_bytes", kind="stable"), protection)
