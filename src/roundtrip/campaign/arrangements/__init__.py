"""How brokers and links are put together for a point."""

from __future__ import annotations

from roundtrip.campaign import confinement, storage
from roundtrip.campaign.arrangements import several, single
from roundtrip.campaign.bench import Bench
from roundtrip.campaign.brokers import Endpoints


def arrange(bench: Bench) -> Endpoints:
    """Start brokers and links as the bench's point asks for them.

    Raises
    ------
    BrokerError
        If a part does not start; what was started is stopped with the bench.
    """
    storage.lay(bench)
    confinement.confine(bench)
    how = several if several.count(bench) > 1 else single
    return confinement.confine_drivers(bench, how.arrange(bench))
