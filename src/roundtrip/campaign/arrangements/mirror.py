"""A broker that mirrors to a second one over a link; clients use the first."""

from __future__ import annotations

from roundtrip.campaign.bench import HOST, Bench
from roundtrip.campaign.brokers import Endpoint, Endpoints
from roundtrip.campaign.drivers import REPLY_QUEUE, REQUEST_QUEUE
from roundtrip.campaign.links import namespaces
from roundtrip.campaign.links.clients import record
from roundtrip.campaign.links.probe import far_end, probe
from roundtrip.campaign.replication_rules import NAMESPACES, delay_ms, gbps
from roundtrip.campaign.services import Service

SECOND = "broker-mirror"
LINK = "link-replication"
DEPTHS_S = 0.25
"""How often both brokers tell how full their queues are."""


def arrange(bench: Bench) -> Endpoints:
    """Start the second broker, the link to it, and the broker that mirrors over it.

    The link is measured before anything else uses it; what is seen goes into the raw file.

    Raises
    ------
    BrokerError, SetupError
        If a broker or the link does not start.
    """
    if bench.point["replication_link"] == NAMESPACES:
        second, host, port = _over_interfaces(bench)
    else:
        second, host, port = _over_proxy(bench)
    source = bench.start_broker(
        queues=[REQUEST_QUEUE, REPLY_QUEUE],
        mirror={
            "url": f"tcp://{host}:{port}", "sync": bench.point["mirroring"] == "synchronous",
        },
        report_depths_s=DEPTHS_S,
    )  # fmt: skip
    clients, copy = (
        Endpoint("artemis", ("-url", str(broker.ready["url"]))) for broker in (source, second)
    )
    return Endpoints(clients, clients, copy)


def _over_proxy(bench: Bench) -> tuple[Service, str, int]:
    """Put a proxy between the brokers; it has half the delay in each direction."""
    limit = gbps(bench.point)
    second = bench.start_broker(SECOND, amqp=True, report_depths_s=DEPTHS_S)
    with far_end() as end:
        port = bench.start_link(
            LINK, _port(second), delay_ms=delay_ms(bench.point) / 2, rate_mbit=limit * 1000,
            probe_port=end,
        )  # fmt: skip
        record(bench, probe(int(bench.links[LINK].ready["probe_port"]), limit))
    return second, HOST, port


def _over_interfaces(bench: Bench) -> tuple[Service, str, int]:
    """Put the second broker into a network namespace with a limited way to it."""
    limit = gbps(bench.point)
    name = namespaces.name_for(bench.made.path)
    space = namespaces.make(name, limit, lambda: bench.make(namespaces.KIND, name))
    with far_end(namespaces.listener(space)) as end:
        record(bench, probe(end, limit, space.far_address))
    second = bench.start_broker(
        SECOND, prefix=space.prefix, host=space.far_address, amqp=True, report_depths_s=DEPTHS_S
    )
    bench.later(namespaces.counted(space.near, bench.raw, LINK))
    return second, space.far_address, _port(second)


def _port(broker: Service) -> int:
    return int(str(broker.ready["url"]).rpartition(":")[2])
