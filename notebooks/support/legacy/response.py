"""Response times that the source states: what one requester gets that has the server alone."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from roundtrip.present import Chapter, Quantity, Table, largest, size_label
from roundtrip.present.quantities import Row, quantity_table
from support.legacy.products import MODES, MQSERIES, MSMQ, PRODUCTS, rate_of_one, stated_rates

Test = tuple[str, str, int]
"""Delivery, syncpoint, message size."""


@dataclass(frozen=True)
class Response:
    """Stated response times and rates, by product and test.

    Attributes
    ----------
    tests : list of Test
        The first one is transactional, the last one persistent outside syncpoint.
    """

    chapter: Chapter
    times: pd.DataFrame
    rates: pd.DataFrame
    tests: list[Test]

    def alone(self, product: str, test: Test) -> Quantity:
        """Give the response time."""
        delivery, _, size = test
        return self.chapter.quantity(
            self.times, "round_trip_time", product=product, delivery=delivery, message_bytes=size
        )

    def alone_rate(self, product: str, test: Test) -> Quantity:
        """Give the rate that the response time is the reciprocal of."""
        time = self.alone(product, test)
        return rate_of_one(self.chapter, time.value, time.cells)

    def highest(self, product: str, test: Test) -> Quantity:
        """Give the highest rate stated for any number of requesters."""
        delivery, syncpoint, size = test
        at = {"delivery": delivery, "syncpoint": syncpoint, "message_bytes": size}
        found = self.chapter.select(self.rates, product=product, **at)
        return largest(self.chapter.quantities(found))

    def share(self, product: str) -> Quantity:
        """Give what one requester gets of the highest transactional rate."""
        test = self.tests[0]
        return self.alone_rate(product, test).percent_of(self.highest(product, test))


def response(chapter: Chapter) -> Response:
    """Give the stated response times."""
    times = chapter.points("text")
    times = times[times["round_trip_time"].notna()]
    times = times.drop_duplicates(["product", "delivery", "message_bytes"]).reset_index(drop=True)
    tests = zip(times["delivery"], times["syncpoint"], times["message_bytes"], strict=True)
    return Response(chapter, times, stated_rates(chapter), list(dict.fromkeys(tests)))


def response_table(found: Response, *, caption: str) -> Table:
    """List response times, the rates they are reciprocals of, and the highest rates."""
    rows = []
    for test in found.tests:
        values = [
            read(product, test)
            for product in PRODUCTS
            for read in (found.alone, found.alone_rate, found.highest)
        ]
        name = f"{test[0]} {MODES[test[1]]}, {size_label(test[2])}"
        rows.append(Row(name, tuple(values)))
    return quantity_table(
        found.chapter,
        rows,
        header=[
            "Delivery, message size",
            *["Response time (ms)", "Rate of one requester", "Highest rate stated"] * 2,
        ],
        over=[(MQSERIES, 3), (MSMQ, 3)],
        caption=caption,
        notes=[
            f"Rates in {found.chapter.rate_unit}; the highest is over all numbers of "
            "requesters. Stated times are rounded, so their reciprocal can exceed the rate "
            "they were computed from."
        ],
    )
