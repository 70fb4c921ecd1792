"""Offered rate against achieved rate: what a load was that a broker did not keep up with."""

from __future__ import annotations

from typing import Any

from roundtrip.methodology.rates import KEPT_WITHIN, is_kept, offered
from roundtrip.present.chapter import MESSAGES_PER_ROUND_TRIP, RATE
from roundtrip.present.measured.means import Measured
from roundtrip.present.numbers import Quantity

RULE = (
    "A load is sustained if every run achieves the offered rate to within "
    f"{100 * KEPT_WITHIN:g}\u00a0%. If a run falls short, it is overload: the queue grows. If a "
    "run exceeds it, the run is catching up, which is not steady state either."
)


def offered_rate(here: Measured, **factors: Any) -> Quantity | None:
    """Give the rate that the drivers of one operating point were told to keep.

    Parameters
    ----------
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
    rate = offered(point.to_dict())
    if rate is None:
        return None
    unit = here.chapter.unit(RATE)
    scale = MESSAGES_PER_ROUND_TRIP if unit == "messages/s" else 1
    return Quantity(scale * rate, unit, mean.quantity.cells, mean.quantity.decimals, "measured")


def overloaded(here: Measured, **factors: Any) -> bool:
    """Say whether an operating point did not keep the rate that was offered.

    Few round trips scatter by chance: twice the root of their number is allowed as well.

    Parameters
    ----------
    **factors
        Values that select one operating point; one that ran unrated, or not at all, is none.
    """
    mean, rate = here.mean(**factors), offered_rate(here, **factors)
    if mean is None or rate is None or here.manifest is None:
        return False
    return not is_kept(mean.values, rate.value, here.manifest.plan.measure_seconds)
