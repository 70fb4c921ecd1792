"""Which renderer makes the report."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

from roundtrip.errors import SetupError

Engine = Literal["auto", "embedded", "quarto"]


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
