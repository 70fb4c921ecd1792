"""Brokers confined to a model: processors by affinity, memory by heap, disk by control group."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roundtrip.campaign.bench import Bench, Confined
from roundtrip.campaign.brokers import BrokerError, Endpoint, Endpoints
from roundtrip.campaign.machine.cgroups import find_groups, new_path, read_limit
from roundtrip.campaign.machine.mounts import disk_of
from roundtrip.campaign.plan import BrokerSettings, Level, Model

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
    """

    brokers: tuple[int, ...]
    drivers: tuple[int, ...]


def share_of_processors(available: Sequence[int], models: Mapping[str, Model], model: str) -> Share:
    """Divide the processors between brokers and drivers.

    Parameters
    ----------
    available : sequence of int
        Those that this process may use.
    models : mapping
        All models of the plan: the largest decides what is left for the drivers.
    """
    ordered = sorted(available)

    def whole(one: Model) -> int:
        return max(1, round(one.processor_share * len(ordered)))

    largest = max(whole(one) for one in models.values())
    rest = tuple(ordered[largest:])
    return Share(tuple(ordered[: whole(models[model])]), rest or tuple(ordered))


def confine(bench: Bench) -> None:
    """Have every broker of the bench start within its model; without the factor, do nothing.

    Raises
    ------
    BrokerError
        If a control group cannot be made.
    """
    name = bench.point.get(FACTOR)
    if name is None:
        return
    model = bench.settings.models[str(name)]  # type: ignore[index]
    share = _share(bench)
    heap = max(LEAST_HEAP_MB, model.memory_mb // int(bench.point.get("queue_managers", 1)))
    prefix = ("taskset", "--cpu-list", ",".join(map(str, share.brokers)))
    start = min(heap, LEAST_HEAP_MB)
    bench.confined = Confined(prefix, (f"-Xms{start}m", f"-Xmx{heap}m"))
    if model.disk_mb_per_s is not None:
        _make_group(bench, round(model.disk_mb_per_s * _MB))


def _share(bench: Bench) -> Share:
    models = {str(key): value for key, value in bench.settings.models.items()}
    return share_of_processors(tuple(os.sched_getaffinity(0)), models, str(bench.point[FACTOR]))


def _make_group(bench: Bench, rate: int) -> None:
    """Make a control group with a limit of disk writes.

    Where that is not possible nothing is done: the campaign has said so before its first run.
    """
    groups, disk = find_groups(), _disk(bench.folder)
    if isinstance(groups, str) or disk is None:
        return
    path = new_path(groups)
    bench.make("control group", str(path))
    try:
        path.mkdir()
        (path / groups.file).write_text(groups.limit(disk, rate), encoding="ascii")
        found = read_limit(path, groups, disk)
    except OSError as problem:
        raise BrokerError(f"no control group can be made: {problem.strerror}") from problem
    if found != rate:
        raise BrokerError(f"the disk's limit is {found} B/s, not the {rate} B/s asked for")
    bench.confined = replace(bench.confined, group=path)
    bench.also["control_group"] = {"version": groups.version, "disk_write_limit": found}


def _enter_group(bench: Bench, path: Path) -> None:
    """Move all brokers into their control group, once they have laid out their files."""
    members = path / "cgroup.procs"
    asked = {service.pid for service in bench.brokers.values()}
    try:
        for pid in sorted(asked):
            members.write_text(f"{pid}", encoding="ascii")
        inside = {int(word) for word in members.read_text(encoding="ascii").split()}
    except OSError as problem:
        raise BrokerError(f"a broker's disk cannot be limited: {problem.strerror}") from problem
    if not asked <= inside:
        raise BrokerError("a broker does not stay in the control group that limits its disk")


def _disk(folder: Path) -> tuple[int, int] | None:
    place = folder.resolve()
    while not place.exists():
        place = place.parent
    return disk_of(place)


def confine_drivers(bench: Bench, endpoints: Endpoints) -> Endpoints:
    """Have drivers start on their processors, limit the brokers' disk, say what is in effect.

    Raises
    ------
    BrokerError
        If a broker does not run on the processors of its model, or its disk cannot be limited.
    """
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
    if bench.confined.group is not None:
        _enter_group(bench, bench.confined.group)
    prefix = ("taskset", "--cpu-list", ",".join(map(str, share.drivers)))

    def on_others(endpoint: Endpoint) -> Endpoint:
        return replace(endpoint, prefix=(*endpoint.prefix, *prefix))

    return Endpoints(on_others(endpoints.requesters), on_others(endpoints.responders))


def lacking(
    settings: BrokerSettings, folder: Path, points: Sequence[Mapping[str, Level]]
) -> tuple[Callable[[Mapping[str, Level]], str | None], tuple[str, ...]]:
    """Say what of the models cannot be had on this machine.

    Parameters
    ----------
    folder : Path
        Where the brokers' data will lie.
    points : sequence of mapping
        All points of the plan.

    Returns
    -------
    answer : callable
        Point to the reason why it cannot be run, or None.
    remarks : tuple of str
        What is left out of models that can be run.
    """
    asked = sorted({str(point[FACTOR]) for point in points if FACTOR in point})
    models = {str(key): value for key, value in settings.models.items()}
    reason = _no_affinity() if asked else None
    remarks: list[str] = []
    limited = [name for name in asked if name in models and models[name].disk_mb_per_s is not None]
    if limited and reason is None:
        groups = find_groups()
        why = groups if isinstance(groups, str) else _no_disk(folder)
        remarks += [f"disk rate of model {name}: {why}" for name in limited if why]

    def say(point: Mapping[str, Level]) -> str | None:
        return f"model {point[FACTOR]}: {reason}" if FACTOR in point and reason else None

    return say, tuple(remarks)


def _no_disk(folder: Path) -> str | None:
    return None if _disk(folder) else "no disk of this machine holds the brokers' data"


def _no_affinity() -> str | None:
    if not hasattr(os, "sched_getaffinity"):
        return "this system does not bind processes to processors"
    if shutil.which("taskset") is None:
        return "taskset is not installed"
    return None
