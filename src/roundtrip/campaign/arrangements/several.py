"""Several brokers that share the load: requesters and responders are spread over them evenly."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from roundtrip.campaign.bench import Bench
from roundtrip.campaign.brokers import BrokerError, Endpoint, Endpoints
from roundtrip.campaign.services import Service

_OWN = frozenset({
    "name", "node_id", "pid", "port", "url", "data", "log", "directory", "started_ms", "startup_ms",
})  # fmt: skip
"""What two brokers with one configuration differ in."""


def count(bench: Bench) -> int:
    """Give how many brokers the point asks for."""
    return int(bench.point.get("queue_managers", 1))


def arrange(bench: Bench) -> Endpoints:
    """Start the brokers beside each other and have clients connect to them in turn.

    The client library takes the next address for each connection, so that a whole multiple of the
    brokers is spread evenly. Requests and replies stay within one broker.

    Raises
    ------
    BrokerError
        If one does not start, or is configured otherwise than the first.
    """
    names = [f"broker-{number}" for number in range(1, count(bench) + 1)]
    # Nearly all of their start is one thread of each. The threads that start them must outlive
    # them: the kernel ends a process whose starter has gone.
    pool = ThreadPoolExecutor(max_workers=len(names))
    bench.later(pool.shutdown)
    started = list(pool.map(bench.start_broker, names))
    bench.later(lambda: _stop(started))
    first, *others = [_common(broker.effective) for broker in started]
    for name, other in zip(names[1:], others, strict=True):
        if other != first:
            differing = sorted(key for key in {*first, *other} if first.get(key) != other.get(key))
            raise BrokerError(f"{name} differs from {names[0]} in {', '.join(differing)}")
    bench.alike = True
    addresses = ",".join(str(broker.ready["url"]).partition("?")[0] for broker in started)
    # Without this the client would follow the topology that the first broker tells it.
    url = f"({addresses})?useTopologyForLoadBalancing=false"
    return Endpoints.same(Endpoint("artemis", ("-url", url)))


def _stop(brokers: Sequence[Service]) -> None:
    with ThreadPoolExecutor(max_workers=len(brokers)) as pool:
        list(pool.map(Service.stop, brokers))


def _common(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _common(inner) for key, inner in value.items() if key not in _OWN}
    return re.sub(r"broker-\d+", "broker", value) if isinstance(value, str) else value
