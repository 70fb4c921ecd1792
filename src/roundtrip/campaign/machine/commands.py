"""Commands of the system that may fail, or may not be there."""

from __future__ import annotations

import subprocess

_SECONDS = 30


def succeeds(*words: str) -> bool:
    """Run a command, and say whether it did what it was to do."""
    try:
        done = subprocess.run(
            words, capture_output=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
