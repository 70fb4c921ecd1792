"""One broker, to which everybody connects directly."""

from __future__ import annotations

from roundtrip.campaign.bench import Bench
from roundtrip.campaign.brokers import Endpoint, Endpoints


def arrange(bench: Bench) -> Endpoints:
    """Start the broker."""
    broker = bench.start_broker()
    return Endpoints.same(Endpoint("artemis", ("-url", str(broker.ready["url"]))))
