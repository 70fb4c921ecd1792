"""The two products, and how a rate becomes the time from one completed round trip to the next."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from roundtrip.present import Chapter, Quantity
from roundtrip.present.derived import round_trips
from support.shared.counted import counted_once
from support.shared.flows import rate_in_edition

MQSERIES, MSMQ = PRODUCTS = ("IBM MQSeries", "MSMQ")
MODES = {"inside": "inside syncpoint", "outside": "outside syncpoint"}


def rates_of(chapter: Chapter, *tables: str) -> pd.DataFrame:
    """Give the points of some tables, with rates of round trips."""
    return counted_once(chapter, chapter.points(*tables))


def stated_rates(chapter: Chapter) -> pd.DataFrame:
    """Give the rates that the text states."""
    stated = chapter.points("text")
    return counted_once(chapter, stated[stated["message_rate"].notna()])


def time_between(chapter: Chapter, rate: Quantity) -> Quantity:
    """Give the time from one completed round trip to the next, the reciprocal of a rate, in ms.

    A round trip takes longer: by the number of requesters that wait at the same time.
    """
    time = 1000 / round_trips(chapter, rate)
    return Quantity(time, "ms", rate.cells, 1 if time < 100 else 0)


def rate_of_one(chapter: Chapter, milliseconds: float, cells: tuple[str, ...]) -> Quantity:
    """Give the rate of round trips that are completed at a distance in time."""
    return replace(rate_in_edition(chapter, 1000 / milliseconds), cells=cells, decimals=1)
