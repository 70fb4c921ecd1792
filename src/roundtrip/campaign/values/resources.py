"""What processes and the machine used in the measured part: processors, memory, disk, network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from roundtrip.campaign.values import Values, growth

_MB = 1_000_000
_GROUPS: Mapping[str, tuple[str, ...]] = {
    "broker": ("broker",),
    "driver": ("requester", "responder", "sender", "receiver"),
    "link": ("link",),
    "backup": ("broker-backup",),
}
"""Which processes a metric adds up, by the beginning of their names."""
_WITHIN = frozenset({"backup"})
"""Groups whose processes belong to another one as well."""

Samples = Sequence[Mapping[str, Any]]
Counter = list[float | None]


def resource_values(
    samples: Samples, begin: float, end: float, processors: float, round_trips: float
) -> Values:
    """Derive what was used, from counters taken at the ends of the measured part.

    Between samples a counter is taken to grow evenly, and after the last one as it did before.

    Parameters
    ----------
    begin, end : float
        The measured part, in seconds since 1970.
    processors : float
        How many the machine has.
    round_trips : float
        Completed in the measured part; 0 where nobody answers.

    Returns
    -------
    dict of (metric, statistic) to float
        Shares in percent of all processors, processor time in µs for a round trip, MB and MB/s.
        What the samples do not have is left out; fewer than two give nothing.
    """
    length = end - begin
    if len(samples) < 2 or length <= 0:
        return {}
    times = np.array([float(sample["t"]) for sample in samples])
    # Samplers once stopped without a last sample, up to a period before the end.
    last = min(end, float(times[-1]))
    if last <= begin:
        return {}

    def grown(counter: Counter) -> float | None:
        found = _grown(times, counter, begin, last)
        return None if found is None else found * length / (last - begin)

    values: Values = {}
    ours = 0.0
    for metric, groups in _GROUPS.items():
        counters = [series for group in groups for series in _of_processes(samples, group, "cpu_s")]
        spent = [value for series in counters if (value := grown(series)) is not None]
        if not spent:
            continue
        ours += 0 if metric in _WITHIN else sum(spent)
        values[f"{metric}_cpu", "mean"] = _share(sum(spent), length, processors)
        # A process that a busy machine kept from running at all has no cost of a round trip.
        if round_trips and sum(spent) > 0:
            values[f"{metric}_cpu_time", "mean"] = 1e6 * sum(spent) / round_trips
    inside = (times >= begin) & (times <= end)
    held = [
        float(np.mean(known))
        for series in _of_processes(samples, "broker", "rss")
        if (known := [v for v, w in zip(series, inside, strict=True) if w and v is not None])
    ]
    if held:
        values["broker_memory", "mean"] = sum(held) / _MB
    written = [
        value
        for series in _of_processes(samples, "broker", "written")
        if (value := grown(series)) is not None
    ]
    if written:
        values["disk_write_rate", "mean"] = max(0.0, sum(written)) / length / _MB
    machine = {
        name: grown([sample["machine"].get(name) for sample in samples])
        for name in ("busy_s", "steal_s", "cpu_wait_s", "io_wait_s", "sent")
    }
    if (busy := machine["busy_s"]) is not None:
        values["machine_cpu", "mean"] = _share(busy, length, processors)
        values["other_cpu", "mean"] = _share(max(0.0, busy - ours), length, processors)
    if (steal := machine["steal_s"]) is not None:
        values["cpu_steal", "mean"] = _share(steal, length, processors)
    for metric, name in (("cpu_wait", "cpu_wait_s"), ("disk_wait", "io_wait_s")):
        if (waited := machine[name]) is not None:
            values[metric, "mean"] = _share(waited, length, 1)
    if (sent := machine["sent"]) is not None:
        values["network_rate", "mean"] = max(0.0, sent) / length / _MB
    return values


def _of_processes(samples: Samples, group: str, name: str) -> list[Counter]:
    """Give one series of a counter for each process of a group."""
    names = sorted({key for sample in samples for key in sample["processes"]})
    return [
        [(sample["processes"].get(key) or {}).get(name) for sample in samples]
        for key in names
        if key.startswith(group)
    ]


def _grown(
    times: npt.NDArray[np.float64], counter: Counter, begin: float, end: float
) -> float | None:
    """Give by how much a counter grew; None when it was read less than twice."""
    known = [(t, v) for t, v in zip(times, counter, strict=True) if v is not None]
    if len(known) < 2:
        return None
    at, counts = zip(*known, strict=True)
    return growth(at, counts, begin, end)


def _share(seconds: float, length: float, processors: float) -> float:
    """Give processor seconds as percent of all processors; clocks may overshoot a little."""
    return min(100.0, max(0.0, 100 * seconds / length / processors))
