"""The products that the harness can run, and what each is told of a point's configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from roundtrip.campaign.plan import Journal, Point


@dataclass(frozen=True)
class Product:
    """A product.

    Attributes
    ----------
    name : str
        As its vendor writes it; a level of the factor ``product``.
    key : str
        In the harness: of the broker's configuration, of what is in effect, and of the client.
    """

    name: str
    key: str


ARTEMIS = Product("Apache Artemis", "artemis")
CLASSIC = Product("Apache ActiveMQ Classic", "classic")
PRODUCTS = (ARTEMIS, CLASSIC)
CLASSIC_SETTINGS = ("address.page_messages", "journal.sync", "journal.file_bytes")
"""What of `roundtrip.campaign.plan.BROKER_SETTINGS` ActiveMQ Classic has as well."""


def product_of(point: Point) -> Product:
    """Give the product that a point is about; Artemis where it names none."""
    wanted = point.get("product", ARTEMIS.name)
    return next(product for product in PRODUCTS if product.name == wanted)


def configuration_of(point: Point, journal: Journal) -> dict[str, Any]:
    """Give the keys of a broker's configuration that depend on the product.

    A point's ``log_sync`` wins over that of the plan. Of Classic's recovery log only ``sync`` can
    be set in the same sense; everything else is as the product comes, and is read back.
    """
    sync = bool(point.get("log_sync", journal.sync))
    keys: dict[str, Any] = {"journal": {**journal.model_dump(), "sync": sync}}
    if product_of(point) is CLASSIC:
        keys = {"product": CLASSIC.key, "journal": {"sync": sync}}
    if "page_messages" in point:
        keys["address"] = {"page_messages": int(point["page_messages"])}
    return keys


def stated(effective: Mapping[str, Any]) -> tuple[str, str] | None:
    """Give product and version as a broker states them, or several of one product by name."""
    return next(_stated(effective), None)


def _stated(effective: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for product in PRODUCTS:
        version = effective.get(product.key)
        if isinstance(version, str):
            yield product.name, version
    for inner in effective.values():
        if isinstance(inner, Mapping):
            yield from _stated(inner)
