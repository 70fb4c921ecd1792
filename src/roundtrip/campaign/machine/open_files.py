"""How many connections a process may hold: the limit of open files, raised where permitted."""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from roundtrip.campaign.plan import Level
from roundtrip.campaign.settable import REQUESTERS

OTHERS = 1024
"""Files of a Java process beside its connections: jars, logs, the recovery log."""
_KERNEL_MOST = Path("/proc/sys/fs/nr_open")


@lru_cache(maxsize=1)
def raise_limit() -> int:
    """Raise the limit of open files as far as it may be, for this process and all it starts.

    Returns
    -------
    int
        What is in effect then.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = [hard]
    with suppress(OSError, ValueError):
        wanted.insert(0, int(_KERNEL_MOST.read_text(encoding="utf-8")))
    for most in wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, max(most, hard)))
            return most
    return soft


def lacking(points: Sequence[Mapping[str, Level]]) -> Callable[[Mapping[str, Level]], str | None]:
    """Give what says of a point that its connections exceed what a process may hold open.

    Parameters
    ----------
    points : sequence of mapping
        All points of the plan: the limit is raised only where one of them needs it.

    Returns
    -------
    callable
        Point to reason, or None where it can be run.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = soft if max(map(needed, points), default=0) <= soft else raise_limit()

    def say(point: Mapping[str, Level]) -> str | None:
        if needed(point) <= limit:
            return None
        return (
            f"{point[REQUESTERS]} requesters need {needed(point)} open files in the broker, and a "
            f"process may have {limit} (ulimit -n)"
        )

    return say


def needed(point: Mapping[str, Level]) -> int:
    """Give how many files the broker of a point holds open at the most, others among them."""
    return int(point[REQUESTERS]) + int(point["responders"]) + OTHERS
