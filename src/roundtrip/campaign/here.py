"""Which parts of a plan this machine can run: the others are left out, and it is said why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from roundtrip.campaign.encryption import missing_suites
from roundtrip.campaign.harness import Harness, missing_versions
from roundtrip.campaign.namespaces import missing_namespaces
from roundtrip.campaign.plan import Level
from roundtrip.campaign.points import Cell
from roundtrip.errors import SetupError

Points = Sequence[Mapping[str, Level]]
_QUESTIONS: tuple[Callable[[Harness, Points], Callable[[Mapping[str, Level]], str | None]], ...] = (
    missing_versions,
    missing_suites,
    missing_namespaces,
)
"""Each is given the harness and all points, and gives what says of one point why it cannot run."""


def runnable(harness: Harness, cells: tuple[Cell, ...]) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """Leave out what cannot be run on this machine.

    Parameters
    ----------
    harness : Harness
    cells : tuple of Cell
        Of the plan.

    Returns
    -------
    cells : tuple of Cell
        Those that can be run.
    reasons : tuple of str
        What the others lack, each once.

    Raises
    ------
    SetupError
        If nothing is left.
    """
    points = [dict(cell.factors) for cell in cells]
    answers = [question(harness, points) for question in _QUESTIONS]
    reasons: dict[str, None] = {}
    kept = []
    for cell, point in zip(cells, points, strict=True):
        lacking = [reason for answer in answers if (reason := answer(point))]
        reasons.update(dict.fromkeys(lacking))
        if not lacking:
            kept.append(cell)
    if not kept:
        raise SetupError(f"nothing of the plan can be run on this machine: {'; '.join(reasons)}")
    return tuple(kept), tuple(reasons)
