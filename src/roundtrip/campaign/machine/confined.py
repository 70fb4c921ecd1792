"""What a process that is started may use of the machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Confined:
    """Limits in the terms of the command that starts a process; none where both are empty.

    Attributes
    ----------
    prefix : tuple of str
        Commands that hand over to it.
    jvm : tuple of str
        Options of its Java machine, after those of the plan, so that they count.
    group : Path or None
        Control group that it enters once it has started.
    """

    prefix: tuple[str, ...] = ()
    jvm: tuple[str, ...] = ()
    group: Path | None = None
