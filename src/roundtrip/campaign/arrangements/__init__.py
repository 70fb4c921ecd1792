"""How brokers and links are put together for a point."""

from __future__ import annotations

from roundtrip.campaign.arrangements import bindings, clients, high_availability, mirror, single
from roundtrip.campaign.bench import Bench
from roundtrip.campaign.brokers import Endpoints
from roundtrip.campaign.pairs import is_pair


def arrange(bench: Bench) -> Endpoints:
    """Start brokers and links as the bench's point asks for them.

    Raises
    ------
    BrokerError
        If a part does not start; what was started is stopped with the bench.
    """
    if is_pair(bench.point):
        return high_availability.arrange(bench)
    if bench.point.get("replication", "none") != "none":
        return mirror.arrange(bench)
    if bindings.concerns(bench.point):
        return bindings.arrange(bench)
    if clients.FACTORS & bench.point.keys():
        return clients.arrange(bench)
    return single.arrange(bench)
