"""Response times that the source states: what one requester gets that has the server alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from roundtrip.errors import ChapterError
from roundtrip.present import Chapter, Quantity, Table, largest, size_label
from roundtrip.present.quantities import Row, quantity_table
from support.legacy.rates import MODES, MQSERIES, MSMQ, PRODUCTS, rate_of_one, stated_rates


class Test(NamedTuple):
    """What the source states a response time of."""

    delivery: str
    syncpoint: str
    message_bytes: int


@dataclass(frozen=True)
class Response:
    """Stated response times and rates, by product and test."""

    chapter: Chapter
    times: pd.DataFrame
    rates: pd.DataFrame
    tests: list[Test]

    def test(self, delivery: str) -> Test:
        """Give the test of one delivery with messages of 1 KB; a ChapterError without one."""
        for one in self.tests:
            if (one.delivery, one.message_bytes) == (delivery, 1024):
                return one
        raise ChapterError(f"no test of response times is {delivery} with 1 KB")

    def alone(self, product: str, test: Test) -> Quantity:
        """Give the response time."""
        at = {"delivery": test.delivery, "message_bytes": test.message_bytes}
        return self.chapter.quantity(self.times, "round_trip_time", product=product, **at)

    def alone_rate(self, product: str, test: Test) -> Quantity:
        """Give the rate that the response time is the reciprocal of."""
        time = self.alone(product, test)
        return rate_of_one(self.chapter, time.value, time.cells)

    def highest(self, product: str, test: Test) -> Quantity:
        """Give the highest rate stated for any number of requesters."""
        found = self.chapter.select(self.rates, product=product, **test._asdict())
        return largest(self.chapter.quantities(found))

    def share(self, product: str) -> Quantity:
        """Give what one requester gets of the highest transactional rate."""
        test = self.test("transactional")
        return self.alone_rate(product, test).percent_of(self.highest(product, test))


def response(chapter: Chapter) -> Response:
    """Give the stated response times."""
    times = chapter.points("text")
    times = times[times["round_trip_time"].notna()]
    times = times.drop_duplicates(["product", "delivery", "message_bytes"]).reset_index(drop=True)
    tests = map(Test, times["delivery"], times["syncpoint"], times["message_bytes"])
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
        name = f"{test.delivery} {MODES[test.syncpoint]}, {size_label(test.message_bytes)}"
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
