"""The questions of the source, measured with present products: sizes, log, messages left over."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from typing import Any

from roundtrip.outputs import listed
from roundtrip.present import Figure, Measured, Quantity, Text, measured_lines, size_label
from roundtrip.present.measured.shares import differing
from support.legacy.plateaus import Sweeps
from support.legacy.rates import PRODUCTS, Rates
from support.legacy.response import Response
from support.shared.cases import Case, Cases
from support.shared.lists import of_all

Factors = dict[str, Any]

_BY_SIZE: Factors = {"delivery": "persistent", "syncpoint": "inside", "requesters": 12}
_USUAL: Factors = {
    "message_bytes": 1024, "requesters": 12, "threads_per_client": 3, "preloaded_messages": None,
}  # fmt: skip
_NOT_LOGGED: Factors = {**_USUAL, "delivery": "nonpersistent", "syncpoint": "outside"}
_LOGGED: Factors = {**_USUAL, "delivery": "persistent", "syncpoint": "outside"}
_IN_UNIT: Factors = {**_USUAL, "delivery": "persistent", "syncpoint": "inside"}
_ALONE: Factors = {**_IN_UNIT, "requesters": 1, "threads_per_client": 1}
_QUEUE: Factors = {
    "message_bytes": 1024, "delivery": "nonpersistent", "syncpoint": "outside", "requesters": 5,
}  # fmt: skip
_SEARCHING: Factors = {**_QUEUE, "reply_consumer": "for each reply", "page_messages": 20000}
_STANDING: Factors = {**_QUEUE, "reply_consumer": "standing", "reply_queue": "shared"}
_OWN: Factors = {**_QUEUE, "reply_queue": "own", "page_messages": 200}


def _each(here: Measured, cases: Callable[[str], list[Case]]) -> Cases:
    """Give the same cases for every product that was measured."""
    return Cases(here, [case for product in here.levels("product") for case in cases(product)])


def size_cases(here: Measured, published: Rates) -> Cases:
    """Give what larger messages keep of the rate of the smallest, beside both older products."""
    sizes = here.levels("message_bytes", **_BY_SIZE)

    def of(product: str) -> list[Case]:
        own = {**_BY_SIZE, "product": product}
        return [
            Case(
                size_label(size),
                {**own, "message_bytes": size},
                {**own, "message_bytes": sizes[0]},
                _shares(published, size, sizes[0]),
                product,
            )
            for size in sizes[1:]
        ]

    return _each(here, of)


def _shares(published: Rates, level: int, base: int) -> dict[str, Quantity]:
    """Give what the older products keep at a level of the rate at another, if both are printed."""
    if not {level, base} <= {*published.levels}:
        return {}
    return {p: published.at(p, level).percent_of(published.at(p, base)) for p in PRODUCTS}


def sizes_figure(found: Cases, *, caption: str) -> Figure | None:
    """Draw the rate over message size."""
    return measured_lines(
        found.here,
        "message_bytes",
        split="product",
        log={"message_bytes"},
        title=found.title(
            what="larger messages",
            of="the rate with the smallest message",
            otherwise="Persistent messages in units of work, by size",
        ),
        caption=caption,
        **_BY_SIZE,
    )


def mode_cases(here: Measured, swept: Sweeps, stated: Response) -> Cases:
    """Give what the log and units of work cost, and what more requesters bring."""
    server = "IBM MQSeries on its plateau, four clients, units of work on the server only"
    plateau = {server: swept.price(4)}
    alone = {f"{name} (base: its highest rate)": stated.share(name) for name in PRODUCTS}

    def of(product: str) -> list[Case]:
        own = {"product": product}

        def case(name: str, of: Factors, base: Factors, published: Any = None) -> Case:
            return Case(name, {**own, **of}, {**own, **base}, published or {}, product)

        return [
            Case("non-persistent, outside syncpoint", {**own, **_NOT_LOGGED}, group=product),
            case("persistent, outside syncpoint (base: non-persistent)", _LOGGED, _NOT_LOGGED),
            case("persistent, inside syncpoint (base: outside)", _IN_UNIT, _LOGGED, plateau),
            case(
                "persistent, inside syncpoint, one requester (base: twelve)",
                _ALONE,
                _IN_UNIT,
                alone,
            ),
        ]

    return _each(here, of)


def left_cases(here: Measured, published: Rates) -> Cases:
    """Give what messages left over cost, by the way of finding the reply and the page's size."""
    write = here.chapter.numbers.write
    depths = here.levels("preloaded_messages", **_SEARCHING)
    deepest = {"preloaded_messages": depths[-1]} if depths else {}
    most = write(depths[-1]) if depths else ""

    def of(product: str) -> list[Case]:
        searching = {"product": product, **_SEARCHING}
        empty = {**searching, "preloaded_messages": 0}
        others = {
            f"standing consumer, {most} left, page of {write(page)}": {
                **_STANDING, "page_messages": page,
            }
            for page in (20000, 200)
        }  # fmt: skip
        others[f"dedicated queue, {most} left on the shared one"] = _OWN
        return [
            Case("consumer per reply, empty queue", empty, group=product),
            *(
                Case(
                    f"consumer per reply, {write(depth)} left",
                    {**searching, "preloaded_messages": depth},
                    empty,
                    _shares(published, depth, 0),
                    product,
                )
                for depth in depths
                if depth > 0
            ),
            *(
                Case(name, {"product": product, **at, **deepest}, group=product)
                for name, at in others.items()
            ),
        ]

    return _each(here, of)


def left_figure(found: Cases, *, caption: str) -> Figure | None:
    """Draw the rate over the number of messages left."""
    return measured_lines(
        found.here,
        "preloaded_messages",
        split="product",
        title=found.title(
            what="left-over messages",
            of="the rate with an empty queue",
            otherwise="Left-over messages on the reply queue",
        ),
        caption=caption,
        **_SEARCHING,
    )


def left_words(found: Cases) -> Text | None:
    """Say for how many products the rate falls with the messages left over, and how many."""
    shares = found.shares()
    if not shares or found.here.withheld:
        return None
    told = list(compress(shares, differing([share for _, share in shares])))
    falling = [case for case, share in told if share.interval.estimate < 1]
    count = of_all(
        len({case.group for case in falling}), len({case.group for case, _ in shares}), "product"
    )
    depths = sorted({case.of["preloaded_messages"] for case in falling})
    at = f" ({listed([found.here.chapter.numbers.write(depth) for depth in depths])} left)"
    return Text(
        "Where the client searches again for each reply, left-over messages significantly lower "
        f"the rate of {count}{at * bool(depths)}."
    )
