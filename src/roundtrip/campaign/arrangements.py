"""How brokers and links are put together for a point."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Any

from roundtrip.campaign.bench import Bench, Service
from roundtrip.campaign.brokers import Endpoint, Endpoints
from roundtrip.campaign.drivers import queue_names
from roundtrip.campaign.links import namespaces
from roundtrip.campaign.links.probe import Probe, far_end, probe
from roundtrip.campaign.machine import confinement, storage
from roundtrip.campaign.machine.network import HOST, free_ports
from roundtrip.campaign.names import (
    BACKUP,
    CLIENT_LINK,
    PAIR_LINK,
    PRIMARY,
    REPLICATION_LINK,
    REPLY_QUEUE,
    REQUEST_QUEUE,
    SECOND,
)
from roundtrip.campaign.processes import BrokerError, Place
from roundtrip.campaign.products import product_of, stated
from roundtrip.campaign.settable import (
    DIRECT,
    NAMESPACES,
    NONE,
    PROXY,
    REPLICATED,
    is_pair,
    number_of,
)
from roundtrip.campaign.tls.encryption import STORE_VARIABLE, Keys, make_keys, spec_of

PAIR_ENCRYPTION = {"protocols": ["TLSv1.3"], "cipher_suites": ["TLS_AES_256_GCM_SHA384"]}
"""Of the link between primary and backup, where it is encrypted."""
DEPTHS_S = 0.25
"""How often brokers with a mirror tell how full their queues are."""
# The client library neither fails over by itself nor takes addresses from the brokers: those that
# they announce lead over the link of the pair.
_CLIENT_OF_PAIR = "?ha=false&reconnectAttempts=0&useTopologyForLoadBalancing=false&retryInterval=20"


def arrange(bench: Bench) -> Endpoints:
    """Start brokers and links as the bench's point asks for them.

    Raises
    ------
    BrokerError
        If a part does not start or is not what was asked for; what was started is stopped with
        the bench.
    SetupError
        If a tool that a part needs is missing.
    """
    storage.lay(bench)
    confinement.confine(bench)
    point = bench.point
    if is_pair(point):
        endpoints = _pair(bench)
    elif point.get("replication", NONE) != NONE:
        endpoints = _mirrored(bench)
    elif number_of(point, "queue_managers", 1) > 1:
        endpoints = _sharing(bench)
    elif point["workload"] == "RR-DQ-BB":
        endpoints = _distributed(bench)
    elif point["workload"] == "RR-CC":
        endpoints = _clients(bench)
    else:
        endpoints = _bound(bench)
    return confinement.confine_drivers(bench, endpoints)


def _clients(bench: Bench) -> Endpoints:
    """Start one broker that clients reach directly or over a link, encrypted or not."""
    spec = spec_of(bench.point)
    environment: Mapping[str, str] = {}
    settings: dict[str, Any] = {}
    trusting: tuple[str, ...] = ()
    if spec is not None:
        keys = _keys(bench, str(bench.point["tls_key"]))
        offered = {"protocols": [spec.java_protocol], "cipher_suites": [spec.suite]}
        environment, settings = keys.environment, {"tls": {**offered, **keys.of_broker}}
        trusting = ("-ts", str(keys.trust), "-tp", spec.java_protocol, "-cs", spec.suite)
    broker = bench.start_broker(environment=environment, **settings)
    _check_version(bench, broker)
    url = str(broker.ready["url"])
    if "link" in bench.point:
        # Addresses as the broker gives them: scheme://host:port with options behind it.
        _, mark, options = url.partition("?")
        url = f"tcp://{HOST}:{client_port(bench, _port(broker))}{mark}{options}"
    provider = product_of(bench.point).key
    return Endpoints.same(Endpoint(provider, ("-url", url, *trusting), environment))


def _keys(bench: Bench, kind: str) -> Keys:
    folder = bench.folder / "keys"
    bench.make("home", str(folder))
    return make_keys(bench.harness.java, folder / "data", kind)


def client_port(bench: Bench, port: int) -> int:
    """Put the point's link before a port of the broker, and give the port for clients.

    A direct link is measured as well: it is what the proxy without limit and delay must be compared
    with.
    """
    limit = number_of(bench.point, "link_limit_gbps")
    if bench.point.get("link", DIRECT) == PROXY:
        return _link(bench, CLIENT_LINK, port, number_of(bench.point, "link_rtt_ms"), limit)
    with far_end() as end:
        _record(bench, probe(end, limit))
    return port


def _link(
    bench: Bench, name: str, port: int, delay_ms: float, limit_gbps: float = 0, *,
    to: Place | None = None, user: Place | None = None,
) -> int:  # fmt: skip
    """Put a link before a port, half the delay in each direction, measure it, give its near end.

    Parameters
    ----------
    to, user : Place, optional
        The hosts that the port is on and that the link is used from, where they are not one. The
        link itself runs beside the first broker, and is measured from where it is used.
    """
    delays = partial(
        bench.start_link, name, port, delay_ms=delay_ms / 2, rate_mbit=limit_gbps * 1000
    )
    if to is None or user is None:
        with far_end() as end:
            near = delays(probe_port=end)
            _record(bench, probe(int(bench.links[name].ready["probe_port"]), limit_gbps))
        return near
    word = secrets.token_hex(16)  # the far end is open to the whole network
    near = delays(to=to.address, probe_port=to.ask("far end", address=to.address, word=word))
    probed = int(bench.links[name].ready["probe_port"])
    seen = user.ask("probe", host=bench.address, port=probed, limit_gbps=limit_gbps, word=word)
    _record(bench, Probe(**seen))
    to.ask("hush")
    return near


def _record(bench: Bench, seen: Probe) -> None:
    bench.raw.record(
        "runner", event="link",
        round_trip_ms=[round(value, 4) for value in seen.round_trip_ms],
        gbps=[round(value, 5) for value in seen.gbps],
    )  # fmt: skip


# --- bindings --------------------------------------------------------------------------------


def _bound(bench: Bench) -> Endpoints:
    """Have both sides inside their broker's process (RR-BB), or responders only (RR-CB)."""
    broker = bench.start_broker(local=True)
    _check_version(bench, broker)
    local = _inside(bench, broker)
    if bench.point["workload"] == "RR-BB":
        return Endpoints.same(local)
    url = str(broker.ready["url"])
    return Endpoints(Endpoint(product_of(bench.point).key, ("-url", url)), local)


def _distributed(bench: Bench) -> Endpoints:
    """Have requesters inside one broker and responders inside another (RR-DQ-BB).

    Bridges carry requests there and replies back. The responders' broker comes first: the
    requesters' one finds it at once.
    """
    here, there = free_ports(2)
    requests = queue_names(bench.point, REQUEST_QUEUE)
    replies = queue_names(bench.point, REPLY_QUEUE)
    connections = int(bench.point.get("channel_pairs", 1))

    def start(name: str, port: int, sends: list[str], to: int) -> Service:
        return bench.start_broker(
            name, port=port, local=True, queues=[*requests, *replies],
            bridges=[
                {"queue": queue, "host": HOST, "port": to, "connections": connections}
                for queue in sends
            ],
        )  # fmt: skip

    responders = start("broker-responders", there, replies, here)
    requesters = start("broker-requesters", here, requests, there)
    _check_version(bench, requesters)
    return Endpoints(_inside(bench, requesters), _inside(bench, responders))


def _inside(bench: Bench, broker: Service) -> Endpoint:
    options = ("-url", str(broker.ready["local_url"]))
    return Endpoint(product_of(bench.point).key, options, host=broker.process)


def _check_version(bench: Bench, broker: Service) -> None:
    asked = bench.point.get("product_version")
    found = stated(broker.effective)
    if asked is not None and (found is None or found[1] != asked):
        raise BrokerError(
            f"the broker is of version {found[1] if found else 'unknown'}, not {asked}"
        )


# --- several brokers -------------------------------------------------------------------------


def _sharing(bench: Bench) -> Endpoints:
    """Start brokers that share the load and have clients connect to them in turn.

    The client library takes the next address for each connection of a process, beginning anywhere,
    so that a whole multiple of the brokers is spread evenly. Requests and replies stay within one
    broker.
    """
    names = [f"broker-{number + 1}" for number in range(int(bench.point["queue_managers"]))]
    # Nearly all of their start is one thread of each. The threads that start them must outlive
    # them: the kernel ends a process whose starter has gone.
    pool = ThreadPoolExecutor(max_workers=len(names))
    bench.later(pool.shutdown)
    starts = [pool.submit(bench.start_broker, name) for name in names]
    wait(starts)  # also where one fails: what is taken down must not be starting still
    started = [start.result() for start in starts]

    def stop() -> None:
        with ThreadPoolExecutor(max_workers=len(started)) as stopping:
            list(stopping.map(Service.stop, started))

    bench.later(stop)
    bench.alike = True
    addresses = ",".join(str(broker.ready["url"]).partition("?")[0] for broker in started)
    # Without this the client would follow the topology that the first broker tells it.
    url = f"({addresses})?useTopologyForLoadBalancing=false"
    return Endpoints.same(Endpoint("artemis", ("-url", url)))


# --- a pair, and a mirror --------------------------------------------------------------------


def _pair(bench: Bench) -> Endpoints:
    """Start a primary and a backup, ready when the backup could take over.

    The recovery log is replicated, or in a shared store. What the pair says to each other goes
    over a link that can delay it, also where it does not: the control has the same proxy. Clients
    reach both brokers directly, and connect anew to whichever of them answers; the driver counts
    every loss.
    """
    first, second = bench.station, bench.second
    if first is None or second is None:
        here = there = HOST
        primary_port, pair_port, backup_port, backup_pair_port = free_ports(4)
    else:
        here, there = first.address, second.address
        primary_port, pair_port = first.ask("ports", address=here, count=2)
        backup_port, backup_pair_port = second.ask("ports", address=there, count=2)
    replicated = bench.point["ha"] == REPLICATED
    announced = pair_port
    if replicated:
        delay = number_of(bench.point, "ha_link_rtt_ms")
        announced = _link(bench, PAIR_LINK, pair_port, delay, to=first, user=second)
    common: dict[str, Any] = {"store": "replicated" if replicated else "shared"}
    environment: Mapping[str, str] = {}
    if bench.point.get("link_encrypted", False):
        keys = _keys(bench, "RSA")
        environment = keys.environment
        common["tls"] = {
            **PAIR_ENCRYPTION, **keys.of_broker,
            "truststore": str(keys.trust), "truststore_password_env": STORE_VARIABLE,
        }  # fmt: skip
    bench.start_broker(
        PRIMARY, port=primary_port, environment=environment,
        pair={"role": "primary", "port": pair_port, "announced_port": announced, **common},
    )  # fmt: skip
    shared: dict[str, Any] = {}
    if not replicated:
        shared["data"] = str(bench.folder / PRIMARY / "data")
        shared["log"] = str(bench.folder / BACKUP / "broker.log")
    bench.start_broker(
        BACKUP, port=backup_port, environment=environment, station=second, **shared,
        pair={"role": "backup", "port": backup_pair_port, "peer_host": here,
              "peer_port": announced, **common},
    )  # fmt: skip
    both = f"tcp://{here}:{primary_port},tcp://{there}:{backup_port}"
    return Endpoints.same(Endpoint("artemis", ("-url", f"({both}){_CLIENT_OF_PAIR}")))


def _mirrored(bench: Bench) -> Endpoints:
    """Start the second broker, the link to it, and the broker that mirrors over it.

    The link is measured before anything else uses it. Clients use the first broker.
    """
    point = bench.point
    limit = number_of(point, "replication_link_gbps")
    if point["replication_link"] == NAMESPACES:
        name = namespaces.name_for(bench.cleanup.path)
        space = namespaces.make(name, limit, lambda: bench.make(namespaces.KIND, name))
        host = space.far_address
        with far_end(namespaces.listener(space)) as end:
            _record(bench, probe(end, limit, host))
        second = bench.start_broker(
            SECOND, prefix=space.prefix, host=host, amqp=True, report_depths_s=DEPTHS_S
        )
        bench.later(namespaces.counted(space.near, bench.raw, REPLICATION_LINK))
        port = _port(second)
    else:
        host = bench.address
        second = bench.start_broker(
            SECOND, station=bench.second, amqp=True, report_depths_s=DEPTHS_S
        )
        delay = number_of(point, "replication_link_rtt_ms")
        port = _link(
            bench, REPLICATION_LINK, _port(second), delay, limit,
            to=bench.second, user=bench.station,
        )  # fmt: skip
    source = bench.start_broker(
        queues=[REQUEST_QUEUE, REPLY_QUEUE], report_depths_s=DEPTHS_S,
        mirror={"url": f"tcp://{host}:{port}", "sync": point["mirroring"] == "synchronous"},
    )  # fmt: skip
    clients, copy = (
        Endpoint("artemis", ("-url", str(broker.ready["url"]))) for broker in (source, second)
    )
    return Endpoints(clients, clients, copy)


def _port(broker: Service) -> int:
    return int(str(broker.ready["url"]).partition("?")[0].rpartition(":")[2])
