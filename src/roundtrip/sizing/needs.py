"""What a workload needs whatever system carries it: bytes on its log and on its links."""

from __future__ import annotations

from collections.abc import Iterator

from roundtrip.sizing.workload import CROSSINGS, OFF, Workload

_MB, _GB = 1e6, 1e9


def needs(workload: Workload, rate: float) -> dict[str, float]:
    """Give what a rate needs whatever the system: the messages' payload, without headers.

    Parameters
    ----------
    rate : float
        Round trips/s.

    Returns
    -------
    dict of str to float
        ``log_mb_per_second``, ``log_writes_per_second`` (of all round trips, before any are
        written together), ``client_gbps`` and ``replica_gbps`` of each direction.
    """
    payload = rate * workload.size
    logged = workload.delivery != "nonpersistent"
    replicas = (workload.ha != OFF) + (workload.replication != OFF)
    return {
        "log_mb_per_second": 2 * payload / _MB * logged,
        "log_writes_per_second": rate * workload.log.writes * logged,
        "client_gbps": CROSSINGS[workload.workload] * payload * 8 / _GB,
        "replica_gbps": 2 * payload * 8 / _GB * logged * bool(replicas),
    }


def allowed(workload: Workload) -> Iterator[tuple[str, float]]:
    """Give the rates that the user's own log and links allow, by their names."""
    one = needs(workload, 1.0)
    pairs = (
        ("log bandwidth", workload.log.mb_per_second, one["log_mb_per_second"]),
        ("client link", workload.client_gbps, one["client_gbps"]),
        ("HA link", workload.ha_link.gbps, one["replica_gbps"]),
        ("replication link", workload.replication_link.gbps, one["replica_gbps"]),
    )
    for name, has, takes in pairs:
        if has is not None and takes > 0:
            yield name, has / takes


def waits(workload: Workload) -> float:
    """Give the seconds that a slower log than that of the sources adds to a round trip."""
    return workload.log.writes * workload.log.write_ms / 1000


def link_waits(workload: Workload) -> float:
    """Give the seconds that a round trip waits for the HA link at least.

    Request and reply are persisted one after the other, each only once the other host has it.
    """
    logged = workload.delivery != "nonpersistent" and workload.ha != OFF
    return 2 * workload.ha_link.rtt_ms / 1000 * logged
