"""How a report is built, apart from what is in it."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from roundtrip.errors import SetupError

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
    workers : int or None
        Kernels at a time; None for the number of processors.
    """

    engine: Engine = "auto"
    allow_failed_checks: bool = False
    overwrite: bool = False
    workers: int | None = None


def choose_engine(wanted: Engine) -> str:
    """Choose the renderer.

    Parameters
    ----------
    wanted : {"auto", "embedded", "quarto"}
        ``auto`` takes Quarto where it is installed and new enough.

    Returns
    -------
    str
        ``embedded``, or ``quarto`` with its version: another version may render otherwise.

    Raises
    ------
    SetupError
        If Quarto is asked for and not installed, or too old.
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
