"""What processes and machines used in the measured part: processors, memory, disk, network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from roundtrip.campaign.manifest import BROKER_ROLES, DRIVER_ROLES
from roundtrip.campaign.raw import SAMPLER_OF, RawLine
from roundtrip.campaign.values import Values, growth

_MB = 1_000_000
_AT_ONE_TIME_S = 0.02
"""Longest that a sample may take to be read; it takes some 2 ms where nothing holds it up."""
_GROUPS: Mapping[str, tuple[str, ...]] = {
    "broker": ("broker",),
    "driver": ("requester", "responder", "sender", "receiver"),
    "link": ("link",),
    "backup": ("broker-backup",),
    "runner": ("runner",),
}
"""Which processes a metric adds up, by the beginning of their names."""
_WITHIN = frozenset({"backup"})
"""Groups whose processes belong to another one as well."""

_WORST = ("other_cpu", "cpu_steal")
"""What disturbs a run, whichever host it happens on."""
_RAN_ON = {
    "broker": BROKER_ROLES, "backup": frozenset({"standby"}), "link": frozenset({"broker"}),
    "driver": DRIVER_ROLES, "runner": BROKER_ROLES | DRIVER_ROLES,
}  # fmt: skip
"""Processes, as `resources` groups them, and the roles of the hosts that they run on."""
_OF_BROKERS = ("broker_memory", "disk_write_rate")
"""What processes of brokers use together."""

Samples = Sequence[Mapping[str, Any]]
Counter = list[float | None]


def resource_values(
    samples: Samples, begin: float, end: float, processors: float, round_trips: float
) -> Values:
    """Derive what was used in the measured part, given in seconds since 1970, from counters.

    Between samples a counter is taken to grow evenly, and before the first and after the last one
    as it does between them.
    Processors are busy when they are neither idle nor stolen: in a second or two the kernel's own
    count of busy ticks errs by several percent of the time, its clock of idle time does not.

    Returns
    -------
    dict of (metric, statistic) to float
        Shares in percent of all processors, processor time in µs for a round trip (none where
        nobody answers), MB and MB/s. What the samples do not have is left out; fewer than two give
        nothing.
    """
    length = end - begin
    if len(samples) < 2 or length <= 0:
        return {}
    times = np.array([float(sample["t"]) for sample in samples])
    # Samplers once stopped without a last sample, up to a period before the end.
    first, last = max(begin, float(times[0])), min(end, float(times[-1]))
    if last <= first:
        return {}

    def grown(*counters: Counter) -> list[float]:
        """Give by how much each counter grew that was read twice or more."""
        found = []
        for counter in counters:
            known = [(t, v) for t, v in zip(times, counter, strict=True) if v is not None]
            if len(known) > 1:
                at, counts = zip(*known, strict=True)
                found.append(growth(at, counts, first, last) * length / (last - first))
        return found

    values: Values = {}
    ours = 0.0
    for metric, groups in _GROUPS.items():
        spent = grown(*(one for group in groups for one in _of_processes(samples, group, "cpu_s")))
        if not spent:
            continue
        ours += 0 if metric in _WITHIN else sum(spent)
        values[f"{metric}_cpu", "mean"] = _share(sum(spent), length, processors)
        # Nothing counted is nothing used, to a tick: left out, it would raise the mean.
        if round_trips and metric != "runner":
            values[f"{metric}_cpu_time", "mean"] = 1e6 * sum(spent) / round_trips
    inside = (times >= begin) & (times <= end)
    held = [
        float(np.mean(known))
        for series in _of_processes(samples, "broker", "rss")
        if (known := [v for v, w in zip(series, inside, strict=True) if w and v is not None])
    ]
    if held:
        values["broker_memory", "mean"] = sum(held) / _MB
    if written := grown(*_of_processes(samples, "broker", "written")):
        values["disk_write_rate", "mean"] = max(0.0, sum(written)) / length / _MB
    machine = {
        name: value
        for name in ("idle_s", "steal_s", "cpu_wait_s", "io_wait_s", "sent")
        for value in grown([sample["machine"].get(name) for sample in samples])
    }
    if machine.keys() >= {"idle_s", "steal_s"}:
        steal = machine["steal_s"]
        busy = length * processors - machine["idle_s"] - steal
        values["machine_cpu", "mean"] = _share(busy, length, processors)
        values["other_cpu", "mean"] = _share(busy - ours, length, processors)
        values["cpu_steal", "mean"] = _share(steal, length, processors)
    for metric, name in (("cpu_wait", "cpu_wait_s"), ("disk_wait", "io_wait_s")):
        if name in machine:
            values[metric, "mean"] = _share(machine[name], length, 1)
    if "sent" in machine:
        values["network_rate", "mean"] = max(0.0, machine["sent"]) / length / _MB
    return values


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


def read_at_one_time(lines: Sequence[RawLine]) -> list[dict[str, Any]]:
    """Give the records of those samples of one sampler whose counters are all of one time.

    Real-time processes may hold up the sampler between two counters. Older samples do not say how
    long they took: they took at most until they were written. All are given where fewer than two
    were not held up.
    """
    chosen = [
        line.record
        for line in lines
        if line.record.get("took_s", line.at - float(line.record["t"])) <= _AT_ONE_TIME_S
    ]
    return chosen if len(chosen) > 1 else [line.record for line in lines]


def _of_processes(samples: Samples, group: str, name: str) -> list[Counter]:
    """Give one series of a counter for each process of a group."""
    names = sorted({key for sample in samples for key in sample["processes"]})
    return [
        [(sample["processes"].get(key) or {}).get(name) for sample in samples]
        for key in names
        if key.startswith(group)
    ]


def _share(seconds: float, length: float, processors: float) -> float:
    """Give processor seconds as percent of all processors; clocks may overshoot a little."""
    return min(100.0, max(0.0, 100 * seconds / length / processors))
