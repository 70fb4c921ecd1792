"""Offered rate against achieved rate: what a load was that a broker did not keep up with."""

from __future__ import annotations

import math
from typing import Any

from roundtrip.present.chapter import MESSAGES_PER_ROUND_TRIP, RATE
from roundtrip.present.measured.means import Measured
from roundtrip.present.numbers import Quantity

KEPT_WITHIN = 0.05
"""Share of the offered rate by which every run may miss it."""
_DEVIATIONS = 2.0
_SECONDS_IN_HOUR = 3600.0
RULE = (
    "A load is kept where every run gives the offered rate to within "
    f"{100 * KEPT_WITHIN:g}\u00a0%. One with a run below is overload: what waits grows. One with a "
    "run above repays what a moment before was owed, and is no steady state either."
)


def offered_rate(here: Measured, **factors: Any) -> Quantity | None:
    """Give the rate that the drivers of one operating point were told to keep.

    Parameters
    ----------
    here : Measured
    **factors
        Values that select one operating point.

    Returns
    -------
    Quantity or None
        In the unit of rates, leading to the runs; None where the drivers ran unrated.
    """
    mean = here.mean(**factors)
    if mean is None:
        return None
    point = here.rows({"metric": RATE, "statistic": "mean", "interval": None, **factors}).iloc[0]
    rate = math.nan
    if math.isfinite(_number(point.get("requester_rate"))):
        rate = _number(point["requester_rate"]) * _number(point["requesters"]) / _SECONDS_IN_HOUR
    elif math.isfinite(_number(point.get("target_rate"))):
        rate = _number(point["target_rate"])
    if not rate > 0:
        return None
    unit = here.chapter.unit(RATE)
    scale = MESSAGES_PER_ROUND_TRIP if unit == "messages/s" else 1
    return Quantity(scale * rate, unit, mean.quantity.cells, mean.quantity.decimals, "measured")


def overloaded(here: Measured, **factors: Any) -> bool:
    """Say whether an operating point did not keep the rate that was offered.

    Few round trips scatter by chance: twice the root of their number is allowed as well.

    Parameters
    ----------
    here : Measured
    **factors
        Values that select one operating point; one that ran unrated, or not at all, is none.
    """
    mean, offered = here.mean(**factors), offered_rate(here, **factors)
    if mean is None or offered is None or here.manifest is None:
        return False
    count = offered.value * here.manifest.plan.measure_seconds
    room = offered.value * max(KEPT_WITHIN, _DEVIATIONS / math.sqrt(count))
    return any(abs(value - offered.value) > room for value in mean.values)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):  # pandas.NA, and a factor that was not set
        return math.nan
