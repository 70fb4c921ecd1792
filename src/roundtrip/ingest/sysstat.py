"""Tables of the sysstat tools: a line of headings, then rows, each beginning with the time.

The clock has 24 hours, or 12 with AM or PM in a field of its own; decimals are written with the
locale's mark; the date stands once, in the first line, in the locale's order.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

from roundtrip.ingest.records import Fault, Quantity, Sink

BANNER = re.compile(
    r"^(?P<system>Linux|AIX|SunOS|FreeBSD) (?P<release>\S{1,200}) \((?P<host>[^)\t]{0,256})\)"
    r"(?:\s+(?P<date>\S{6,10}))?(?:\s+_?(?P<machine>\w+?)_?)?"
    r"(?:\s+\((?P<cpus>\d{1,6}) CPUs?\))?\s*$"
)
CLOCK = re.compile(r"^(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?: (?P<half>[AP]M))?\s+")
AVERAGE = re.compile(r"^[^\W\d][\w. ]{2,20}\s?:\s+\S", re.UNICODE)
RESTART = re.compile(r"^\d\d:\d\d:\d\d(?: [AP]M)?\s+LINUX RESTART(?:\s+\(\d+ CPUs?\))?\s*$")
COMMENT = re.compile(r"^\d\d:\d\d:\d\d(?: [AP]M)?\s+COM\s.*$")
BUSY = Quantity("%", "cpu")  # all but idling and waiting for disks
SINCE_BOOT = Fault(
    "since boot", "suspect", "The first report of a monitor, or an only one, holds means since the "
    "machine was started: it does not describe a measured run, and is left out of points.",
    counts=False,
)  # fmt: skip
OTHER_ZONE = Fault(
    "other time zone", "as_printed", "Its times are printed in a zone other than UTC that a name "
    "does not tell for certain: they are not used, and nothing can be joined by time.",
)  # fmt: skip
UTC_NAMES = ("UTC", "GMT")
"""Zones whose times are taken as they are."""
_DAY = 86400.0


def call_of(program: str) -> re.Pattern[str]:
    """Give a pattern of the line in which somebody called a program, after a shell's prompt."""
    return re.compile(rf"^(?:[$#>] ?|\[[^\]]*\][$#] ?)?(?:\S*/)?{program}\b[ \w-]*$")


def set_by(banner: re.Match[str], sink: Sink) -> None:
    """Keep what the first line says of the machine."""
    for name in ("system", "release", "cpus"):
        if banner[name]:
            sink.setting(name, banner[name])


def busy(idle: float | None, waiting: float | None) -> dict[str, float]:
    """Give the share of processor time beside idling and waiting for disks, where it is known."""
    used = 100.0 - (math.nan if idle is None else idle) - (waiting or 0.0)
    return {"cpu": max(0.0, used)} if math.isfinite(used) else {}


def local_date(text: str, sink: Sink) -> float | None:
    """Read the date of times without a zone: seconds since 1970 at its midnight, None for none."""
    day, guessed = date_of(text)
    if day is not None:
        sink.without_zone()
    if guessed:
        # A load of its own day is joined by time only where the guess was right.
        sink.setting("date", "day and month could be exchanged; taken as month first")
    return day


class Clock:
    """Turns times of day into times that rise, over midnight too."""

    def __init__(self) -> None:
        self._date, self._last = self._begin = self._end = (0.0, 0.0)

    def banner(self, day: float | None) -> None:
        """Begin with the midnight of the first line's date."""
        self._date, self._last = self._begin = self._end = (day or 0.0, 0.0)

    def again(self) -> None:
        """Go back to where a table began that is done: the next is of the same time."""
        self._end = max(self._end, (self._date, self._last))
        self._date, self._last = self._begin

    def restart(self) -> None:
        """Go on from the end of all tables: what follows is of the time after a restart."""
        self._date, self._last = self._begin = max(self._end, (self._date, self._last))

    def at(self, match: re.Match[str]) -> float | None:
        """Give the time of a row, None where it is not a time."""
        hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"])
        if match["half"]:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if match["half"] == "PM" else 0)
        if hour > 23 or minute > 59 or second > 60:
            return None
        time = hour * 3600.0 + minute * 60 + second
        if time < self._last - _DAY / 2:
            self._date += _DAY
        self._last = time
        return self._date + time


def date_of(text: str) -> tuple[float | None, bool]:
    """Read a date; the order of day and month is a guess where both are twelve at most."""
    match = re.fullmatch(r"(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})", text)
    if not match:
        return None, False
    first, _, second, third = match.groups()
    guessed = False
    if len(first) == 4:
        year, month, day = int(first), int(second), int(third)
    else:
        month, day, year = int(first), int(second), int(third)
        if match[2] == "." or month > 12:
            month, day = day, month
        else:
            guessed = day <= 12
        year += 2000 if year < 100 else 0
    try:
        return datetime(year, month, day, tzinfo=UTC).timestamp(), guessed
    except ValueError:
        return None, False
