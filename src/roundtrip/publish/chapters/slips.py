"""Where a chapter failed, and which name it most likely meant.

A chapter's kernel is asked for `told` after a cell has failed, or what a text cell names.
"""

from __future__ import annotations

import builtins
import inspect
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from roundtrip.errors import nearest

_QUOTED = re.compile(r"'([^'\n]{1,100})'")
_ARGUMENT = re.compile(
    r"(?P<function>[\w.]+)\(\) got an unexpected keyword argument '(?P<name>.+)'"
)
_IMPORT = re.compile(r"cannot import name '(?P<name>.+?)' from '(?P<module>.+?)'")

_MOST_KEYS, _LISTED = 2000, 30
"""Keys that are searched for the nearest, and that are named where none is near."""


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
    meant = ""
    with suppress(Exception):  # what is no function of Python's may have no signature
        meant = _meant(problem, [frame for frame, _ in steps])
    return ", ".join(where), meant


def _meant(problem: BaseException, frames: list[FrameType]) -> str:
    """Name what is nearest to the name that an error is about."""
    message = str(problem)
    if "did you mean" in message or not frames:
        return ""
    if isinstance(problem, NameError) and problem.name:
        known = {*frames[-1].f_locals, *frames[-1].f_globals, *dir(builtins)}
        return nearest(problem.name, sorted(known))
    if isinstance(problem, AttributeError) and problem.name:
        return nearest(problem.name, dir(problem.obj))
    if found := _IMPORT.match(message):
        return nearest(found["name"], dir(sys.modules.get(found["module"])))
    if isinstance(problem, TypeError) and (found := _ARGUMENT.match(message)):
        function = _named(found["function"], frames[-1])
        names = inspect.signature(function).parameters if callable(function) else ()
        return nearest(found["name"], names)
    quoted = set(_QUOTED.findall(message))
    for frame in frames:
        for name, arguments in _taken_as_factors(frame):
            if name in quoted and (said := nearest(name, arguments)):
                return said
    if isinstance(problem, KeyError):
        cell, here = vars(sys.modules["__main__"]), Path.cwd()
        written = [
            frame
            for frame in frames
            if frame.f_globals is cell or Path(frame.f_code.co_filename).is_relative_to(here)
        ]
        keys = sorted({key for frame in written for key in _keys(frame)})
        if len(keys) > _MOST_KEYS:  # rows of a table, not its columns
            return ""
        said = next(filter(None, (nearest(name, keys) for name in sorted(quoted))), "")
        return said or (f"; there are {', '.join(keys)}" if 0 < len(keys) <= _LISTED else "")
    return ""


def _named(name: str, frame: FrameType) -> Any:
    """Find a function by the name that Python gives it, as a frame that called it sees it."""
    first, *rest = name.split(".")
    found = {**frame.f_globals, **frame.f_locals}.get(first)
    for part in rest:
        found = getattr(found, part, None)
    return found


def _taken_as_factors(frame: FrameType) -> Iterator[tuple[str, list[str]]]:
    """Give what a function took as a further keyword, each with the arguments that it has."""
    code: CodeType = frame.f_code
    if not code.co_flags & inspect.CO_VARKEYWORDS:
        return
    count = code.co_argcount + code.co_kwonlyargcount
    position = count + bool(code.co_flags & inspect.CO_VARARGS)
    further = frame.f_locals.get(code.co_varnames[position])
    for name in further if isinstance(further, dict) else ():
        yield name, list(code.co_varnames[:count])


def _keys(frame: FrameType) -> Iterator[str]:
    """Give the keys and columns of what a frame works with."""
    names = frame.f_code.co_names  # of globals and of attributes
    values = [frame.f_globals[name] for name in names if name in frame.f_globals]
    values += [getattr(value, name) for value in values for name in names if hasattr(value, name)]
    if frame.f_locals is not frame.f_globals:
        values += frame.f_locals.values()
    pandas = sys.modules.get("pandas")
    for value in values:
        keys: Iterable[Any] = value if isinstance(value, Mapping) else ()
        if pandas is not None and isinstance(value, (pandas.DataFrame, pandas.Series)):
            keys = value.keys()
        yield from map(str, keys)
