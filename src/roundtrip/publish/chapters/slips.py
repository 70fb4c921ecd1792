"""Where a chapter failed, and which name it most likely meant.

A chapter's kernel is asked for `told` after a cell has failed, or what a text cell names.
"""

from __future__ import annotations

import builtins
import re
import sys
import traceback
from pathlib import Path
from types import FrameType

from roundtrip.errors import nearest

_IMPORT = re.compile(r"cannot import name '(?P<name>.+?)' from '(?P<module>.+?)'")


def told() -> tuple[str, str]:
    """Say of the last error of this process where the cell has it, and what it may have meant.

    Returns
    -------
    str
        The line of the cell, and that of the module beside the chapter, if it is in one.
    str
        The nearest name that exists, as `nearest` words it; empty where no name was wrong.
    """
    problem = sys.last_value
    assert problem is not None  # noqa: S101 - a cell has failed
    steps = list(traceback.walk_tb(problem.__traceback__))
    cell = vars(sys.modules["__main__"])
    lines = [line for frame, line in steps if frame.f_globals is cell]
    lines += [problem.lineno or 1] if isinstance(problem, SyntaxError) else []
    where = [f"line {line}" for line in lines[:1]]
    here = Path.cwd()
    places = [(Path(frame.f_code.co_filename), line) for frame, line in steps]
    beside = [(path, line) for path, line in places if path.is_relative_to(here)]
    where += [f"in {path.relative_to(here)}, line {line}" for path, line in beside[-1:]]
    return ", ".join(where), _meant(problem, steps[-1][0]) if steps else ""


def _meant(problem: BaseException, frame: FrameType) -> str:
    """Name what is nearest to the name that an error is about."""
    if "did you mean" in str(problem):
        return ""
    if isinstance(problem, NameError) and problem.name:
        known = {*frame.f_locals, *frame.f_globals, *dir(builtins)}
        return nearest(problem.name, sorted(known))
    if isinstance(problem, AttributeError) and problem.name:
        return nearest(problem.name, dir(problem.obj))
    if found := _IMPORT.match(str(problem)):
        return nearest(found["name"], dir(sys.modules.get(found["module"])))
    return ""
