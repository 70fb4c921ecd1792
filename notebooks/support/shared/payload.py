"""The payload that a rate puts on the network of the busiest host."""

from __future__ import annotations

import pandas as pd

from roundtrip.present import Chapter, Quantity, size_label
from roundtrip.present.derived import Row, round_trips

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
    rows = []
    for (_, point), rate in zip(points.iterrows(), chapter.quantities(points), strict=True):
        messages = _MESSAGES_EACH_WAY[str(point["workload"])]
        bits = round_trips(chapter, rate) * messages * float(point["message_bytes"]) * 8
        series = f"{point['workload']}, {point['api']}"
        place = size_label(float(point["message_bytes"]))
        rows.append((series, place, Quantity(bits / 1e9, "Gb/s", rate.cells, 1)))
    return rows
