"""One thing that the work needs, and whether it is here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["present", "missing", "differs"]


@dataclass(frozen=True)
class Finding:
    """One thing that the work needs, and whether it is here.

    Parameters
    ----------
    name : str
        What was looked for.
    needed_for : str
        What does not work without it.
    state : {"present", "missing", "differs"}
        ``differs`` means usable, but not as the checkout says it should be.
    found : str
        The version, or what else was seen.
    required : bool
        Whether a report cannot be built without it.
    remedy : str
        The command that mends it; empty when nothing needs mending.
    """

    name: str
    needed_for: str
    state: State
    found: str
    required: bool
    remedy: str = ""

    @property
    def blocks(self) -> bool:
        """Whether no report can be built because of this."""
        return self.required and self.state == "missing"
