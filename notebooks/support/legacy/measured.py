"""The questions of the source, measured with present products: sizes, log, messages left over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any

from roundtrip.outputs import of_all
from roundtrip.present import Figure, Measured, Table, Text, measured_lines, size_label
from roundtrip.present.measured.means import differing
from support.legacy.left_over import LeftOver
from support.legacy.plateaus import Sweeps
from support.legacy.products import PRODUCTS
from support.legacy.response import Response
from support.legacy.transactional import Sizes
from support.shared.cases import Case, Cases

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
    products = here.levels("product") if here.exists else []
    return Cases(here, [case for product in products for case in cases(product)])


def size_cases(here: Measured, published: Sizes) -> Cases:
    """Give what larger messages keep of the rate of the smallest, beside both older products."""
    measured = here.levels("message_bytes", **_BY_SIZE) if here.exists else []
    known = {size for size, _ in published.ratios}

    def of(product: str) -> list[Case]:
        small = measured[0] if measured else 0
        return [
            Case(
                size_label(size),
                {**_BY_SIZE, "product": product, "message_bytes": size},
                {**_BY_SIZE, "product": product, "message_bytes": small},
                {p: published.at(p, size).percent_of(published.at(p, small)) for p in PRODUCTS}
                if {size, small} <= known
                else {},
                product,
            )
            for size in measured[1:]
        ]

    return _each(here, of)


def sizes_figure(found: Cases, *, caption: str) -> Figure | None:
    """Draw the rate over message size."""
    return measured_lines(
        found.here,
        "message_bytes",
        split="product",
        log={"message_bytes"},
        title=found.title(
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


def modes_table(found: Cases, *, caption: str, notes: Sequence[str]) -> Table | None:
    """List the cases with times, processors and the wait for the disk."""
    return found.table(
        head="Delivery and requesters",
        share="Relative to its base (%)",
        caption=caption,
        metrics=[
            ("round_trip_time", "p50"),
            ("round_trip_time", "p99"),
            ("machine_cpu", "mean"),
            ("disk_wait", "mean"),
        ],
        notes=notes,
    )


def left_cases(here: Measured, published: LeftOver) -> Cases:
    """Give what messages left over cost, by the way of finding the reply and the page's size."""
    write = here.chapter.numbers.write
    depths = here.levels("preloaded_messages", **_SEARCHING) if here.exists else []
    deepest = {"preloaded_messages": depths[-1]} if depths else {}
    most = write(depths[-1]) if depths else ""

    def of(product: str) -> list[Case]:
        own = {"product": product}
        empty = {**own, **_SEARCHING, "preloaded_messages": 0}
        searched = [
            Case(
                f"consumer per reply, {write(depth)} left",
                {**own, **_SEARCHING, "preloaded_messages": depth},
                empty,
                {p: published.share(p, depth) for p in PRODUCTS}
                if depth in published.depths
                else {},
                product,
            )
            for depth in depths
            if depth > 0
        ]
        standing = [
            Case(
                f"standing consumer, {most} left, page of {write(page)}",
                {**own, **_STANDING, **deepest, "page_messages": page},
                group=product,
            )
            for page in (20000, 200)
        ]
        name = f"dedicated queue, {most} left on the shared one"
        return [
            Case("consumer per reply, empty queue", empty, group=product),
            *searched,
            *standing,
            Case(name, {**own, **_OWN, **deepest}, group=product),
        ]

    return _each(here, of)


def left_figure(found: Cases, *, caption: str) -> Figure | None:
    """Draw the rate over the number of messages left."""
    return measured_lines(
        found.here,
        "preloaded_messages",
        split="product",
        title=found.title(
            of="the rate with an empty queue", otherwise="Left-over messages on the reply queue"
        ),
        caption=caption,
        **_SEARCHING,
    )


def left_table(found: Cases, *, caption: str, note: str) -> Table | None:
    """List the cases beside the empty queue."""
    return found.table(
        head="How a reply is found",
        share="Relative to the empty queue (%)",
        caption=caption,
        notes=[note],
    )


def left_words(found: Cases) -> Text | None:
    """Say for how many products the rate falls with the messages left over."""
    shares = [(case.group, share) for case, share in found.shares()]
    if not shares or found.here.withheld:
        return None
    told = compress(shares, differing([share for _, share in shares]))
    falling = {product for product, share in told if share.interval.estimate < 1}
    return found.here.chapter.text(
        "Where the client searches again for each reply, left-over messages significantly lower "
        "the rate of {products} at one or more depths.",
        products=of_all(len(falling), len({product for product, _ in shares}), "product"),
    )
