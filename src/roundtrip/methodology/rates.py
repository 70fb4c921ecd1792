"""The rate that drivers were told to keep, and whether they kept it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

KEPT_WITHIN = 0.05
"""Share of the offered rate by which every run may miss it."""
FEW = 100
"""Round trips: with fewer in a run, its rate is too coarse to tell whether it was kept."""
_DEVIATIONS = 2.0
_SECONDS_IN_HOUR = 3600.0
_TOTALS = ("target_rate", "overload_rate")


def offered(factors: Mapping[Any, Any]) -> float | None:
    """Give the rate that the drivers of an operating point were told to keep.

    Parameters
    ----------
    factors : mapping
        Of the point; what was not set may be missing or NA.

    Returns
    -------
    float or None
        Round trips per second, or messages where nobody answers; None where drivers ran unrated.
    """
    each = _number(factors.get("requester_rate")) * _number(factors.get("requesters"))
    every = (each / _SECONDS_IN_HOUR, *(_number(factors.get(name)) for name in _TOTALS))
    return next((rate for rate in every if rate > 0), None)


def is_kept(values: Sequence[float], rate: float, seconds: float) -> bool:
    """Say whether every run kept the rate that was offered.

    Few round trips scatter by chance: twice the root of their number is allowed as well.

    Parameters
    ----------
    values : sequence of float
        Achieved rate of each run.
    rate : float
        The offered one, in the same unit.
    seconds : float
        Length of the measured part.
    """
    room = rate * max(KEPT_WITHIN, _DEVIATIONS / math.sqrt(rate * seconds))
    return all(abs(value - rate) <= room for value in values)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):  # pandas.NA, and a factor that was not set
        return math.nan
