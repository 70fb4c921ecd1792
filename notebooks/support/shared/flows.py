"""What follows from a rate: data in motion, and the time that requesters spend waiting."""

from __future__ import annotations

import pandas as pd

from roundtrip.present import Chapter, Quantity
from roundtrip.present.chapter import MESSAGES_PER_ROUND_TRIP, RATE
from roundtrip.present.derived import Row, round_trips

_MESSAGES_EACH_WAY = {"RR-CC": 2, "RR-CB": 1, "RR-DQ-BB": 1}
"""Messages into a host, and as many out of it, for each round trip over the network."""
_NEAR = 0.75
SATURATED = 85.0
"""Use of the processors, in percent, from which they may be the limit themselves."""
LIMITED_BY_LINK = "The network is likely to limit a published rate, so no verdict is given."
"""Says why a share gets no verdict, see `is_limited_by_link`."""


def rate_in_edition(chapter: Chapter, round_trips_per_second: float) -> Quantity:
    """Give a computed rate, known in round trips/s, in the unit of this edition."""
    return Quantity(round_trips_per_second * chapter.rate_scale, chapter.unit(RATE), ())


def payload(
    chapter: Chapter, rate: Quantity, message_bytes: float, messages: int = MESSAGES_PER_ROUND_TRIP
) -> Quantity:
    """Compute the payload of all messages put at a rate, in Gb/s.

    It is what enters a queue manager whose applications are all clients, what leaves it, and,
    with persistent messages, what has to reach the recovery log and every copy of it. Headers
    are not counted: the true load is higher.

    Parameters
    ----------
    rate : Quantity
        In the unit of this edition.
    messages : int
        Those of a round trip that are counted.
    """
    bits = round_trips(chapter, rate) * messages * message_bytes * 8
    return Quantity(bits / 1e9, "Gb/s", rate.cells, 1)


def payload_in_transit(
    chapter: Chapter, rate: Quantity, message_bytes: float, delay_ms: float
) -> Quantity:
    """Compute the payload put within one delay, in MB.

    By Little's law (Little 1961, doi:10.1287/opre.9.3.383) it is what is on its way on a link
    that carries all of it with that delay.

    Parameters
    ----------
    rate : Quantity
        In the unit of this edition.
    """
    put = round_trips(chapter, rate) * MESSAGES_PER_ROUND_TRIP * message_bytes
    return Quantity(put * delay_ms / 1e9, "MB", rate.cells, 1)


def time_in_round_trip(chapter: Chapter, rate: Quantity, requesters: Quantity) -> Quantity:
    """Compute the mean time of a round trip from rate and requesters, in ms.

    Requesters without think time are always within a round trip, so their number over the rate
    is its mean time (Little 1961, doi:10.1287/opre.9.3.383).

    Parameters
    ----------
    rate : Quantity
        In the unit of this edition.
    """
    time = requesters.value / round_trips(chapter, rate) * 1000
    cells = tuple(dict.fromkeys(requesters.cells + rate.cells))
    return Quantity(time, "ms", cells, 1)


def is_limited_by_link(chapter: Chapter, points: pd.DataFrame, among: pd.DataFrame) -> bool:
    """Whether the link is likely to limit any of some published rates.

    Its payload is near the most that non-persistent rates bring over the link, that most is near
    the link's bandwidth, and processors are to spare. Both directions count together, as some
    adapters carry no more.

    Parameters
    ----------
    points, among : pandas.DataFrame
        As for `payload_per_host`, with ``cpu``, ``delivery`` and ``link_gbps``; `among` are those
        that show what the link carries.
    """
    plain = payload_per_host(chapter, among[among["delivery"] == "nonpersistent"])
    most = max((load.value for *_, load in plain), default=0.0)
    loads = [load.value for *_, load in payload_per_host(chapter, points)]
    full = pd.Series(loads, points.index).ge(_NEAR * most)
    reached = points["link_gbps"].mul(_NEAR).le(2 * most)
    return bool((full & reached & points["cpu"].lt(SATURATED)).any())


def payload_per_host(chapter: Chapter, points: pd.DataFrame) -> list[Row]:
    """Compute the payload that enters, and leaves, the busiest host, in Gb/s.

    Rate times message size times the messages that each round trip sends into the host over the
    network. Headers are not counted: the true load is higher.

    Parameters
    ----------
    points : pandas.DataFrame
        With ``workload``, ``api``, ``message_bytes`` and a rate.
    """
    columns = (points[name] for name in ("workload", "api", "message_bytes"))
    return [
        (
            f"{workload}, {api}",
            chapter.level("message_bytes", size),
            payload(chapter, rate, size, _MESSAGES_EACH_WAY[workload]),
        )
        for workload, api, size, rate in zip(*columns, chapter.quantities(points), strict=True)
    ]
