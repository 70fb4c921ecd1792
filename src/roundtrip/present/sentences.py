"""Sentences with gaps that values are to fill."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterator

from roundtrip.errors import ChapterError, unknown


def pieces_of(template: str, known: Collection[str]) -> Iterator[tuple[str, str | None, bool]]:
    """Give the words of a template, each with the value that follows and whether its unit does.

    Parameters
    ----------
    template : str
        With ``{name}`` for a value with its unit, ``{name:n}`` for the number alone.
    known : collection of str
        Names of the values that there are.

    Raises
    ------
    ChapterError
        If it asks for a value that there is not (the nearest one is named), or in another way.
    """
    try:
        pieces = list(string.Formatter().parse(template))
    except ValueError as problem:
        raise ChapterError(
            f"'{template}' has a brace too many or too few: {problem}", where="Chapter.text",
            allowed="{name}, {name:n}, and {{ or }} for a brace",
        ) from None  # fmt: skip
    for words, name, way, conversion in pieces:
        asked = f"!{conversion}" if conversion else f":{way}" if way else ""
        if name is not None and (not name.isidentifier() or asked not in ("", ":n")):
            raise ChapterError(
                f"'{{{name}{asked}}}' is no way to write a value", where="Chapter.text",
                allowed="{name} and {name:n}",
            )  # fmt: skip
        if name is not None and name not in known:
            raise unknown(ChapterError, "value", name, known, where="Chapter.text")
        yield words, name, not asked
