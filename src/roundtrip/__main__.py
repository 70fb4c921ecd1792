"""``roundtrip`` and ``python -m roundtrip``: start the command line, or say what keeps it away."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; an incomplete environment gets a remedy instead of a traceback."""
    try:
        from roundtrip.cli import main as run

        run()
    except KeyboardInterrupt:  # while libraries are loaded; later Typer catches it
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    except ModuleNotFoundError as problem:
        ours = not problem.name or problem.name.partition(".")[0] == "roundtrip"
        if ours or "--debug" in sys.argv:
            raise
        sys.exit(
            f"error: the library {problem.name} is not installed in this environment\n"
            "  remedy: install Roundtrip again (in a checkout: make distclean setup, then use "
            ".venv/bin/roundtrip)"
        )


if __name__ == "__main__":
    main()
