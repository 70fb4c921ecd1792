"""Recovery log extents over time, as queue managers report them in their error logs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from types import SimpleNamespace

from roundtrip.errors import DataError
from roundtrip.present import Chapter, Quantity
from support.shared.values import in_unit, value_of

_LINE = re.compile(r"^(\d\d/\d\d/\d\d \d\d:\d\d:\d\d), (media image|restart log (S\d+)\.LOG)$")
_METRICS = ("log_extents_created", "log_extents_reused", "restart_log_extent")
PAGE_BYTES = 4096
"""Size of a log page of IBM MQ on Linux."""


@dataclass(frozen=True)
class LogLine:
    """One line of log statistics.

    Attributes
    ----------
    time : datetime
        When it was written, to the second.
    label : str
        The row it comes from.
    created, reused : Quantity or None
        Extents since the line before; None on the line of a media image.
    restart : Quantity or None
        Number of the extent that a restart needs first.
    """

    time: datetime
    label: str
    created: Quantity | None
    reused: Quantity | None
    restart: Quantity | None

    @property
    def is_media_image(self) -> bool:
        """Whether a media image moved the point of recovery forward."""
        return self.restart is None

    @property
    def clock(self) -> str:
        """Time of day."""
        return self.time.strftime("%H:%M:%S")


def log_lines(chapter: Chapter, table: str) -> list[LogLine]:
    """Read the lines of a table of log statistics, without its totals.

    Raises
    ------
    DataError
        If no line is one.
    """
    lines = []
    known = chapter.observations.choose(source=chapter.about.id, table_id=table)
    for label in known["row_label"].unique():
        match = _LINE.match(label)
        if match is None:
            continue
        time = datetime.strptime(match[1], "%d/%m/%y %H:%M:%S")
        read = [
            value_of(chapter, table, metric, row=label) if match[3] else None for metric in _METRICS
        ]
        lines.append(LogLine(time, label, *read))
    if not lines:
        raise DataError(f"{chapter.about.id}: {table} has no line of log statistics")
    return lines


def extent_bytes(chapter: Chapter) -> int:
    """Give the size of a log extent: ``LogFilePages`` of the tests' configuration, in bytes."""
    pages = next(s.value for s in chapter.about.tuning if s.name == "LogFilePages")
    return int(pages) * PAGE_BYTES


def log_rate(chapter: Chapter, first: LogLine, last: LogLine) -> Quantity:
    """Compute the data written to the log between two lines, in GB/s.

    Extents by which the restart log moved, times their size, over the time between the lines,
    which are known to the second.
    """
    if first.restart is None or last.restart is None:
        raise ValueError("lines of media images name no restart log")
    extents = last.restart.value - first.restart.value
    seconds = (last.time - first.time).total_seconds()
    cells = first.restart.cells + last.restart.cells
    return Quantity(extents * extent_bytes(chapter) / seconds / 1e9, "GB/s", cells, 2)


def log_growth(chapter: Chapter, lines: Sequence[LogLine]) -> SimpleNamespace:
    """Say how fast the log grew between the first and the last line of which that can be told.

    Parameters
    ----------
    lines : sequence of LogLine
        The first whose restart log has moved is where counting begins: extents are whole there.

    Returns
    -------
    namespace
        Size of an ``extent`` and its ``pages``, the clock at the ``first`` and the ``last`` line,
        the ``speed`` in GB/s, the same in ``bits``, the ``image``, which is how much log makes a
        media image due, and how long that amount ``lasts``.
    """
    counted = [(line, line.restart.value) for line in lines if line.restart]
    first = next(line for line, at in counted if at > counted[0][1])
    last = counted[-1][0]
    speed = log_rate(chapter, first, last)
    tuning = {setting.name: setting.value for setting in reversed(chapter.about.tuning)}
    image = tuning["IMGLOGLN"]
    return SimpleNamespace(
        extent=Quantity(extent_bytes(chapter) / 1e6, "MB", ()),
        pages=chapter.numbers.write(float(tuning["LogFilePages"])),
        first=first.clock,
        last=last.clock,
        speed=speed,
        bits=in_unit(speed, "Gb/s", 8, 1),
        image=image,
        lasts=Quantity(float(image.split()[0]) / speed.value, "s", speed.cells),
    )
