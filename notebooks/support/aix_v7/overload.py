"""Offered rate against achieved rate: what a load was that a broker did not keep up with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from roundtrip.methodology.rates import KEPT_WITHIN, is_kept, offered
from roundtrip.present.chapter import RATE
from roundtrip.present.derived import round_trips
from roundtrip.present.measured.means import Measured
from roundtrip.present.numbers import Quantity
from support.shared.flows import rate_in_edition

RULE = (
    "A load is sustained if every run achieves the offered rate to within "
    f"{100 * KEPT_WITHIN:g}\u00a0%. If one run falls short, it is overload, even where the mean is "
    "higher: the queue grows. If none does but one exceeds it, that run still works off what its "
    "warm-up left, which is not steady state either. The worst run is the one furthest off."
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
    return replace(mean.quantity, value=rate_in_edition(here.chapter, rate).value)


KEPT, OVERLOAD, CATCHING_UP = "sustained", "overload", "catching up"


def load_state(here: Measured, **factors: Any) -> str:
    """Say whether an operating point kept the rate that was offered, fell short or exceeded it.

    Few round trips scatter by chance: twice the root of their number is allowed as well.

    Parameters
    ----------
    **factors
        Values that select one operating point; one that ran unrated, or not at all, is kept.
    """
    mean, rate = here.mean(**factors), offered_rate(here, **factors)
    if mean is None or rate is None or here.manifest is None:
        return KEPT
    # What scatters are round trips, in whatever unit this edition shows their rate.
    trips = [round_trips(here.chapter, replace(rate, value=value)) for value in mean.values]
    seconds = here.manifest.plan.measure_seconds
    asked = round_trips(here.chapter, rate)
    if not is_kept([min(trip, asked) for trip in trips], asked, seconds):
        return OVERLOAD
    return KEPT if is_kept(trips, asked, seconds) else CATCHING_UP


def worst_run(here: Measured, state: str, **factors: Any) -> Quantity | None:
    """Give the rate of the run that a state rests on: the lowest in overload, else the highest.

    Parameters
    ----------
    state : str
        From `load_state`.
    **factors
        Values that select one operating point.
    """
    mean = here.mean(**factors)
    if mean is None:
        return None
    return replace(mean.quantity, value=(min if state == OVERLOAD else max)(mean.values))
