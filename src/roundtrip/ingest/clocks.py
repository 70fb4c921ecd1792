"""Times that logs print without a zone, and the zone that ``campaign.yml`` says they are of."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

import numpy as np

from roundtrip.ingest.records import CLOCK

LOCAL = "local"
"""Stands for the zone of a clock that nobody says."""
_YEAR_9999 = 253_370_764_800.0


@cache
def zones() -> tuple[str, ...]:
    """Give the names of all time zones, sorted; not that of a machine's own."""
    return tuple(sorted(available_timezones() - {"localtime"}))


def zone_of(settings: Mapping[str, str], told: str | None) -> str | None:
    """Give the zone of an output's times: None for UTC, as told or `LOCAL` where it prints none."""
    return (told or LOCAL) if CLOCK in settings else None


def in_utc(times: np.ndarray, zone: str | None) -> np.ndarray:
    """Turn what a zone's clock showed, in seconds as if it were UTC, into seconds since 1970.

    Times of the hour that the clock shows twice, or not at all, are nan.
    """
    if zone in (None, LOCAL):
        return times
    info = ZoneInfo(str(zone))
    found = np.full(len(times), np.nan)
    known = np.abs(times) < _YEAR_9999
    # No zone changes its clock within a quarter of an hour.
    quarters, place = np.unique(times[known] // 900, return_inverse=True)
    shifts = np.array([_shift(900 * float(quarter), info) for quarter in quarters])
    found[known] = times[known] - shifts[place]
    return found


def _shift(time: float, zone: ZoneInfo) -> float:
    """Give by how many seconds a clock is ahead of UTC when it shows a time; nan if unclear."""
    shown = datetime.fromtimestamp(time, UTC)
    first, second = (
        (shown.replace(tzinfo=zone, fold=fold).utcoffset() or timedelta()).total_seconds()
        for fold in (0, 1)
    )
    return first if first == second else float("nan")
