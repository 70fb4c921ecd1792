"""How a report is built, apart from what is in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from roundtrip.errors import SetupError

if TYPE_CHECKING:
    from roundtrip.project import Project
    from roundtrip.publish.chapters.execute import Run
    from roundtrip.publish.chapters.standby import Standby

    Elsewhere = Callable[[Project, Sequence[str], Mapping[str, str]], Run]

Engine = Literal["auto", "embedded", "quarto"]


class Progress(Protocol):
    """How the build tells what it is doing."""

    def step(self, text: str, total: int = 1) -> AbstractContextManager[Any]:
        """Begin a step of `total` parts; the context's value advances it when called."""
        ...


@dataclass(frozen=True)
class Options:
    """How to build, apart from what.

    Attributes
    ----------
    engine : {"auto", "embedded", "quarto"}
        Renderer; ``auto`` takes Quarto where it is installed.
    allow_failed_checks : bool
        Build with a banner although checks fail.
    overwrite : bool
        Replace an existing report of the same version.
    at_a_time : int or None
        Chapters that are run at a time; None for what suits the processors.
    elsewhere : callable or None
        Takes the project, the paths that its parameters name and the hash of each of its files,
        and gives what runs a chapter elsewhere; None for kernels of this machine.
    standby : Standby or None
        A kernel and a browser that have started before; None to start them when needed.
    """

    engine: Engine = "auto"
    allow_failed_checks: bool = False
    overwrite: bool = False
    at_a_time: int | None = None
    elsewhere: Elsewhere | None = None
    standby: Standby | None = None


def choose_engine(wanted: Engine) -> str:
    """Choose the renderer: ``auto`` takes Quarto where it is installed and new enough.

    Gives ``embedded``, or ``quarto`` with its version: another version may render otherwise. A
    SetupError says that Quarto is asked for and not installed, or too old.
    """
    program = None if wanted == "embedded" else shutil.which("quarto")
    if program is not None:
        from roundtrip.publish.quarto.render import quarto_version

        try:
            return f"quarto {quarto_version(Path(program))}"
        except SetupError:
            if wanted == "quarto":
                raise
    if wanted == "quarto":
        raise SetupError(
            "Quarto is not on PATH",
            remedy="install Quarto, use the conda route of environment.yml, or build with "
            "--engine embedded",
        )
    return "embedded"
