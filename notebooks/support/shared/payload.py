"""The payload that a rate puts on the network of the busiest host."""

from __future__ import annotations

import pandas as pd

from roundtrip.present import Chapter
from roundtrip.present.derived import Row
from support.shared.flows import payload

_MESSAGES_EACH_WAY = {"RR-CC": 2, "RR-CB": 1, "RR-DQ-BB": 1}
"""Messages into a host, and as many out of it, for each round trip over the network."""


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
