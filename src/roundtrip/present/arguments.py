"""What authors get wrong when they call: arguments, names of columns, values of factors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import pandas as pd
from pydantic import ConfigDict, ValidationError, validate_call

from roundtrip.dictionary import Dictionary
from roundtrip.errors import ChapterError, nearest, unknown
from roundtrip.observations import Observations

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")
_LONGEST = 80
# Hints may name what is defined below the function: they are read when it is called.
_FORM = ConfigDict(arbitrary_types_allowed=True, defer_build=True)


def checked(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Have a function refuse arguments that are unknown, missing or of another type (ChapterError).

    Its hints say which types there are; what can stand for them without a loss, as NumPy's whole
    numbers or a list for a tuple, is converted.
    """
    where = function.__qualname__.removesuffix(".__init__")
    names = list(signature(function).parameters)

    @wraps(function)
    def given(*args: Any, **kwargs: Any) -> Any:
        return args, kwargs

    validated = validate_call(config=_FORM)(given)

    @wraps(function)
    def call(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        try:
            args, kwargs = validated(*args, **kwargs)
        except ValidationError as problem:
            raise _refused(problem, names, where) from None
        return function(*args, **kwargs)

    return call


def _refused(problem: ValidationError, names: list[str], where: str) -> ChapterError:
    """Say which argument is wrong, and what it takes."""
    first = max(problem.errors(), key=lambda error: len(error["loc"]))  # of a union the nearest
    at, *inside = first["loc"]
    name = at if isinstance(at, str) else names[min(at, len(names) - 1)]
    if first["type"] == "unexpected_keyword_argument":
        return unknown(ChapterError, "argument", name, names, where=where)
    steps = "".join(f"[{step}]" for step in inside if isinstance(step, int))
    return ChapterError(
        f"{name}{steps} cannot be {in_short(first['input'])}", where=where,
        allowed=first["msg"].removeprefix("Input should be "),
    )  # fmt: skip


def refuse_blank(where: str, **texts: str) -> None:
    """Refuse a title, caption or alt text without a word: a reader would see a bare number."""
    for name, text in texts.items():
        if not text.strip():
            raise ChapterError(f"{name} is empty", where=where, remedy=f"give {name}=… in words")


def in_short(value: object) -> str:
    """Write a value that an author gave on one line, and not at length."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def names_of(given: str | Collection[str]) -> list[str]:
    """Give names as a list: a text is one name, not its letters."""
    return [given] if isinstance(given, str) else list(given)


def values_of(column: pd.Series[Any]) -> list[Any]:
    """Give the values of a column, with None wherever one is missing."""
    return column.astype(object).where(column.notna(), None).tolist()


def refuse_misspelt(
    given: Collection[Any], rows: pd.DataFrame, known: Mapping[str, Collection[Any]], where: str
) -> None:
    """Refuse a key that is nearly a level of rows which has no key of its own (ChapterError).

    One that is like none of them, or `known`, may be of rows that another edition shows.
    """
    present = list(dict.fromkeys(level for name in rows for level in values_of(rows[name])))
    others = [level for name in rows for level in known.get(str(name), ())]
    left = [str(level) for level in present if level not in given]
    for key in given:
        if key not in [*present, *others] and (meant := nearest(str(key), left)):
            raise ChapterError(
                f"no row has {key!r}{meant}", where=where, allowed=", ".join(map(repr, present))
            )


def whole(level: Any) -> Any:
    """Give a level as it was set: a column with gaps holds its whole numbers as floats."""
    return int(level) if isinstance(level, float) and level.is_integer() else level


def levels_of(points: pd.DataFrame, factor: str) -> list[Any]:
    """Give the values of a factor, or of another column, that points have; numbers ascending."""
    levels = list(dict.fromkeys(map(whole, points[factor].dropna().tolist())))
    return sorted(levels) if all(isinstance(one, int | float) for one in levels) else levels


def levels_told(points: pd.DataFrame, factors: Iterable[str]) -> str:
    """List the values that points have of some factors: ``api 'JMS', 'MQI'; requesters 1, 2``."""
    told = []
    for name in factors:
        if name in points:
            levels = [repr(level) for level in levels_of(points, name)]
            levels += ["not set"] * bool(points[name].isna().any())
            told.append(f"{name} {', '.join(levels)}")
    return "; ".join(told)


def difference_told(points: pd.DataFrame, dictionary: Dictionary) -> str | None:
    """Say in which factors points differ that should be one; None where they differ in none."""
    names = [one for one in (*dictionary.factors, "campaign", "table_id") if one in points]
    apart = [one for one in names if points[one].nunique(dropna=False) > 1]
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


def refuse_impossible(
    points: pd.DataFrame, factor: str, levels: Iterable[Any], observations: Observations,
    where: str | None = None,
) -> None:  # fmt: skip
    """Refuse levels of a factor that no data have and no dictionary allows (ChapterError).

    An edition may leave out what the data have; what a chapter puts into a column is not known.
    """
    refuse_unknown_factor(points, factor, observations.dictionary, where)
    entry = observations.dictionary.factors.get(factor)
    allowed: Collection[Any] = (entry.allowed if entry else None) or ()
    if entry is not None and entry.type == "boolean":
        allowed = (True, False)
    there, known = levels_of(points, factor), {*allowed, *observations.levels.get(factor, ())}
    for level in levels if known and known.issuperset(there) else ():
        if level not in known:
            texts = [one for one in known if isinstance(one, str)]
            meant = nearest(level, sorted(texts)) if isinstance(level, str) else ""
            raise ChapterError(
                f"no point has {factor}={level!r}{meant}", where=where,
                allowed=", ".join(map(repr, there)) or None,
            )  # fmt: skip
