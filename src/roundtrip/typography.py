"""Text and numbers as they are printed.

Apostrophes are typographic, what belongs together stays on one line, and numbers of a column stand
below each other by their units.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from roundtrip.outputs import NOTHING, BodyCell

_UNIT = r"(?:[KMGTP]?i?B|[kKMGT]?b(?:it)?|[nmµμ]?s|min|h|%|k?m|[kMG]?Hz)(?:/s)?(?![\w/])"
_NUMBERED = r"Table|Figure|Section|Chapter|Appendix|RAID|TLS|sec"
_BOUND = re.compile(
    rf"(?<=\d) (?={_UNIT})|(?<=\d) (?=×)|(?<=×) (?=\d)|\b({_NUMBERED}) (?=\d|[A-Z]\.\d)"
)
_APOSTROPHE = re.compile(r"(?<=\w)'(?=[^\W\d_])")
_OF_SEVERAL = re.compile(r"^([^']*s)'(?= \w[^']*$)")

_NUMBER = re.compile(
    r"\(?[+−-]?[\d.,\u2009\u202f\u00a0 ]*?\d(?:(?P<sign>[.,])(?P<decimals>\d+))?"
    r"(?P<rest>(?:\u00a0?%)?(?:\u00a0[†*])?\)?)"
)
_NO_NUMBER = (NOTHING, "right")
_Numbers = dict[int, re.Match[str]]


def with_apostrophes(text: str) -> str:
    """Make the straight apostrophes within words of a text typographic, and one after a plural.

    Examples
    --------
    >>> with_apostrophes("the host's storage")
    'the host’s storage'
    >>> with_apostrophes("the clients' rates")
    'the clients’ rates'
    """
    return _OF_SEVERAL.sub("\\1’", _APOSTROPHE.sub("’", text))


@lru_cache(maxsize=65_536)  # cells of tables repeat each other, and an edition is often built again
def printed_text(text: str) -> str:
    r"""Give plain text, such as a caption, as it is printed.

    Examples
    --------
    >>> printed_text("The broker's peak at 2 KB")
    'The broker’s peak at 2\xa0KB'
    >>> printed_text("2 × 100 Gb, Table 99")
    '2\xa0×\xa0100\xa0Gb, Table\xa099'
    """
    return _BOUND.sub("\\1\u00a0", with_apostrophes(text))


def belong_together(before: str, after: str) -> bool:
    """Say whether no line may be broken at the space between two texts: 2 KB, 2 × 100, Table 99."""
    end = f"{before[-12:]} "
    return any(found.end() == len(end) for found in _BOUND.finditer(end + after[:12]))


# --- columns of numbers ------------------------------------------------------------------------


def pads(rows: Sequence[Sequence[BodyCell]]) -> list[list[str]]:
    """Give what each cell lacks behind its unit digit beside the longest of its column.

    Set unseen behind a cell that stands to the right, it brings the units below each other.
    """
    lacking = [[""] * len(row) for row in rows]
    for column, numbers in _columns(rows).items():
        # Three digits behind a sign may be thousands: other numbers of the column tell which it is.
        signs = {
            one["sign"] for one in numbers.values() if one["sign"] and len(one["decimals"]) != 3
        }
        if len(signs) > 1:
            continue
        sign = "".join(signs)
        tails = {
            row: (one["decimals"] if sign and one["sign"] == sign else "", one["rest"])
            for row, one in numbers.items()
        }
        digits = max(len(decimals) for decimals, _ in tails.values())
        end = max((rest for _, rest in tails.values()), key=len)
        for row, (decimals, rest) in tails.items():
            point = sign * (not decimals and digits > 0)
            more = point + "0" * (digits - len(decimals))
            lacking[row][column] = more + (end.replace(rest, "", 1) if rest in end else "")
        if end.endswith(("†", "*")):
            for row, cells in enumerate(rows):
                if column < len(cells) and (cells[column].text, cells[column].align) == _NO_NUMBER:
                    lacking[row][column] = end[-2:]
    return lacking


def _columns(rows: Sequence[Sequence[BodyCell]]) -> dict[int, _Numbers]:
    """Find the numbers of each column, by row, where it holds nothing else with digits."""
    columns: dict[int, _Numbers] = {}
    others = set()
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            if cell.align == "right" and any(map(str.isdigit, cell.text)):
                if number := _NUMBER.fullmatch(cell.text):
                    columns.setdefault(column, {})[at] = number
                else:
                    others.add(column)
    return {column: numbers for column, numbers in columns.items() if column not in others}


def by_numbers(text: str) -> list[tuple[int, str]]:
    """Give a key that sorts digits within text by the number that they are: 2 before 10."""
    return [
        (int(part), part) if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", text)
    ]


_LONGEST, _CUT = 40, 24  # characters of a word that columns have room for; of its parts
_SPACED, _WORD = re.compile(r"[ \t\n]+"), re.compile(r"[^ \t\n]+[ \t\n]*|[ \t\n]+")
_DIVIDES = re.compile(r"(?<=[._/:@-])(?=\w)|(?<=[a-z])(?=[A-Z])")


def parts_of_long_words(text: str, longest: int = _LONGEST) -> list[str]:
    """Divide a text where lines may break words that are too long for any column.

    They break behind marks and before capitals; where there are none for long, anywhere.
    """
    if max(map(len, _SPACED.split(text))) <= longest:
        return [text]
    parts: list[str] = []
    for word in _WORD.findall(text):
        if len(word.rstrip()) <= longest:
            parts.append(word)
            continue
        for part in _DIVIDES.split(word):
            parts += [part[at : at + _CUT] for at in range(0, len(part), _CUT)]
    return [part for part in parts if part]
