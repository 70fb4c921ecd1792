"""What several hosts used in the measured part: each measured by itself, then put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roundtrip.campaign.manifest import BROKER_ROLES, DRIVER_ROLES
from roundtrip.campaign.raw import SAMPLER_OF
from roundtrip.campaign.values import Values
from roundtrip.campaign.values.resources import Samples, resource_values

_WORST = ("other_cpu", "cpu_steal")
"""What disturbs a run, whichever host it happens on."""
_RAN_ON = {
    "broker": BROKER_ROLES, "backup": frozenset({"standby"}), "link": frozenset({"broker"}),
    "driver": DRIVER_ROLES, "runner": BROKER_ROLES | DRIVER_ROLES,
}  # fmt: skip
"""Processes, as `resources` groups them, and the roles of the hosts that they run on."""
_OF_BROKERS = ("broker_memory", "disk_write_rate")
"""What processes of brokers use together."""


def values_of_hosts(
    hosts: Sequence[Mapping[str, Any]], samples: Mapping[str, Samples], begin: float, end: float,
    round_trips: float,
) -> Values:  # fmt: skip
    """Derive what was used in the measured part, given in seconds since 1970 by the samples' clock.

    Metrics are those of `resource_values`. Machine and network are those of the broker's host;
    brokers and drivers have shares of the processors of all hosts that they ran on; of what
    disturbs, the value of the host with most of it.

    Parameters
    ----------
    hosts : sequence of mapping
        The runner's records: name, roles, number of processors.
    samples : mapping
        Source, as raw files name the sampler of a host, to its samples.
    """
    found: dict[str, Values] = {}
    for host in hosts:
        own, processors = samples.get(f"{SAMPLER_OF}{host['host']}", ()), float(host["processors"])
        found[str(host["host"])] = resource_values(own, begin, end, processors, round_trips)
    broker = next(str(host["host"]) for host in hosts if "broker" in host["roles"])
    together = dict(found[broker])

    def put_together(metric: str, roles: frozenset[str], *, share: bool) -> None:
        own = [host for host in hosts if roles & {*host["roles"]}]
        seen = [found[str(host["host"])].get((metric, "mean")) for host in own]
        known = [value for value in seen if value is not None]
        together.pop((metric, "mean"), None)
        if known and len(known) == len(seen):  # or some of it would be missing
            weights = [float(host["processors"]) if share else 1.0 for host in own]
            total = sum(value * weight for value, weight in zip(known, weights, strict=True))
            together[metric, "mean"] = total / sum(weights) if share else total

    for group, roles in _RAN_ON.items():
        put_together(f"{group}_cpu", roles, share=True)
        put_together(f"{group}_cpu_time", roles, share=False)
    for metric in _OF_BROKERS:
        put_together(metric, BROKER_ROLES, share=False)
    for metric in _WORST:
        seen = [values[metric, "mean"] for values in found.values() if (metric, "mean") in values]
        if seen:
            together[metric, "mean"] = max(seen)
    return together
