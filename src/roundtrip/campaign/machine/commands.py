"""Commands of the system that may fail, or may not be there."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from roundtrip.errors import RoundtripError

_SECONDS = 60


def run(
    *words: str | Path, error: type[RoundtripError], environment: Mapping[str, str] | None = None
) -> str:
    """Run a command and give what it prints.

    Parameters
    ----------
    environment : mapping, optional
        All its variables, where they are not those of the runner.

    Raises
    ------
    error
        If it does not run or fails, with the last line of what it says.
    """
    said = [str(word) for word in words]
    try:
        done = subprocess.run(
            said, capture_output=True, text=True, errors="replace", timeout=_SECONDS,
            stdin=subprocess.DEVNULL, check=False, env=environment,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as problem:
        raise error(f"{said[0]} does not run: {problem}") from problem
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        reason = lines[-1] if lines else f"status {done.returncode}"
        raise error(f"{' '.join(said[:4])} …: {reason}")
    return done.stdout


def succeeds(*words: str) -> bool:
    """Run a command, and say whether it did what it was to do."""
    try:
        run(*words, error=RoundtripError)
    except RoundtripError:
        return False
    return True
