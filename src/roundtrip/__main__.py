"""``roundtrip`` and ``python -m roundtrip``: start the command line, or say what keeps it away."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress

_OBJECTS = 100_000
"""What a command makes it mostly keeps; to look for garbage after each 700 objects finds none."""

_ended: list[int] = []
"""The status that the command line ended with."""


def main() -> None:
    """Run the command line; an incomplete environment gets a remedy instead of a traceback."""
    gc.set_threshold(_OBJECTS)
    atexit.register(_leave)  # the first that is registered is the last to be called
    try:
        from roundtrip.cli import main as run
    except ModuleNotFoundError as problem:
        if not problem.name or problem.name.partition(".")[0] == "roundtrip":
            raise
        sys.exit(
            f"error: the library {problem.name} is not installed in this environment\n"
            "  remedy: make distclean setup, then use .venv/bin/roundtrip"
        )
    try:
        run()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            _ended.append(end.code or 0)
        raise


def _leave() -> None:
    """End without freeing all that a build has made, which takes a third of a second.

    Threads have ended by then, and what was to be tidied up is.
    """
    with suppress(OSError, ValueError):  # Python says of a closed pipe what there is to say
        sys.stdout.flush()
        sys.stderr.flush()
        if _ended:
            os._exit(_ended[0])


if __name__ == "__main__":
    main()
