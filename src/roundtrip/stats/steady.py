"""When a run is steady: the rule while it goes on, and a second opinion when it is over."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_BATCH = 5
_MOST_BEHIND_SECONDS = 0.01
"""How far a load at a set rate may be behind its schedule when the measured part begins."""
_GROWS = 1.1
"""By this factor a backlog has grown, and is overload."""


def is_steady(rates: Sequence[float], window: int, scatter: float, drift: float) -> bool:
    """Say whether the last intervals of a run neither drift nor scatter too much.

    The scatter is that of Georges, Buytaert and Eeckhout, *Statistically rigorous Java
    performance evaluation* (OOPSLA 2007, https://doi.org/10.1145/1297027.1297033): the coefficient
    of variation of the last k values. Because values that rise evenly may still scatter little,
    the straight line through them must also be level.

    Parameters
    ----------
    rates : sequence of float
        Rate of every interval so far; fewer than the window are never steady.
    window : int
        How many intervals are looked at, at least 3.
    scatter : float
        Largest coefficient of variation of their rates around the line.
    drift : float
        Largest change along the line from the window's first interval to its last, as a share of
        the mean.
    """
    if len(rates) < window:
        return False
    last = np.asarray(rates[-window:], dtype=float)
    mean = float(last.mean())
    if not np.isfinite(last).all() or mean <= 0:
        return False
    places = np.arange(window, dtype=float)
    start, slope = np.polynomial.polynomial.polyfit(places, last, 1)
    rest = last - (start + slope * places)
    scattered = float(np.sqrt((rest**2).sum() / (window - 2))) / mean
    return abs(float(slope)) * (window - 1) / mean <= drift and scattered <= scatter


def mser5(values: Sequence[float]) -> int | None:
    """Find how many values to leave out at the beginning, by the rule MSER-5.

    The number of batches of five left out is the one that makes the standard error of what
    remains smallest; a cut in the second half means that the series is too short to tell. White,
    Cobb and Spratt, *A comparison of five steady-state truncation heuristics for simulation*,
    Proc. Winter Simulation Conference 2000, https://doi.org/10.1109/WSC.2000.899767.

    Parameters
    ----------
    values : sequence of float
        In the order of time.

    Returns
    -------
    int or None
        Number of values to leave out; None when the series is too short to tell.
    """
    count = len(values) // _BATCH
    if count < 4:
        return None
    batches = np.asarray(values[: count * _BATCH], dtype=float).reshape(count, _BATCH).mean(axis=1)
    batches -= batches[-1]  # what rounding adds to a level series must not look like a trend
    # The last two batches always stay: an error of a single one would be zero.
    errors = [float(np.var(batches[cut:])) / (count - cut) for cut in range(count - 2)]
    best = int(np.argmin(errors))
    return None if best > count // 2 else best * _BATCH


def latest_cut(seconds: float, interval_seconds: float) -> float:
    """Give the latest time at which `mser5` can cut a series that lasts so many seconds."""
    return round(seconds / interval_seconds) // _BATCH // 2 * _BATCH * interval_seconds


def carries_debt(first: float, last: float, rate: float) -> bool:
    """Say whether drivers at a set rate work off what they once fell behind with.

    The time of a round trip counts from when it was due, so it would tell of the start. A backlog
    that grows is overload, which the rate shows.

    Parameters
    ----------
    first, last : float
        Round trips that are due and have not begun, before and now.
    rate : float
        Round trips per second.
    """
    return max(first, last) > _MOST_BEHIND_SECONDS * rate and last < _GROWS * first
