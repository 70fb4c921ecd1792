"""Brokers confined to a model: processors, memory and disk rate.

Whole processors by affinity, part of one and the disk rate by control group, memory by heap.
"""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roundtrip.campaign.bench import Bench, Confined
from roundtrip.campaign.brokers import Endpoint, Endpoints
from roundtrip.campaign.machine.control_groups import (
    Groups,
    Limit,
    disk_limit,
    find_groups,
    processor_limit,
)
from roundtrip.campaign.machine.mounts import disk_of, folder_above
from roundtrip.campaign.plan import Model
from roundtrip.campaign.processes import BrokerError

FACTOR = "model"
LEAST_HEAP_MB = 40
_MB = 1_000_000


@dataclass(frozen=True)
class Share:
    """Processors of brokers and of drivers, by number.

    Attributes
    ----------
    brokers, drivers : tuple of int
        Drivers have the processors that no model uses; all, where the largest uses all.
    limit : float or None
        Processors that the brokers may use, where that is no whole number.
    """

    brokers: tuple[int, ...]
    drivers: tuple[int, ...]
    limit: float | None = None


def share_of_processors(available: Sequence[int], models: Mapping[str, Model], model: str) -> Share:
    """Divide the processors that this process may use between brokers and drivers.

    The largest of the plan's models decides what is left for the drivers.
    """
    ordered = sorted(available)
    used = {name: _processors(one, len(ordered)) for name, one in models.items()}
    rest = tuple(ordered[math.ceil(max(used.values())) :])
    own = used[model]
    return Share(
        tuple(ordered[: math.ceil(own)]), rest or tuple(ordered), None if own % 1 == 0 else own
    )


def _processors(model: Model, available: int) -> float:
    """Give the processors of a model, in hundredths of one."""
    return max(0.01, round(model.processor_share * available, 2))


def confine(bench: Bench) -> None:
    """Have every broker of the bench start within its model; without the factor, do nothing."""
    name = bench.point.get(FACTOR)
    if name is None:
        return
    model = bench.plan.broker.models[str(name)]
    share = _share(bench)
    heap = max(LEAST_HEAP_MB, model.memory_mb // int(bench.point.get("queue_managers", 1)))
    prefix = ("taskset", "--cpu-list", ",".join(map(str, share.brokers)))
    start = min(heap, LEAST_HEAP_MB)
    bench.confined = Confined(prefix, (f"-Xms{start}m", f"-Xmx{heap}m"))
    limits: list[Limit] = []
    if share.limit is not None:
        limits.append(processor_limit(share.limit))
    disk = disk_of(folder_above(bench.folder))
    # Where a disk cannot be limited, the campaign has said so before its first run.
    if model.disk_mb_per_s and disk and isinstance(find_groups("io"), Groups):
        limits.append(disk_limit(disk, round(model.disk_mb_per_s * _MB)))
    _make_groups(bench, limits)


def _share(bench: Bench) -> Share:
    models, name = bench.plan.broker.models, str(bench.point[FACTOR])
    return share_of_processors(tuple(os.sched_getaffinity(0)), models, name)


def _make_groups(bench: Bench, limits: Sequence[Limit]) -> None:
    """Make a control group for each place in which limits are set: with version 2, one for all."""
    folders: dict[Groups, Path] = {}
    facts: dict[str, float] = {}
    for limit in limits:
        groups = find_groups(limit.controller)
        if isinstance(groups, str):
            raise BrokerError(f"no control group can be made: {groups}")
        try:
            if groups not in folders:
                path = groups.new_path()
                bench.make("control group", str(path))
                path.mkdir()
                folders[groups] = path
            for name, text in limit.files[groups.version].items():
                (folders[groups] / name).write_text(text, encoding="ascii")
            holds = limit.holds(folders[groups], groups.version)
        except OSError as problem:
            raise BrokerError(f"no control group can be made: {problem.strerror}") from problem
        if not holds:
            raise BrokerError(f"{limit.called} is not the {limit.amount} asked for")
        facts |= {"version": groups.version, limit.called: limit.amount}
    if facts:
        bench.confined = replace(bench.confined, groups=tuple(folders.values()))
        bench.also["control_group"] = facts


def _enter_group(bench: Bench, path: Path) -> None:
    """Move all brokers into their control group, once they have laid out their files."""
    members = path / "cgroup.procs"
    asked = {service.pid for service in bench.brokers.values()}
    try:
        for pid in sorted(asked):
            members.write_text(f"{pid}", encoding="ascii")
        inside = {int(word) for word in members.read_text(encoding="ascii").split()}
    except OSError as problem:
        raise BrokerError(f"a broker cannot be limited: {problem.strerror}") from problem
    if not asked <= inside:
        raise BrokerError("a broker does not stay in the control group that limits it")


def confine_drivers(bench: Bench, endpoints: Endpoints) -> Endpoints:
    """Have drivers start on their processors, limit the brokers, say what is in effect."""
    if FACTOR not in bench.point:
        return endpoints
    share = _share(bench)
    asked = set(share.brokers)
    for name, service in bench.brokers.items():
        found = os.sched_getaffinity(service.pid)
        if found != asked:
            raise BrokerError(f"{name} runs on the processors {sorted(found)}, not {sorted(asked)}")
    bench.also["model"] = {
        "name": bench.point[FACTOR],
        "broker_processors": list(share.brokers),
        "driver_processors": list(share.drivers),
        "drivers_have_others": not set(share.drivers) & asked,
    }
    for group in bench.confined.groups:
        _enter_group(bench, group)
    prefix = ("taskset", "--cpu-list", ",".join(map(str, share.drivers)))

    def on_others(endpoint: Endpoint) -> Endpoint:
        return replace(endpoint, prefix=(*endpoint.prefix, *prefix))

    return Endpoints(on_others(endpoints.requesters), on_others(endpoints.responders))


def lacking(models: Mapping[str, Model], name: str) -> str | None:
    """Say why brokers cannot be held to the processors of a model; None where they can."""
    problem = None
    if not hasattr(os, "sched_getaffinity"):
        problem = "this system does not bind processes to processors"
    elif shutil.which("taskset") is None:
        problem = "taskset is not installed"
    elif _processors(models[name], len(os.sched_getaffinity(0))) % 1:
        groups = find_groups("cpu")
        if isinstance(groups, str):
            problem = f"part of a processor cannot be given: {groups}"
    return problem and f"model {name}: {problem}"


def unlimited_disks(models: Mapping[str, Model], folder: Path) -> list[str]:
    """Say of which models the disk rate cannot be limited where the brokers' data will lie."""
    limited = [name for name, model in models.items() if model.disk_mb_per_s is not None]
    if not limited:
        return []
    groups = find_groups("io")
    lacks = groups if isinstance(groups, str) else ""
    if not lacks and disk_of(folder_above(folder)) is None:
        lacks = "no disk of this machine holds the brokers' data"
    return [f"disk rate of model {name}: {lacks}" for name in limited if lacks]
