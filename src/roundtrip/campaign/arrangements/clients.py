"""One broker that clients reach over a link, encrypted, or both."""

from __future__ import annotations

from roundtrip.campaign.bench import HOST, Bench
from roundtrip.campaign.brokers import Endpoint, Endpoints
from roundtrip.campaign.links.clients import client_port
from roundtrip.campaign.tls.encryption import encryption_of

FACTORS = frozenset({"link", "link_limit_gbps", "link_rtt_ms", "tls_cipher"})
"""Points with any of these are arranged here."""


def arrange(bench: Bench) -> Endpoints:
    """Start broker and link, and make keys, as the bench's point asks for them."""
    tls = encryption_of(bench)
    broker = bench.start_broker(environment=tls.broker_environment, **tls.broker)
    url = str(broker.ready["url"])
    if "link" in bench.point:
        # Addresses as the broker gives them: scheme://host:port with options behind it.
        head, _, options = url.partition("?")
        port = client_port(bench, int(head.rpartition(":")[2]))
        url = f"tcp://{HOST}:{port}" + (f"?{options}" if options else "")
    return Endpoints.same(Endpoint("artemis", ("-url", url, *tls.client), tls.client_environment))
