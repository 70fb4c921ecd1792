"""When a backlog counts as gone: one rule for the course that waits and for what is derived."""

from __future__ import annotations

from collections.abc import Mapping

from roundtrip.campaign.plan import Level
from roundtrip.campaign.replication_rules import delay_ms

_TENTH = 0.1


def gone_at(point: Mapping[str, Level]) -> float:
    """Give how many messages still under way are no backlog.

    None where senders stop. Where they go on, what they send during the delay of the link and a
    tenth of a second: so much is under way although the link keeps up.

    Parameters
    ----------
    point : mapping
        All factors of the operating point.
    """
    return float(point.get("later_rate", 0)) * (_TENTH + delay_ms(point) / 1000)
