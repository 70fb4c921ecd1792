"""What a raw file says of a failover: how long nobody was served, and what became of messages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roundtrip.campaign.raw import RawLine
from roundtrip.campaign.values import Reported, Values, intervals_of, records_of, together
from roundtrip.campaign.values.drivers import accounts

FULL_SHARE = 0.9
"""Of the rate before the failure, from which on the rate counts as full again."""


def full_from(
    killed_ms: float, intervals: Sequence[tuple[float, float]], before: float, window: int,
    share: float = FULL_SHARE,
) -> float | None:  # fmt: skip
    """Give when the rate was full again after a failure, in milliseconds since 1970; None if never.

    That is the end of the first interval of the first window that is full.

    Parameters
    ----------
    killed_ms : float
        When the primary was killed.
    intervals : sequence of (float, float)
        End and rate of each interval, ascending.
    before : float
        Rate before the failure.
    window : int
        So many intervals in a row, none of them begun before the failure, must reach the share
        together, and the first of them by itself: a burst is no full rate.
    """
    ends, rates = [end for end, _ in intervals], [rate for _, rate in intervals]
    begins = [killed_ms, *ends[:-1]]
    for first in range(len(rates) - window + 1):
        if begins[first] < killed_ms or (first == 0 and ends[0] < killed_ms):
            continue
        # The first one by itself as well: a burst that makes up for an outage must not hide it.
        least = share * before
        if rates[first] >= least and float(np.mean(rates[first : first + window])) >= least:
            return ends[first]
    return None


def failover_values(lines: Sequence[RawLine], before: float | None) -> Values:
    """Give what a failover took; nothing where none was made.

    ``service_gap``, ``takeover_time`` and ``recovery_time`` are in seconds, each left out where it
    did not come to its end; ``messages_sent``, ``messages_lost``, ``messages_doubled`` and
    ``messages_in_doubt`` are of the numbered flow; and there are ``unanswered_requests``. The rate
    of round trips before the failure is that of the measured part, which ends when the primary is
    killed.
    """
    kills = records_of(lines, "killed", "runner")
    if not kills:
        return {}
    killed = kills[-1]
    intervals = intervals_of(lines, "requester")
    at = float(killed["at_ms"])
    values: Values = {}
    gap = _gap(intervals, at)
    if gap is not None:
        values["service_gap", "single"] = gap
    for active in records_of(lines, "active")[:1]:
        values["takeover_time", "single"] = (float(active["t_ms"]) - at) / 1000
    window, share = int(killed["window"]), float(killed["share"])
    full = full_from(at, together(intervals), before, window, share) if before else None
    if full is not None:
        values["recovery_time", "single"] = max(0.0, (full - at) / 1000)
    return values | _account(lines)


def _gap(intervals: Reported, at: float) -> float | None:
    """Give the longest time after the failure in which no process completed a round trip.

    The processes' gaps are laid over each other; one that had none that lasted ends it for all.
    """
    spans = []
    for rows in intervals.values():
        found = [
            (float(row["longest_gap_ms"]), float(row["gap_from_ms"]), float(row["gap_to_ms"]))
            for row in rows
            if row.get("longest_gap_ms") is not None and float(row["gap_to_ms"]) >= at
        ]
        if not found:
            return None
        spans.append(max(found)[1:])
    if not spans:
        return None
    begin, end = max(begin for begin, _ in spans), min(end for _, end in spans)
    return max(0.0, (end - begin) / 1000)


def _account(lines: Sequence[RawLine]) -> Values:
    """Count what the numbered flow sent and got, and the requests that nobody answered."""
    ends = {role: accounts(lines, role).values() for role in ("requester", "sender", "receiver")}

    def total(role: str, name: str) -> float:
        return float(sum(int(end.get(name, 0)) for end in ends[role]))

    values: Values = {}
    if ends["sender"] and ends["receiver"]:
        sent = total("sender", "sent")
        values = {
            ("messages_sent", "total"): sent,
            ("messages_lost", "total"): max(0.0, sent - total("receiver", "distinct")),
            ("messages_doubled", "total"): total("receiver", "duplicates"),
            ("messages_in_doubt", "total"): (
                total("sender", "in_doubt") + total("receiver", "in_doubt")
            ),
        }
    if ends["requester"]:
        values["unanswered_requests", "total"] = total("requester", "lost")
    return values
