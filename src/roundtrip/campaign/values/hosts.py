"""What several hosts used in the measured part: each measured by itself, then put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roundtrip.campaign.values import Values
from roundtrip.campaign.values.resources import Samples, resource_values

_WORST = ("other_cpu", "cpu_steal")
"""What disturbs a run, whichever host it happens on."""
_SHARE, _TIME = ("driver_cpu", "mean"), ("driver_cpu_time", "mean")


def values_of_hosts(
    hosts: Sequence[Mapping[str, Any]], samples: Mapping[str, Samples], begin: float, end: float,
    round_trips: float,
) -> Values:  # fmt: skip
    """Derive what was used.

    Parameters
    ----------
    hosts : sequence of mapping
        The runner's records: name, roles, number of processors, and between which bounds the
        offset of the clock lies, in ms from that of the runner.
    samples : mapping
        Name of a host to its samples, by its own clock.
    begin, end : float
        The measured part by the clock of the requesters' host, in seconds since 1970.
    round_trips : float
        Completed in it.

    Returns
    -------
    dict of (metric, statistic) to float
        As from `resource_values`. Machine, disk and network are those of the broker's host;
        drivers have shares of the processors of all hosts that they ran on; of what disturbs, the
        value of the host with most of it.
    """
    asking = next(host for host in hosts if "requesters" in host["roles"])
    found: dict[str, Values] = {}
    for host in hosts:
        shift = _offset(host) - _offset(asking)
        processors = float(host["processors"])
        found[str(host["host"])] = resource_values(
            samples.get(str(host["host"]), ()), begin + shift, end + shift, processors, round_trips
        )
    broker = next(str(host["host"]) for host in hosts if "broker" in host["roles"])
    together: Values = {
        key: value for key, value in found[broker].items() if key not in (_SHARE, _TIME)
    }
    driving = [host for host in hosts if {"requesters", "responders"} & {*host["roles"]}]
    shares = [(found[str(host["host"])].get(_SHARE), float(host["processors"])) for host in driving]
    if shares and all(share is not None for share, _ in shares):
        used = sum((share or 0.0) * count for share, count in shares)
        together[_SHARE] = used / sum(count for _, count in shares)
    times = [found[str(host["host"])].get(_TIME) for host in driving]
    if times and all(time is not None for time in times):
        together[_TIME] = sum(time or 0.0 for time in times)
    for metric in _WORST:
        seen = [values[metric, "mean"] for values in found.values() if (metric, "mean") in values]
        if seen:
            together[metric, "mean"] = max(seen)
    return together


def _offset(host: Mapping[str, Any]) -> float:
    """Give by how many seconds a clock is ahead of the runner's: the middle of its bounds."""
    return (float(host["least_ms"]) + float(host["most_ms"])) / 2000
