"""A broker and another that stands by: the recovery log replicated to it, or in a shared store.

What the pair says to each other goes over a link that can delay it, also where it does not: the
control has the same proxy. Clients reach both brokers directly, and connect anew to whichever of
them answers; the driver counts every loss.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from roundtrip.campaign.brokers import Endpoint, Endpoints
from roundtrip.campaign.links.clients import record
from roundtrip.campaign.links.probe import far_end, probe
from roundtrip.campaign.machine.ports import free_ports
from roundtrip.campaign.pairs import REPLICATED
from roundtrip.campaign.tls.keys import BROKER_VARIABLE, make_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundtrip.campaign.bench import Bench

PRIMARY, BACKUP, LINK = "broker-primary", "broker-backup", "link"
ENCRYPTION = {"protocols": ["TLSv1.3"], "cipher_suites": ["TLS_AES_256_GCM_SHA384"]}
"""Of the link between the two, where it is encrypted."""
# The client library neither fails over by itself nor takes addresses from the brokers: those that
# they announce lead over the link of the pair.
_CLIENT = "?ha=false&reconnectAttempts=0&useTopologyForLoadBalancing=false&retryInterval=20"


@dataclass(frozen=True)
class _Encryption:
    keys: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


def arrange(bench: Bench) -> Endpoints:
    """Start link, primary and backup; they are ready when the backup could take over.

    Raises
    ------
    BrokerError
        If a part does not start, or the backup does not catch up.
    SetupError
        If keys are needed and there is no keytool.
    """
    primary_port, backup_port, pair_port, backup_pair_port = free_ports(4, bench.host)
    replicated = bench.point["ha"] == REPLICATED
    store = "replicated" if replicated else "shared"
    announced = _link(bench, pair_port) if replicated else pair_port
    tls = _encryption(bench)
    bench.start_broker(
        PRIMARY, port=primary_port, environment=tls.environment,
        pair={
            "role": "primary", "store": store, "port": pair_port, "announced_port": announced,
            **tls.keys,
        },
    )  # fmt: skip
    shared: dict[str, Any] = {} if replicated else {"data": str(bench.folder / PRIMARY / "data")}
    bench.start_broker(
        BACKUP, port=backup_port, environment=tls.environment,
        log=str(bench.folder / BACKUP / "broker.log"), **shared,
        pair={
            "role": "backup", "store": store, "port": backup_pair_port, "peer_port": announced,
            **tls.keys,
        },
    )  # fmt: skip
    both = ",".join(f"tcp://{bench.host}:{port}" for port in (primary_port, backup_port))
    return Endpoints.same(Endpoint("artemis", ("-url", f"({both}){_CLIENT}")))


def _link(bench: Bench, port: int) -> int:
    """Put a link before a port, measure the link itself, and give its near end."""
    delay = float(bench.point["ha_link_rtt_ms"])
    with far_end() as end:
        near = bench.start_link(LINK, port, delay_ms=delay / 2, probe_port=end)
        record(bench, probe(int(bench.links[LINK].ready["probe_port"])))
    return near


def _encryption(bench: Bench) -> _Encryption:
    if not bench.point.get("link_encrypted", False):
        return _Encryption()
    folder = bench.folder / "keys"
    bench.make("keys", str(folder))
    keys = make_keys(bench.harness.java, folder, "RSA")
    return _Encryption(
        {
            "tls": {
                **ENCRYPTION,
                "keystore": str(keys.broker), "keystore_password_env": BROKER_VARIABLE,
                "truststore": str(keys.trust), "truststore_password_env": BROKER_VARIABLE,
            }
        },
        keys.broker_environment,
    )  # fmt: skip
