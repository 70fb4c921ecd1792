"""How requesters and responders are bound to their broker: inside its process, or as clients.

In the terms of the published reports: RR-BB has both inside, RR-CB requesters as clients and
responders inside, RR-CC both as clients. In RR-DQ-BB requesters are inside one broker and
responders inside another; bridges carry requests there and replies back.
"""

from __future__ import annotations

from collections.abc import Mapping

from roundtrip.campaign.bench import Bench
from roundtrip.campaign.brokers import BrokerError, Endpoint, Endpoints
from roundtrip.campaign.drivers import REPLY_QUEUE, REQUEST_QUEUE, queue_names
from roundtrip.campaign.machine.ports import free_ports
from roundtrip.campaign.plan import Level
from roundtrip.campaign.products import product_of, stated
from roundtrip.campaign.services import Service


def concerns(point: Mapping[str, Level]) -> bool:
    """Say whether a point names product, version or bindings, and so is arranged here."""
    return bool({"product", "product_version"} & point.keys()) or point["workload"] != "RR-CC"


def arrange(bench: Bench) -> Endpoints:
    """Start one broker or two, as the workload asks.

    Raises
    ------
    BrokerError
        If a broker does not start, or is of another version than the point asks for.
    """
    workload = str(bench.point["workload"])
    if workload == "RR-DQ-BB":
        return _distributed(bench)
    broker = bench.start_broker(local=workload in ("RR-BB", "RR-CB"))
    _check_version(bench, broker)
    client = Endpoint(product_of(bench.point).key, ("-url", str(broker.ready["url"])))
    if workload == "RR-CC":
        return Endpoints.same(client)
    local = _inside(bench, broker)
    return Endpoints.same(local) if workload == "RR-BB" else Endpoints(client, local)


def _distributed(bench: Bench) -> Endpoints:
    """Start the responders' broker first: the requesters' one finds it at once."""
    here, there = free_ports(2, bench.host)
    requests = queue_names(bench.point, REQUEST_QUEUE)
    replies = queue_names(bench.point, REPLY_QUEUE)
    connections = int(bench.point.get("channel_pairs", 1))

    def start(name: str, port: int, sends: list[str], to: int) -> Service:
        return bench.start_broker(
            name,
            port=port,
            local=True,
            queues=[*requests, *replies],
            bridges=[
                {"queue": queue, "host": bench.host, "port": to, "connections": connections}
                for queue in sends
            ],
        )

    responders = start("broker-responders", there, replies, here)
    requesters = start("broker-requesters", here, requests, there)
    _check_version(bench, requesters)
    return Endpoints(_inside(bench, requesters), _inside(bench, responders))


def _inside(bench: Bench, broker: Service) -> Endpoint:
    return Endpoint(
        product_of(bench.point).key, ("-url", str(broker.ready["local_url"])), host=broker.process
    )


def _check_version(bench: Bench, broker: Service) -> None:
    asked = bench.point.get("product_version")
    found = stated(broker.effective)
    if asked is not None and (found is None or found[1] != asked):
        raise BrokerError(
            f"the broker is of version {found[1] if found else 'unknown'}, not {asked}"
        )
