"""The errors a user may meet: what is wrong, where, what is allowed, what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

_ALIKE = 0.66
"""How alike a name must be to be suggested: one wrong letter of three is two thirds."""


class RoundtripError(Exception):
    """Base of every error that Roundtrip raises on purpose.

    Parameters
    ----------
    what : str
        What is wrong, as one sentence.
    where : str or Path, optional
        The place: ``file``, ``file:line`` or ``file: key``.
    allowed : str, optional
        What would have been accepted.
    remedy : str, optional
        What to do next, preferably a command.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str | Path | None = None,
        allowed: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = None if where is None else str(where)
        self.allowed = allowed
        self.remedy = remedy

    def __str__(self) -> str:
        lines = [f"{self.where}: {self.what}" if self.where else self.what]
        if self.allowed:
            lines.append(f"  allowed: {self.allowed}")
        if self.remedy:
            lines.append(f"  remedy: {self.remedy}")
        return "\n".join(lines)


_Error = TypeVar("_Error", bound=RoundtripError)


class ParameterError(RoundtripError):
    """A parameter is unknown, of the wrong type, or out of range."""


class DataError(RoundtripError):
    """A data file breaks the rules of the data model."""


class CheckError(RoundtripError):
    """An expectation on the observations failed."""


class ChapterError(RoundtripError):
    """A chapter did not run, or lacks something that a chapter must have."""


class RenderError(RoundtripError):
    """The report could not be rendered."""


class SetupError(RoundtripError):
    """Something that the work needs is not installed."""


def unknown(error: type[_Error], what: str, name: str, known: Iterable[str], **more: Any) -> _Error:
    """Make the error for a name that is none of those that exist, which it lists.

    Parameters
    ----------
    **more
        As `RoundtripError` takes it; `allowed` in place of the list.
    """
    known = list(known)
    more = {"allowed": ", ".join(known), **more}
    return error(f"unknown {what} '{name}'{nearest(name, known)}", **more)


def again(error: type[_Error], problem: RoundtripError, **known: Any) -> _Error:
    """Say the same as another kind of error.

    Parameters
    ----------
    **known
        What is known better here, as `RoundtripError` takes it.
    """
    said = {"where": problem.where, "allowed": problem.allowed, "remedy": problem.remedy}
    return error(problem.what, **{**said, **known})


def nearest(name: str, known: Iterable[str]) -> str:
    """Name the closest known name, for messages about unknown ones.

    Returns
    -------
    str
        ``" (did you mean 'x'?)"``, or an empty string when nothing is close or begins like that.
    """
    name, known = str(name), list(known)
    close = get_close_matches(name, known, n=1, cutoff=_ALIKE)
    close = close or [one for one in known if len(name) > 2 and one.startswith(name)]
    return f" (did you mean '{close[0]}'?)" if close else ""
