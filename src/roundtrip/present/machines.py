"""What sources disclose of the machines behind points, so that it can be compared."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import pandas as pd

from roundtrip.campaign.manifest import Manifest
from roundtrip.files import sha256_of_json
from roundtrip.present.chapter import Chapter
from roundtrip.present.levels import NOT_STATED
from roundtrip.sources.disclosure import Hardware, Host, HostSet, PublishedReport

TRAITS = {
    "processor": True, "cores": True, "memory": True, "links": True, "operating system": True,
    "storage": False, "tuning": False,
}  # fmt: skip
"""What is compared of machines, and whether its values are short enough to be told."""

Machine = Mapping[str, str | None]
"""Trait to what its source says of it, None where it says nothing."""

_UNKNOWN: Machine = dict.fromkeys(TRAITS)
_IMPLIED = {
    "platform": tuple(TRAITS), "host_set": tuple(TRAITS), "model": tuple(TRAITS),
    "log_storage": ("storage",), "link_gbps": ("links",),
}  # fmt: skip
"""Traits that a factor decides: where it is compared, they follow."""

TELLING = {"log_storage", "link_gbps"}
"""Factors that are traits themselves: where one is told as differing, its trait is not told too."""


def machine_of(chapter: Chapter, source: str, host_set: object) -> Machine:
    """Give what is disclosed of the machines of a point: those of its host set, or its campaign's.

    `source` is a report or a campaign; `host_set` is no text where the source does not say.
    """
    known = chapter.observations
    if source in known.report_ids:
        report = known.report(source)
        hosts = report.host_sets.get(host_set) if isinstance(host_set, str) else None
        return _UNKNOWN if hosts is None else _published(report, hosts)
    if source in known.campaign_ids:
        manifest = known.campaign(source)
        if not manifest.broker_elsewhere:
            return _measured(manifest)
    return _UNKNOWN


def differing_machines(
    chapter: Chapter, points: pd.DataFrame, varied: Collection[str]
) -> dict[str, list[str | None]]:
    """Find what the disclosures of the machines behind points do not have in common.

    Gives each trait, beside those that follow from what is `varied`, with the values that
    occur, None where a source does not state it. What neither of two sources states is not
    known to be the same, and counts as differing.
    """
    if "point_id" not in points:
        return {}
    sets = points["host_set"] if "host_set" in points else [None] * len(points)
    places = dict.fromkeys(
        (str(point).partition("/")[0], host_set if isinstance(host_set, str) else None)
        for point, host_set in zip(points["point_id"], sets, strict=True)
    )
    machines = [machine_of(chapter, *place) for place in places]
    several = len({source for source, _ in places}) > 1
    implied = {trait for name in varied for trait in _IMPLIED.get(name, ())}
    found = {}
    for name in TRAITS:
        values = list(dict.fromkeys(machine[name] for machine in machines))
        if name not in implied and (len(values) > 1 or (several and None in values)):
            found[name] = values
    return found


def told(trait: str, values: Iterable[str | None]) -> str:
    """Name a trait that differs, with its values where they are short."""
    values = list(values)
    if TRAITS[trait]:
        found = [value or NOT_STATED for value in values]
        between = "; " if any("," in value for value in found) else ", "
        return f"{trait} ({between.join(found)})"
    return f"{trait} (not always stated)" if None in values else trait


def cores_text(of: Hardware) -> str | None:
    """Write sockets × cores of each, None where either is not stated."""
    return f"{of.sockets} × {of.cores_per_socket}" if of.sockets and of.cores_per_socket else None


def processors_text(host: Mapping[str, Any]) -> str:
    """Write number and kind of the processors of a campaign's host."""
    number = host["logical_processors"]
    virtual = ", a virtual machine" if host.get("virtual_machine") else ""
    return f"{number} processor{'s' * (number != 1)} ({host['processor']}{virtual})"


def _published(report: PublishedReport, entry: HostSet) -> Machine:
    hosts = entry.hosts
    speeds = sorted({link.bandwidth_gbps for link in entry.links if link.bandwidth_gbps})
    storage = [*filter(None, (host.storage for host in hosts)), *entry.storage]
    settings = sorted(setting for host in hosts for setting in host.settings)
    tuning = [[one.place, one.name, one.value, one.applies_to] for one in report.tuning]
    return {
        "processor": _of_all(hosts, _processor),
        "cores": _of_all(hosts, cores_text),
        "memory": _of_all(hosts, lambda h: _with_unit(h.memory_gb, "GB")),
        "links": f"{'/'.join(f'{one:g}' for one in speeds)} Gb/s" if speeds else None,
        "operating system": _of_all(hosts, lambda h: h.operating_system),
        "storage": _digest(storage),
        "tuning": _digest([*settings, *tuning]),
    }


def _measured(manifest: Manifest) -> Machine:
    hosts = [placed.about for placed in manifest.hosts] or [manifest.host]
    network = str(manifest.host.get("network") or "").partition(":")[0]
    return {
        "processor": _of_all(hosts, lambda h: h.get("processor")),
        "cores": _of_all(hosts, lambda h: _with_unit(h.get("logical_processors"), "logical")),
        "memory": _of_all(hosts, lambda h: _with_unit(round(h.get("memory_mb", 0) / 1000), "GB")),
        "links": network or None,
        "operating system": _of_all(hosts, lambda h: h.get("operating_system")),
        "storage": _digest([*{host.get("journal_file_system"): None for host in hosts}]),
        "tuning": _digest([*{host.get("frequency_governor"): None for host in hosts}]),
    }


def _with_unit(value: float | None, unit: str) -> str | None:
    return f"{value:g} {unit}" if value else None


def _of_all(hosts: Iterable[Any], read: Callable[[Any], str | None]) -> str | None:
    """Join what kinds of hosts have, the one under test first, what is alike once."""
    values = list(dict.fromkeys(read(host) for host in hosts))
    return " + ".join(value or NOT_STATED for value in values) if any(values) else None


def _processor(host: Host) -> str | None:
    clock = f" at {host.clock_ghz:g} GHz" if host.clock_ghz else ""
    return f"{host.processor}{clock}" if host.processor else None


def _digest(values: list[Any]) -> str | None:
    """Give a short text that is the same for the same values, None for none."""
    return sha256_of_json(values)[:8] if values else None
