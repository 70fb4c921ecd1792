"""Times that tools print, or that a container runtime puts before each line."""

from __future__ import annotations

import math
import re
from datetime import datetime

_PREFIX = re.compile(
    r"^\[?(?P<date>\d{4}-\d\d-\d\d)[T ](?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<part>\d{1,9}))?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?\]? (?:std(?:out|err) [FP] )?(?=\S)"
)


def seconds(date: str, time: str, part: str | None = None, zone: str | None = None) -> float:
    """Give seconds since 1970, or a ValueError; without a zone, date and time count as UTC."""
    moment = datetime.fromisoformat(f"{date}T{time}{zone or 'Z'}")
    return moment.timestamp() + (float(f"0.{part}") if part else 0.0)


def peeled(text: str) -> tuple[float | None, str]:
    """Take off the time that a container runtime or ``ts`` put before a line.

    The time is in seconds since 1970, None where there is no such prefix.
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
    return time, text[match.end() :]


_UNIX_DATE = re.compile(
    r"^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w* (?:(?P<month>[A-Z][a-z]{2}) +(?P<day>\d{1,2})|"
    r"(?P<day2>\d{1,2}) (?P<month2>[A-Z][a-z]{2})(?: (?P<year2>\d{4}))?) "
    r"(?P<time>\d{1,2}:\d\d:\d\d)(?: (?P<half>[AP]M))? ?(?P<zone>[A-Z]{2,5}|[+-]\d{2,4})?"
    r"(?: (?P<year>\d{4}))?$"
)


def unix_date(text: str) -> float | None:
    """Give seconds since 1970 of what the ``date`` command prints; None for anything else.

    It is nan where the zone is neither UTC nor GMT, as names of zones are ambiguous.
    """
    match = _UNIX_DATE.match(text.strip())
    if not match:
        return None
    day, month, year = (match[name] or match[f"{name}2"] for name in ("day", "month", "year"))
    clock = "%I:%M:%S %p" if match["half"] else "%H:%M:%S"
    printed = f"{day} {month} {year} {match['time']} {match['half'] or ''} Z"
    try:
        moment = datetime.strptime(printed, f"%d %b %Y {clock} %z")
    except ValueError:
        return None
    return moment.timestamp() if match["zone"] in (None, "UTC", "GMT") else math.nan
