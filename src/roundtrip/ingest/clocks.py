"""Times that logs print without a zone, and the zone that ``campaign.yml`` says they are of."""

from __future__ import annotations

from functools import cache
from zoneinfo import available_timezones

import numpy as np

LOCAL = "local"
"""Stands for the zone of a clock that nobody says."""
_YEAR_9999 = 253_370_764_800.0


@cache
def zones() -> tuple[str, ...]:
    """Give the names of all time zones, sorted; not that of a machine's own."""
    return tuple(sorted(available_timezones() - {"localtime"}))


def in_utc(times: np.ndarray, zone: str | None) -> np.ndarray:
    """Turn what a zone's clock showed, in seconds as if it were UTC, into seconds since 1970.

    Times of the hour that the clock shows twice, or not at all, are nan.
    """
    if zone in (None, LOCAL):
        return times
    import pandas as pd

    known = np.abs(times) < _YEAR_9999
    shown = pd.DatetimeIndex(np.where(known, np.floor(times), 0.0).astype("datetime64[s]"))
    real = shown.tz_localize(zone, ambiguous="NaT", nonexistent="NaT").tz_convert(None)
    ahead = (shown - real).total_seconds().to_numpy()
    return np.where(known, times - ahead, np.nan)
