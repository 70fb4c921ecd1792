"""What authors get wrong when they call: arguments, names of columns, values of factors."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, MappingView
from functools import cache, wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd
from pydantic import ConfigDict, ValidationError, validate_call

from roundtrip.dictionary import Dictionary
from roundtrip.errors import ChapterError, nearest, unknown

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")
_LONGEST = 80
_FORM = ConfigDict(arbitrary_types_allowed=True, strict=True)
_LISTS: Any = (
    list, tuple, Iterator, MappingView, np.ndarray, pd.Index, pd.Series,
    pd.api.extensions.ExtensionArray,
)  # fmt: skip


def checked(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Have a function refuse arguments that are unknown, missing or of another type (ChapterError).

    Its hints say which types there are. Lists of any kind may stand for sequences and tuples, and
    NumPy's whole numbers for whole numbers.
    """
    form, where = signature(function), function.__qualname__.removesuffix(".__init__")
    names = [
        name for name, one in form.parameters.items()
        if name != "self" and one.kind != Parameter.VAR_KEYWORD
    ]  # fmt: skip

    @wraps(function)
    def given(*args: Any, **kwargs: Any) -> Any:
        return args, kwargs

    given.__annotations__ = {  # what pydantic would not look into, or only when the body does
        name: re.sub(r"(?:Collection|Iterable)\[([^][]+)\]", r"tuple[\1, ...]", hint)
        for name, hint in function.__annotations__.items()
    }

    @cache  # hints may name what is defined below the function
    def validating() -> Callable[..., Any]:
        return validate_call(config=_FORM)(given)

    @wraps(function)
    def call(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        try:
            bound = form.bind(*args, **kwargs)
        except TypeError as problem:
            wrong = re.search("unexpected keyword argument '(.*)'", str(problem))
            meant = nearest(wrong[1], names) if wrong else ""
            raise ChapterError(
                f"{problem}{meant}", where=where, allowed=", ".join(names)
            ) from None  # fmt: skip
        for name, value in bound.arguments.items():
            if form.parameters[name].annotation != "Any":
                bound.arguments[name] = _plain(value)
        try:
            args, kwargs = validating()(*bound.args, **bound.kwargs)
        except ValidationError as problem:
            raise _refused(problem, list(form.parameters.values()), where) from None
        try:
            return function(*args, **kwargs)
        except ChapterError as problem:  # a misspelt keyword is taken for a factor
            wrong = re.fullmatch("unknown factor '(.*)'", problem.what)
            if wrong and wrong[1] in kwargs.keys() - names:
                problem.what += nearest(wrong[1], names) or nearest(wrong[1][:3], names)
            raise

    return call


def _plain(value: Any) -> Any:
    """Give lists of any kind as tuples, and what NumPy has of Python's numbers as these."""
    if isinstance(value, (np.integer, np.bool_)):
        return value.item()
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (set, frozenset)):
        return tuple(map(_plain, sorted(value, key=str)))  # a set has another order in each build
    return tuple(map(_plain, value)) if isinstance(value, _LISTS) else value


def _refused(problem: ValidationError, parameters: list[Parameter], where: str) -> ChapterError:
    """Say which argument is of another type, and which it takes."""
    first = max(problem.errors(), key=lambda error: len(error["loc"]))  # of a union the nearest
    at, *inside = first["loc"]
    if isinstance(at, int):
        ordered = [one for one in parameters if one.kind != Parameter.KEYWORD_ONLY]
        parameter = ordered[min(at, len(ordered) - 1)]
        at = parameter.name
    else:
        parameter = next((one for one in parameters if one.name == at), parameters[-1])
    steps = "".join(f"[{step}]" for step in inside if isinstance(step, int))
    several = first["type"] == "sequence_str"
    return ChapterError(
        f"{at}{steps} cannot be {in_short(first['input'])}", where=where,
        allowed=str(parameter.annotation),
        remedy=f"{at}=[{first['input']!r}]" if several else None,
    )  # fmt: skip


def in_short(value: object) -> str:
    """Write a value that an author gave on one line, and not at length."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def names_of(given: str | Collection[str]) -> list[str]:
    """Give names as a list: a text is one name, not its letters."""
    return [given] if isinstance(given, str) else list(given)


def whole(level: Any) -> Any:
    """Give a level as it was set: a column with gaps holds its whole numbers as floats."""
    return int(level) if isinstance(level, float) and level.is_integer() else level


def levels_of(points: pd.DataFrame, factor: str) -> list[Any]:
    """Give the values of a factor, or of another column, that points have; numbers ascending."""
    levels = list(dict.fromkeys(map(whole, points[factor].dropna().tolist())))
    return sorted(levels) if all(isinstance(one, int | float) for one in levels) else levels


def levels_told(points: pd.DataFrame, factors: Iterable[str]) -> str:
    """List the values that points have of some factors: ``api 'JMS', 'MQI'; requesters 1, 2``."""
    return "; ".join(
        f"{name} {', '.join(map(repr, levels)) or 'not set'}"
        for name in factors
        if name in points
        for levels in [levels_of(points, name)]
    )


def difference_told(points: pd.DataFrame, dictionary: Dictionary) -> str | None:
    """Say in which factors points differ that should be one; None where they differ in none."""
    names = [one for one in (*dictionary.factors, "table_id") if one in points]
    apart = [one for one in names if points[one].nunique() > 1]
    return f"they differ in {levels_told(points, apart)}" if apart else None


def refuse_unknown_factor(
    points: pd.DataFrame, name: str, dictionary: Dictionary, where: str | None = None
) -> None:
    """Refuse a factor that points do not have (ChapterError), and give the nearest that they do."""
    if name not in points:
        known = [one for one in (*dictionary.factors, "campaign") if one in points]
        stated = [one for one in known if points[one].notna().any()]
        raise unknown(ChapterError, "factor", name, known, where=where, allowed=", ".join(stated))


def refuse_unknown_varied(
    points: pd.DataFrame, varied: Iterable[str], dictionary: Dictionary, where: str
) -> None:
    """Refuse varied factors that are neither in the dictionary nor a column (ChapterError)."""
    for name in varied:
        if name not in dictionary.factors and name not in points:
            raise unknown(
                ChapterError, "factor", name, dictionary.factors, where=f"{where}: varied"
            )


def refuse_unknown_level(points: pd.DataFrame, factor: str, level: Any, where: str) -> None:
    """Refuse a value of a factor that no point has (ChapterError), and give the nearest."""
    levels = levels_of(points, factor)
    if level not in levels:
        texts = [one for one in levels if isinstance(one, str)]
        meant = nearest(level, texts) if isinstance(level, str) else ""
        raise ChapterError(
            f"no point has {factor}={level!r}{meant}", where=where,
            allowed=", ".join(map(repr, levels)) or None,
        )  # fmt: skip
