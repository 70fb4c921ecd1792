"""Which parts of a plan this machine can run: the others are left out, and it is said why."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from roundtrip.campaign.harness import Harness, missing_versions
from roundtrip.campaign.links import namespaces
from roundtrip.campaign.machine import confinement, storage
from roundtrip.campaign.plan import Answer, Plan, Point
from roundtrip.campaign.points import Cell, points_of
from roundtrip.campaign.settable import REQUESTERS
from roundtrip.campaign.tls.encryption import missing_suites
from roundtrip.errors import SetupError

OTHER_FILES = 1024
"""Files of a Java process beside its connections: jars, logs, the recovery log."""
_KERNEL_MOST = Path("/proc/sys/fs/nr_open")


def runnable(
    harness: Harness | None, plan: Plan, folder: Path, cells: tuple[Cell, ...]
) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
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
    points = points_of(cells)
    broker = plan.broker
    models, remarks = confinement.lacking(broker, Path(broker.journal_path or folder), points)
    answers: list[Answer] = []
    if harness is not None:
        answers += [missing_versions(harness, points), missing_suites(harness, points)]
    answers += [
        storage.lacking(broker, folder, points), too_many_connections(points),
        namespaces.lacking(points), models,
    ]  # fmt: skip
    possible, reasons = possible_cells(cells, answers, "this machine")
    return possible, tuple(dict.fromkeys((*reasons, *remarks)))


def possible_cells(
    cells: Sequence[Cell], answers: Sequence[Answer], where: str
) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """Leave out what one of some answers says cannot be run, and give the reasons, each once."""
    reasons: dict[str, None] = {}
    possible = []
    for cell in cells:
        levels = []
        for level in cell.levels:
            lacking = [text for answer in answers if (text := answer(cell.point(level)))]
            reasons.update(dict.fromkeys(lacking))
            levels += [] if lacking else [level]
        if levels:
            possible.append(replace(cell, levels=tuple(levels)))
    if not possible:
        raise SetupError(f"nothing of the plan can be run on {where}: {'; '.join(reasons)}")
    return tuple(possible), tuple(reasons)


def too_many_connections(points: Sequence[Point]) -> Answer:
    """Make an answer by the number of connections, which count as open files of the broker.

    The limit of open files is raised, as far as it may be, where one of the points needs it.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = soft if max(map(files_needed, points), default=0) <= soft else raise_limit()

    def say(point: Point) -> str | None:
        needed = files_needed(point)
        if needed <= limit:
            return None
        return (
            f"{point[REQUESTERS]} requesters need {needed} open files in the broker, and a process "
            f"may have {limit} (ulimit -n)"
        )

    return say


def files_needed(point: Point) -> int:
    """Give how many files the broker of a point holds open at the most."""
    return int(point[REQUESTERS]) + int(point["responders"]) + OTHER_FILES


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
