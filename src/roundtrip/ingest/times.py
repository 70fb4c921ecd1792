"""Times that tools print, or that a container runtime puts before each line."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_PREFIX = re.compile(
    r"^\[?(?P<date>\d{4}-\d\d-\d\d)[T ](?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<part>\d{1,9}))?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?\]? (?:std(?:out|err) [FP] )?(?=\S)"
)


def seconds(date: str, time: str, part: str | None = None, zone: str | None = None) -> float:
    """Give seconds since 1970 of a date and time; without a zone they count as UTC.

    Raises
    ------
    ValueError
        If there is no such date or time.
    """
    moment = datetime.fromisoformat(f"{date}T{time}").replace(tzinfo=_zone(zone))
    return moment.timestamp() + (float(f"0.{part}") if part else 0.0)


def _zone(text: str | None) -> timezone:
    if not text or text == "Z":
        return UTC
    sign = -1 if text[0] == "-" else 1
    digits = text[1:].replace(":", "")
    return timezone(sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:])))


def peeled(text: str) -> tuple[float | None, str]:
    """Take the time off that a container runtime or ``ts`` put before a line.

    Returns
    -------
    float or None
        Seconds since 1970, None where there is no such prefix.
    str
        The line without it.
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
