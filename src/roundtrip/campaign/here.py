"""Which parts of a plan this machine can run: the others are left out, and it is said why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roundtrip.campaign.harness import Harness, missing_versions
from roundtrip.campaign.links import namespaces
from roundtrip.campaign.machine import confinement, open_files, storage
from roundtrip.campaign.plan import Level, Plan
from roundtrip.campaign.points import Cell
from roundtrip.campaign.tls.encryption import missing_suites
from roundtrip.errors import SetupError

Point = Mapping[str, Level]
Answer = Callable[[Point], str | None]
"""Says of a point why it cannot be run here, or None."""


@dataclass(frozen=True)
class Ground:
    """What a campaign would be run on.

    Attributes
    ----------
    harness : Harness or None
        None where only the plan is to be shown: what takes Java is not asked then.
    plan : Plan
    folder : Path
        The project's own folder for what campaigns make.
    """

    harness: Harness | None
    plan: Plan
    folder: Path


Remarks = tuple[str, ...]
"""What is left out of points that can be run."""
Question = Callable[[Ground, Sequence[Point]], tuple[Answer, Remarks]]


def _storage(ground: Ground, points: Sequence[Point]) -> tuple[Answer, Remarks]:
    return storage.lacking(ground.plan.broker, ground.folder, points), ()


def _files(ground: Ground, points: Sequence[Point]) -> tuple[Answer, Remarks]:
    del ground
    return open_files.lacking(points), ()


def _namespaces(ground: Ground, points: Sequence[Point]) -> tuple[Answer, Remarks]:
    del ground
    return namespaces.lacking(points), ()


def _models(ground: Ground, points: Sequence[Point]) -> tuple[Answer, Remarks]:
    given = ground.plan.broker.journal_path
    return confinement.lacking(ground.plan.broker, Path(given or ground.folder), points)


def _harness(ground: Ground, points: Sequence[Point]) -> tuple[Answer, Remarks]:
    harness = ground.harness
    if harness is None:
        return lambda _: None, ()
    answers = [question(harness, points) for question in (missing_versions, missing_suites)]
    return lambda point: next((text for answer in answers if (text := answer(point))), None), ()


_QUESTIONS: tuple[Question, ...] = (_harness, _storage, _files, _namespaces, _models)
"""Each is given all points of the plan."""


def runnable(ground: Ground, cells: tuple[Cell, ...]) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """Leave out what cannot be run on this machine.

    Parameters
    ----------
    ground : Ground
    cells : tuple of Cell
        Of the plan.

    Returns
    -------
    cells : tuple of Cell
        What can be run of them.
    reasons : tuple of str
        What the rest lacks, each once, and what is left out of what can be run.

    Raises
    ------
    SetupError
        If nothing is left.
    """
    points = [cell.point(level) for cell in cells for level in cell.levels]
    found = [question(ground, points) for question in _QUESTIONS]
    answers = [answer for answer, _ in found]
    reasons: dict[str, None] = {}
    kept = []
    for cell in cells:
        levels = []
        for level in cell.levels:
            lacking = [text for answer in answers if (text := answer(cell.point(level)))]
            reasons.update(dict.fromkeys(lacking))
            levels += [] if lacking else [level]
        if levels:
            kept.append(replace(cell, levels=tuple(levels)))
    if not kept:
        raise SetupError(f"nothing of the plan can be run on this machine: {'; '.join(reasons)}")
    reasons.update(dict.fromkeys(remark for _, remarks in found for remark in remarks))
    return tuple(kept), tuple(reasons)
