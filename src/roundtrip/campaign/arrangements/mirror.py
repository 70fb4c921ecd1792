"""A broker that mirrors to a second one over a link; clients use the first."""

from __future__ import annotations

from roundtrip.campaign import link_greeting, namespaces
from roundtrip.campaign.bench import HOST, Bench
from roundtrip.campaign.brokers import Endpoint, Endpoints
from roundtrip.campaign.drivers import REPLY_QUEUE, REQUEST_QUEUE
from roundtrip.campaign.replication_rules import NAMESPACES, delay_ms, gbps

SECOND = "broker-mirror"
LINK = "link-replication"
DEPTHS_S = 0.25
"""How often both brokers tell how full their queues are."""


def arrange(bench: Bench) -> Endpoints:
    """Start the second broker, the link to it, and the broker that mirrors over it.

    How long the link takes is measured before anything else uses it, and goes into the raw file.
    """
    point = bench.point
    if point["replication_link"] == NAMESPACES:
        name = namespaces.name_for(bench.made.path)
        space = namespaces.make(name, gbps(point), lambda: bench.make(namespaces.KIND, name))
        second = bench.start_broker(
            SECOND, prefix=space.prefix, host=space.far_address, amqp=True,
            report_depths_s=DEPTHS_S,
        )  # fmt: skip
        bench.later(namespaces.counted(space.near, bench.raw, LINK))
        host, port = space.far_address, _port(str(second.ready["url"]))
    else:
        second = bench.start_broker(SECOND, amqp=True, report_depths_s=DEPTHS_S)
        host, port = HOST, bench.start_link(
            LINK, _port(str(second.ready["url"])), delay_ms=delay_ms(point) / 2,
            rate_mbit=gbps(point) * 1000,
        )  # fmt: skip
    bench.raw.record("runner", event="link", round_trip_ms=link_greeting.round_trips_ms(host, port))
    source = bench.start_broker(
        queues=[REQUEST_QUEUE, REPLY_QUEUE],
        mirror={"url": f"tcp://{host}:{port}", "sync": point["mirroring"] == "synchronous"},
        report_depths_s=DEPTHS_S,
    )
    clients, copy = (
        Endpoint("artemis", ("-url", str(broker.ready["url"]))) for broker in (source, second)
    )
    return Endpoints(clients, clients, copy)


def _port(url: str) -> int:
    return int(url.rpartition(":")[2])
