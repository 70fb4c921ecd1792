"""Numbers and times as tools print them."""

from __future__ import annotations

import math
import re
from datetime import datetime

_PLAIN = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?", re.ASCII)
_NOT_FINITE = {
    "inf": math.inf, "infinity": math.inf, "1.#inf": math.inf, "∞": math.inf, "nan": math.nan,
    "1.#ind": math.nan, "1.#qnan": math.nan, "\ufffd": math.nan, "nan(ind)": math.nan,
}  # fmt: skip


def number(text: str) -> float:
    """Read a number: a point or a comma for decimals, inf and nan.

    A mark that stands before exactly three digits could group thousands; the tools that we read
    print two decimals or none, so that there is no such case among them.

    Raises
    ------
    ValueError
        If it is not a number.
    """
    plain = text.strip().replace(",", ".")
    if _PLAIN.fullmatch(plain):
        value = float(plain)
        if math.isinf(value):
            raise ValueError(f"'{text[:40]}' is larger than any number")
        return value
    bare = plain.lstrip("-+").lower()
    if bare not in _NOT_FINITE:
        raise ValueError(f"'{text[:40]}' is not a number")
    return -_NOT_FINITE[bare] if plain.startswith("-") else _NOT_FINITE[bare]


_GROUPED = re.compile(r"[-+]?[0-9]{1,3}(?:([.,'’ \u00a0\u202f])[0-9]{3})(?:\1[0-9]{3})*")


def grouped(text: str) -> float:
    """Read a whole number, thousands set apart by commas, points or spaces; else a ValueError."""
    bare = text.strip()
    if _GROUPED.fullmatch(bare):
        bare = re.sub(r"[^-+0-9]", "", bare)
    if not re.fullmatch(r"-?[0-9]{1,18}", bare):
        raise ValueError(f"'{text[:40]}' is not a whole number")
    return float(bare)


_PREFIX = re.compile(
    r"^\[?(?P<date>\d{4}-\d\d-\d\d)[T ](?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<part>\d{1,9}))?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?\]? (?:std(?:out|err) [FP] )?(?=\S)"
)


def seconds(date: str, time: str, part: str | None = None, zone: str | None = None) -> float:
    """Give seconds since 1970, or a ValueError; without a zone, date and time count as UTC.

    Hyphens or slashes part year, month and day.
    """
    try:
        moment = datetime.fromisoformat(f"{date.replace('/', '-')}T{time}{zone or 'Z'}")
    except ValueError:
        raise ValueError("a date or time that is not one") from None
    return moment.timestamp() + (float(f"0.{part}") if part else 0.0)


class LocalTime(float):
    """A time that was printed without its zone, in seconds since 1970 as if it were UTC."""


def peeled(text: str) -> tuple[float | None, str]:
    """Take off the time that a container runtime or ``ts`` put before a line.

    The time is in seconds since 1970, a `LocalTime` where it has no zone, None where there is no
    such prefix.
    """
    if not text[:1].isdigit() and text[:1] != "[":
        return None, text
    match = _PREFIX.match(text)
    if not match:
        return None, text
    try:
        time = seconds(match["date"], match["time"], match["part"], match["zone"])
    except ValueError:
        return None, text
    return time if match["zone"] else LocalTime(time), text[match.end() :]


_UNIX_DATE = re.compile(
    r"^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w* (?:(?P<month>[A-Z][a-z]{2}) +(?P<day>\d{1,2})|"
    r"(?P<day2>\d{1,2}) (?P<month2>[A-Z][a-z]{2})(?: (?P<year2>\d{4}))?) "
    r"(?P<time>\d{1,2}:\d\d:\d\d)(?: (?P<half>[AP]M))? ?(?:UTC|GMT)?"
    r"(?: (?P<year>\d{4}))?$"
)


def unix_date(text: str) -> float | None:
    """Give seconds since 1970 of what the ``date`` command prints; None for anything else.

    A zone other than UTC and GMT is anything else, as names of zones are ambiguous.
    """
    match = _UNIX_DATE.match(text.strip())
    if not match:
        return None
    day, month, year = (match[name] or match[f"{name}2"] for name in ("day", "month", "year"))
    clock = "%I:%M:%S %p" if match["half"] else "%H:%M:%S"
    printed = f"{day} {month} {year} {match['time']} {match['half'] or ''} Z"
    try:
        return datetime.strptime(printed, f"%d %b %Y {clock} %z").timestamp()
    except ValueError:
        return None
