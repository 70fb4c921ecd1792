"""File-name patterns that give factors: ``{requesters}c_*_{message_bytes}.log``.

A pattern is not a regular expression: nothing in it can backtrack, so that no name takes long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError, nearest
from roundtrip.ingest.records import REPETITION

LONGEST_NAME = 1024
_PIECE = re.compile(r"\{([a-z_]{1,40})\}|(\*\*|\*)|([^{}*]+)|(.)")
_SIZES = {"k": 1024, "m": 1024**2, "g": 1024**3, "b": 1}
# Groups are atomic, not possessive: Python before 3.11.5 matches possessive groups wrongly.
_FIELDS = {
    "integer": r"[0-9]++(?>(?:[KkMmGg](?>(?:i?[Bb])?)|[Bb])?)",
    "number": r"[0-9]++(?>(?:\.[0-9]++)?)",
    "boolean": r"(?:true|false|yes|no|on|off)",
    "string": r"[A-Za-z0-9.+]++",
}
_TIME = r"(?>(?:[-_T][0-9]{2}[-:]?[0-9]{2}[-:]?[0-9]{2})?)"
_RUN = rf"(?:[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{_TIME}|[0-9]{{1,15}}+)"


class Pattern:
    """A pattern for the names of files, relative to the folder of ``campaign.yml``.

    Parameters
    ----------
    text : str
        ``{factor}`` takes a value of the factor's kind (digits, with K or M for sizes; letters,
        digits, points and plus signs for text), ``{repetition}`` the number of a run or its date
        and time, ``*`` anything but a slash, ``**`` anything.
    dictionary : Dictionary
        Knows the factors.
    where : str
        Place of the pattern, for error messages.

    Raises
    ------
    DataError
        If it names an unknown factor, or one twice, or has a brace too many.
    """

    def __init__(self, text: str, dictionary: Dictionary, where: str) -> None:
        if len(text) > 200:
            raise DataError("a pattern of more than 200 characters", where=where)
        fields = {
            REPETITION: _RUN,
            **{name: _FIELDS[factor.type] for name, factor in dictionary.factors.items()},
        }
        names = list[str]()
        segments = [("", "")]  # a star, and what follows it up to the next
        for name, stars, literal, other in _PIECE.findall(text):
            if other:
                raise DataError(
                    f"'{other}' in the pattern '{text}' closes or opens nothing", where=where,
                    allowed="{factor}, *, ** and plain text",
                )  # fmt: skip
            if name:
                if name not in fields or name in names:
                    raise DataError(
                        f"{{{name}}} is named twice" if name in fields
                        else f"unknown factor '{name}'{nearest(name, fields)}",
                        where=where,
                        allowed="each factor of data/dictionary.yml, and repetition, once",
                    )  # fmt: skip
                names.append(name)
                literal = f"(?P<{name}>{fields[name]})"
            else:
                literal = re.escape(literal)
            if stars:
                segments.append(("." if stars == "**" else "[^/]", ""))
            else:
                star, following = segments.pop()
                segments.append((star, following + literal))
        self._compiled = re.compile(_assembled(segments), re.DOTALL)

    def match(self, name: str) -> dict[str, str] | None:
        """Give the texts of factors and repetition in a name, or None when it does not fit."""
        if len(name) > LONGEST_NAME:
            return None
        match = self._compiled.fullmatch(name)
        return None if match is None else dict(match.groupdict())


def _assembled(segments: list[tuple[str, str]]) -> str:
    """Put segments together; a star takes as little as lets what follows it fit, for good."""
    (_, parts), *starred = segments
    for place, (star, following) in enumerate(starred, start=1):
        if place < len(starred):
            parts += f"(?>{star}*?{following})"
        else:
            # The last star: what follows it stands at the end, so that it takes all before that.
            parts += f"{star}*{following}" if following else f"{star}*+"
    return parts


def run_number(text: str) -> int:
    """Read the number of a run; of a date and time it is the digits.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if not re.fullmatch(_RUN, text):
        raise ValueError(
            f"'{text[:40]}' does not number a run; allowed: a whole number, or a date and time"
        )
    return int(re.sub("[^0-9]", "", text))


def plain_value(kind: str, text: str, words: Mapping[str, object]) -> str:
    """Turn the text of a name into what the dictionary understands of a factor of a kind.

    `words` say what short words stand for, such as ``np: nonpersistent``.
    """
    if text in words:
        return str(words[text])
    if kind == "integer":
        match = re.fullmatch(r"([0-9]+)[ \u00a0]?([KkMmGgBb]?)(?:i?[Bb])?", text)
        if match:
            return str(int(match[1]) * _SIZES.get(match[2].lower(), 1))
    if kind == "boolean":
        return {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(text, text)
    return text
