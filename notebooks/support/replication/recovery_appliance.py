"""A recovery appliance: what it costs alone and beside a pair, near and over distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

from roundtrip.present import Chapter, Quantity, size_label
from roundtrip.present.chapter import RATE
from support.shared import over_distance
from support.shared.arrangements import Peaks, peaks
from support.shared.ends import Ends, ends
from support.shared.flows import payload, payload_in_transit, rate_in_edition

_NEAR = ("table-17", "table-18", "table-19", "table-20", "table-21", "table-22")
_MODELS = ("MQ Appliance M2003A", "MQ Appliance M2003B")
_LARGE = 20480  # from here on the data in flight limit the rate at every delay
_LITTLE_LEFT = 80  # percent of the link
_MARGIN = 5  # percent: less between two printed rates counts as no difference


def beside_pair(chapter: Chapter, link: Quantity) -> SimpleNamespace:
    """Say how DR compares with HA without delay, what it takes of a pair's rate and of its link.

    Parameters
    ----------
    link : Quantity
        Bandwidth of the link to the recovery appliance of the larger model.
    """
    large, small = (peaks(chapter, *_NEAR, platform=model) for model in _MODELS)
    keys = [(managers, size) for managers in large.managers for size in large.sizes]
    loads = {key: payload(chapter, large.of("DR", *key), key[1]) for key in keys}
    managers, size = fullest = max(loads, key=lambda key: loads[key].value)
    share = loads[fullest].percent_of(link)
    return SimpleNamespace(
        large=_dr_beside_ha(large, keys), small=_dr_beside_ha(small, keys), cases=len(keys),
        margin=Quantity(_MARGIN, "%", ()), load=loads[fullest], size=size_label(size),
        managers=managers, room="little" if share.value > _LITTLE_LEFT else "some",
        one=_left_alone(chapter, "table-12"), ten=_left_alone(chapter, "table-13"),
    )  # fmt: skip


def _left_alone(chapter: Chapter, table: str) -> Ends:
    """Give what DR without HA leaves of the rate of the larger model, and at which sizes."""
    points = chapter.points(table)
    points = points[points[RATE].notna()]
    with_dr = chapter.select(points, host_set="m2003a-dr")
    with_dr = with_dr[with_dr["replication_link_rtt_ms"].fillna(0).eq(0)]
    none = chapter.select(points, host_set="m2003a")
    return ends(
        (size_label(size), rate.percent_of(chapter.quantity(none, message_bytes=size)))
        for size, rate in zip(with_dr["message_bytes"], chapter.quantities(with_dr), strict=True)
    )


def _dr_beside_ha(peaks: Peaks, keys: list[tuple[str, float]]) -> SimpleNamespace:
    """Count where DR is faster or slower than HA; give what it leaves of a pair's rate."""
    shares = [peaks.of("DR", *key).percent_of(peaks.of("HA", *key)).value for key in keys]
    left = [peaks.of("HA and DR", *key).percent_of(peaks.of("HA", *key)) for key in keys]
    return SimpleNamespace(
        higher=sum(share >= 100 + _MARGIN for share in shares),
        lower=sum(share <= 100 - _MARGIN for share in shares),
        left=ends(left),
    )  # fmt: skip


@dataclass(frozen=True)
class Distance:
    """A recovery appliance over distance.

    Attributes
    ----------
    buffer : Quantity
        TCP send buffer of a queue manager, at most.
    """

    peaks: over_distance.Distance
    buffer: Quantity

    @property
    def managers(self) -> str:
        """The number of queue managers in words."""
        return self.peaks.managers[0]

    @property
    def large(self) -> list[float]:
        """The sizes with which the data in flight limit the rate at every delay."""
        return [size for size in self.peaks.sizes if size >= _LARGE] or self.peaks.sizes

    @property
    def from_size(self) -> str:
        """The smallest of them."""
        return size_label(self.large[0])

    @property
    def together(self) -> Ends:
        """The payload that all queue managers have in flight, with these sizes."""
        return ends(
            self.peaks.in_transit(size, delay)
            for size in self.large for delay in self.peaks.delays[1:]
        )  # fmt: skip

    @property
    def single(self) -> Ends:
        """The payload that a single requester, so one queue manager, has in flight."""

        def flight(size: float, delay: float) -> Quantity:
            time = self.peaks.alone(size, delay)
            rate = replace(rate_in_edition(self.peaks.chapter, 1000 / time.value), cells=time.cells)
            return payload_in_transit(self.peaks.chapter, rate, size, delay)

        return ends(
            (f"{size_label(size)} and {delay:g}\u00a0ms", flight(size, delay))
            for size in self.large for delay in self.peaks.delays[1:]
        )  # fmt: skip

    def kept(self, size: float) -> dict[float, Quantity]:
        """Give what each delay leaves of the rate without one; nothing for a size not shown."""
        shown = size in self.peaks.sizes
        return {delay: self.peaks.kept(size, delay, 1) for delay in self.peaks.delays if shown}

    @property
    def alone(self) -> SimpleNamespace:
        """What a single requester sees over the smallest and the largest delay."""
        sizes, (_, first, *_, last) = self.peaks.sizes, self.peaks.delays
        alone = self.peaks.alone
        return SimpleNamespace(
            first=f"{first:g} ms", last=f"{last:g} ms", small=size_label(sizes[0]),
            small_first=alone(sizes[0], first), small_last=alone(sizes[0], last),
            large=size_label(sizes[-1]), large_last=alone(sizes[-1], last),
        )  # fmt: skip


def distance(chapter: Chapter) -> Distance:
    """Give the peaks over all delays."""
    buffer = next(s.value for s in chapter.about.tuning if s.name == "TCP send buffer")
    held = Quantity(float(buffer.split(" MB")[0].split()[-1]), "MB", ())
    return Distance(over_distance.over_distance(chapter, "DR"), held)
