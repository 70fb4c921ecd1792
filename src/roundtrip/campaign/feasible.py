"""Which parts of a plan this machine can run: the others are left out, and it is said why."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from roundtrip.campaign.harness import Harness
from roundtrip.campaign.links import namespaces
from roundtrip.campaign.machine import confinement, storage
from roundtrip.campaign.plan import Plan, Point
from roundtrip.campaign.points import Combination, points_of
from roundtrip.campaign.settable import REQUESTERS
from roundtrip.campaign.tls import encryption
from roundtrip.errors import SetupError

OTHER_FILES = 1024
"""Files of a Java process beside its connections: jars, logs, the recovery log."""
_KERNEL_MOST = Path("/proc/sys/fs/nr_open")


def runnable(
    harness: Harness | None, plan: Plan, folder: Path, combinations: tuple[Combination, ...]
) -> tuple[tuple[Combination, ...], tuple[str, ...]]:
    """Leave out what cannot be run on this machine.

    Parameters
    ----------
    harness : Harness or None
        None where only the plan is to be shown: what takes Java is not asked then.
    folder : Path
        The project's own folder for what campaigns make.

    Returns
    -------
    reasons : tuple of str
        What the rest lacks, each once, and what is left out of what can be run.
    """
    points, broker = points_of(combinations), plan.broker
    lacks: dict[str, Callable[[Any], str | None]] = {
        storage.FACTOR: partial(storage.lacking, broker, folder),
        "replication_link": namespaces.lacking,
        confinement.FACTOR: partial(confinement.lacking, broker.models),
    }
    if harness is not None:
        suite = partial(encryption.lacking, harness)
        lacks = {"product_version": harness.lacks_version, "tls_cipher": suite, **lacks}
    asked = dict.fromkeys(item for point in points for item in point.items() if item[0] in lacks)
    reasons = {(factor, level): lacks[factor](level) for factor, level in asked}
    limit = raise_limit()

    def lacking(point: Point) -> list[str | None]:
        found = [reasons.get((factor, point.get(factor, ""))) for factor in lacks]
        needed = int(point[REQUESTERS]) + int(point["responders"]) + OTHER_FILES
        if needed > limit:
            found.append(
                f"{point[REQUESTERS]} requesters need {needed} open files in the broker, and a "
                f"process may have {limit} (ulimit -n)"
            )
        return found

    possible, told = possible_combinations(combinations, lacking, "this machine")
    used = {name: one for name, one in broker.models.items() if (confinement.FACTOR, name) in asked}
    remarks = confinement.unlimited_disks(used, Path(broker.journal_path or folder))
    return possible, tuple(dict.fromkeys((*told, *remarks)))


def possible_combinations(
    combinations: Sequence[Combination], lacking: Callable[[Point], Iterable[str | None]],
    where: str,
) -> tuple[tuple[Combination, ...], tuple[str, ...]]:  # fmt: skip
    """Leave out the points that lack something, and give what they lack, each once."""
    reasons: dict[str, None] = {}
    possible = []
    for combination in combinations:
        levels = []
        for level in combination.levels:
            found = dict.fromkeys(filter(None, lacking(combination.point(level))))
            reasons.update(found)
            levels += [] if found else [level]
        if levels:
            possible.append(replace(combination, levels=tuple(levels)))
    if not possible:
        raise SetupError(f"nothing of the plan can be run on {where}: {'; '.join(reasons)}")
    return tuple(possible), tuple(reasons)


def raise_limit() -> int:
    """Raise the limit of open files for this process and all it starts; give what is in effect."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = [hard]
    with suppress(OSError, ValueError):
        wanted.insert(0, int(_KERNEL_MOST.read_text(encoding="utf-8")))
    for most in wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, max(most, hard)))
            return most
    return soft
