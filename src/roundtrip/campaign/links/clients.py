"""How clients reach the broker: directly, or over a link of which the bandwidth is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from roundtrip.campaign.links.probe import Probe, far_end, probe
from roundtrip.campaign.plan import Level

if TYPE_CHECKING:
    from roundtrip.campaign.bench import Bench

NAME = "link"
DIRECT, PROXY = "direct", "proxy"


def impossible(point: Mapping[str, Level]) -> str | None:
    """Say why the factors of a point's link do not go together, or None."""
    limit, delay = _limit(point), _delay(point)
    if limit < 0 or delay < 0:
        return "a link has neither a bandwidth nor a delay below 0"
    if point.get("link", DIRECT) == DIRECT and (limit or delay):
        name = "link_limit_gbps" if limit else "link_rtt_ms"
        return f"{name} is {point[name]} without a link that could do it: link must be {PROXY}"
    return None


def client_port(bench: Bench, port: int) -> int:
    """Put the point's link before a port of the broker, and measure the link itself.

    What the probe sees goes into the raw file. A direct link is measured as well: it is what the
    proxy without limit and delay must be compared with.

    Parameters
    ----------
    bench : Bench
    port : int
        Where the broker listens.

    Returns
    -------
    int
        The port for clients.

    Raises
    ------
    BrokerError
        If the link does not start or lets nothing through.
    """
    limit, delay = _limit(bench.point), _delay(bench.point)
    with far_end() as end:
        near = end
        if bench.point.get("link", DIRECT) == PROXY:
            port = bench.start_link(
                NAME, port, delay_ms=delay / 2, rate_mbit=limit * 1000, probe_port=end
            )
            near = int(bench.links[NAME].ready["probe_port"])
        record(bench, probe(near, limit))
    return port


def record(bench: Bench, seen: Probe) -> None:
    """Write what a probe of a link has seen into the raw file."""
    bench.raw.record(
        "runner", event="link",
        round_trip_ms=[round(value, 4) for value in seen.round_trip_ms],
        gbps=[round(value, 5) for value in seen.gbps],
    )  # fmt: skip


def _limit(point: Mapping[str, Level]) -> float:
    return float(point.get("link_limit_gbps", 0))


def _delay(point: Mapping[str, Level]) -> float:
    return float(point.get("link_rtt_ms", 0))
